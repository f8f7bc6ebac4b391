import { describe, expect, test } from "vitest";
import { repositoryAddress, withoutCredentials } from "../../lib/contract/addresses.ts";
import * as kinds from "../../lib/contract/items.ts";
import { pageOf } from "../metrics/support.ts";
import { useApi } from "../support/api.ts";
import { finalized, finding, mcp } from "../support/event-data.ts";
import { scanAll } from "../support/scan-all.ts";
import { github, World } from "../support/world.ts";
import { createIngestHarness, deliver, event, instanceSaved } from "./support.ts";

/** Not like any key: only its place in the URL shows what it is. */
const secret = "hunter-zwei";

describe("an address of the platform", () => {
  test.each([
    ["https://oauth2:hunter-zwei@git.example.com/a/b", "https://git.example.com/a/b"],
    ["https://hunter-zwei@git.example.com", "https://git.example.com"],
    ["https://a:hunter@zwei@git.example.com/@scope/b", "https://git.example.com/@scope/b"],
    ["https:a:hunter-zwei@git.example.com/a", "https:git.example.com/a"],
    ["https:\\\\a:hunter-zwei@git.example.com\\a", "https:\\\\git.example.com\\a"],
    [" HTTPS://a:hunter-zwei@git.example.com/a", " HTTPS://git.example.com/a"],
    ["ssh://git:hunter-zwei@git.example.com/a", "ssh://git.example.com/a"],
    ["ftp:a:hunter-zwei@git.example.com/a", "ftp:git.example.com/a"],
    ["ht\ttps://a:hunter-zwei@git.example.com/a", "https://git.example.com/a"],
    ["https:\n//a:hunter-zwei@git.example.com/a", "https://git.example.com/a"],
    ["https:/\r/a:hunter-zwei@git.example.com/a\tb", "https://git.example.com/ab"],
    ["\u0001 \u001fhttps://a:hunter-zwei@git.example.com/a", "\u0001 \u001fhttps://git.example.com/a"],
    ["ssh:/\t/git:hunter-zwei@git.example.com/a", "ssh://git.example.com/a"],
    [`https://git.example.com/a?q=glp\tat-${"x1".repeat(10)}`, "https://git.example.com/a"],
    ["https://git.example.com/a?private_token=hunter-zwei", "https://git.example.com/a"],
    ["https://git.example.com/a?x=1&X-Amz-Signature=hunter&y=2#n", "https://git.example.com/a?x=1&y=2#n"],
    ["https://git.example.com/a?access%5Ftoken=hunter-zwei&y=2", "https://git.example.com/a?y=2"],
    ["https://git.example.com/a#access_token=hunter-zwei", "https://git.example.com/a"],
    [`https://git.example.com/a?q=glpat-${"x1".repeat(10)}`, "https://git.example.com/a"],
  ])("%s is stored as %s", (sent, stored) => {
    expect(withoutCredentials(sent)).toBe(stored);
    expect(withoutCredentials(stored)).toBe(stored);
  });

  test.each([
    "https://dev.example.com/acme/_git/web/pullrequest/7?_a=files&discussionId=31",
    "https://bitbucket.example.com/projects/A/repos/b/pull-requests/7/overview?commentId=42#c%20d",
    "https://github.com/acme/web/pull/7#discussion_r2100000000",
    "https://git.example.com/a?key=WEB-7&code=%zz",
    "git@github.com:acme/web",
    "\u0001https://git.example.com/a\tb@c",
    "mailto:ann@example.com",
    "https://[REDACTED:github_token].example.com/@scope/a?b",
  ])("%s stays as it is", (sent) => {
    expect(withoutCredentials(sent)).toBe(sent);
  });

  test("no control character before, in or behind the scheme hides credentials in a repository's address", () => {
    for (let code = 1; code <= 0x20; code++) {
      const control = String.fromCharCode(code);
      const sent = "https://a:hunter-zwei@git.example.com/a";
      for (let place = 0; place <= "https://".length; place++) {
        const hidden = sent.slice(0, place) + control + sent.slice(place);
        if (!URL.canParse(hidden)) continue;
        expect(new URL(repositoryAddress(hidden)).href, JSON.stringify(hidden)).not.toContain("hunter");
      }
    }
  });

  test("a repository's address has no query and no fragment", () => {
    expect(repositoryAddress(`https://a:${secret}@git.example.com/a?b=${secret}\n#${secret}`)).toBe(
      "https://git.example.com/a",
    );
  });
});

const api = useApi();
const world = new World(() => api.store().table);

const inUrl = (path: string) => `https://bot:${secret}@git.example.com/${path}`;
const repositoryUrl = `${inUrl("group/app")}?branch=${secret}#${secret}`;
const prUrl = `${inUrl("group/app/pull/1")}?access_token=${secret}`;
const commentUrl = `${prUrl}&commentId=42`;

const eventsOf = (name: string) => {
  const organization = github(name);
  const repository = { ...organization, repository_id: "9001" };
  const repositorySaved = {
    ...repository,
    name: "app",
    full_name: "group/app",
    private: true,
    url: repositoryUrl,
    active: true,
    approval_delay_days: null,
  };
  const pullRequest = finalized(organization, 1, {
    pr_url: prUrl,
    comments: [{ url: commentUrl, severity: "major", category: null, accepted: true }],
    ...mcp,
  });
  const learning = { ...repository, author_id: "4411", source: "pull_request", learning: "Prefer const." };
  return {
    repository: event("repository.saved", 5, repositorySaved),
    pullRequest: event("pull_request.finalized", 6, pullRequest),
    learning: event("learning.captured", 4, { ...learning, pr_url: prUrl, source_url: commentUrl }),
    scan: event("security_scan.completed", 7, {
      ...repository,
      scan_id: "scan-1",
      commit_sha: "c0ffee",
      completed_at: "2026-10-01T00:07:00.000Z",
      findings: [finding("one")],
    }),
  };
};

test("no list, export or SARIF shows credentials of a URL that the platform sent", async () => {
  const uuid = await world.organization("urls");
  await world.member(github("urls"), "u-admin", { role: "cr_admin" });
  const key = await world.adminKey(uuid);
  const { repository, learning, pullRequest, scan } = eventsOf("urls");
  await deliver(createIngestHarness(api.store().table), [repository, learning, pullRequest, scan]);
  const get = (target: string) => api.call(target, { key });
  const of = "start_date=2026-11-01&end_date=2026-11-30";
  const answers = {
    repositories: await get(`/v1/organizations/${uuid}/repositories`),
    comments: await get(`/v1/metrics/review-comments?${of}`),
    reviews: await get(`/v1/metrics/reviews?${of}`),
    mcp: await get(`/v1/metrics/mcp?${of}`),
    learnings: await get("/v1/learnings"),
    sarif: await get("/v1/security/scans/code?format=sarif"),
  };
  for (const { status, body } of Object.values(answers)) {
    expect(status).toBe(200);
    expect(body.toString()).not.toContain(secret);
    expect(body.toString()).toContain("https://git.example.com/group/app");
  }
  expect(pageOf(answers.comments).data).toMatchObject([
    {
      pr_url: "https://git.example.com/group/app/pull/1",
      coderabbit_comments: [{ url: "https://git.example.com/group/app/pull/1?commentId=42" }],
    },
  ]);
  expect(JSON.stringify(await scanAll(api.store().table))).not.toContain(secret);
});

test("no list and no SARIF shows credentials of a repository's URL that an earlier release stored", async () => {
  const uuid = await world.organization("stored-urls");
  await world.member(github("stored-urls"), "u-admin", { role: "cr_admin" });
  const key = await world.adminKey(uuid);
  const { repository, scan } = eventsOf("stored-urls");
  await deliver(createIngestHarness(api.store().table), [repository, scan]);
  await api.store().table.write({
    update: kinds.repository.key({ organization: uuid, repositoryId: "9001" }),
    change: { set: [["url", "ht\ttps://bot:hunter-drei@git.example.com/group/app"]] },
  });
  for (const target of [`organizations/${uuid}/repositories`, "security/scans/code?format=sarif"]) {
    const { body } = await api.call(`/v1/${target}`, { key });
    expect(body.toString()).not.toContain("hunter-drei");
    expect(body.toString()).toContain("https://git.example.com/group/app");
  }
});

test("no waiting event and no dead letter holds credentials of a URL", async () => {
  const harness = createIngestHarness(api.store().table);
  const { repository, learning, pullRequest } = eventsOf("waiting-urls");
  await deliver(harness, [repository, learning, pullRequest]);
  expect(await scanAll(harness.table)).toEqual(
    expect.arrayContaining([expect.objectContaining({ event_id: repository.id })]),
  );
  const bad = [repository, learning, pullRequest].map((sent) => ({
    ...sent,
    data: Object.assign({}, sent.data, { provider: "none" }),
  }));
  await deliver(harness, [...bad, instanceSaved(1, { base_url: inUrl(""), active: 7 })]);
  expect(harness.letters).toHaveLength(4);
  const kept = JSON.stringify([await scanAll(harness.table), harness.letters]);
  expect(kept).toContain("git.example.com/group/app");
  expect(kept).not.toContain(secret);
});
