import { beforeEach, describe, expect, test } from "vitest";
import * as kinds from "../../../lib/contract/items.ts";
import { workspaceTenant } from "../../../lib/contract/tenants.ts";
import { november, type Reader, readerOf } from "../../metrics/support.ts";
import { useApi } from "../../support/api.ts";
import { urlOf } from "../../support/event-data.ts";
import { github, gitlab, World } from "../../support/world.ts";

const api = useApi();
const world = new World(() => api.store().table);
let rounds = 0;
let workspace = "";
let reader: Reader;
const idOf = (name: string) => `${workspace}-${name}`;
const sendPullRequest = (name: string, number: number, change: object = {}) =>
  world.pullRequest(github(idOf(name)), `${name}-${number}`, change);
const save = (name: string, change: object = {}) =>
  world.organization(idOf(name), { workspace_id: workspace, ...change });
const hide = { plan: "pro" };

async function member(name: string, change: object = {}): Promise<void> {
  await save(name, change);
  await world.repository(github(idOf(name)), "9001");
}

beforeEach(async () => {
  workspace = `scope-${rounds++}`;
  await world.workspace(workspace);
  await member("a");
  await member("b");
  reader = readerOf(api, (await world.token(workspace)).text);
});

const urls = (name: string, ...numbers: number[]) => numbers.map((number) => urlOf(`${name}-${number}`));

/** Reads all pages from a cursor to the end: returns the URLs and the resume cursor. */
async function follow(from: string, limit = 1000) {
  const found: string[] = [];
  for (let cursor = from; ; ) {
    const page = await reader.page(`review-comments?${november}&limit=${limit}&cursor=${cursor}`);
    found.push(...page.urls);
    if (page.next === null) return { found, resume: page.resume ?? "" };
    cursor = page.next;
  }
}

describe.each([
  ["changes its plan and comes back", { plan: "pro" }],
  ["is deactivated and comes back", { active: false }],
])("an organization that %s", (change, hidden) => {
  test(`the cursor of a walk in progress catches up an organization that ${change}`, async () => {
    await sendPullRequest("a", 1);
    await sendPullRequest("b", 1);
    await sendPullRequest("a", 2);
    await sendPullRequest("a", 3);
    const first = await reader.page(`review-comments?${november}&limit=1`);
    await save("b", hidden);
    await sendPullRequest("b", 2);
    const second = await reader.page(`review-comments?${november}&limit=1&cursor=${first.next}`);
    await save("b");

    const { found } = await follow(second.next ?? "", 1);

    expect([...first.urls, ...second.urls]).toEqual(urls("a", 1, 2));
    expect(found.toSorted()).toEqual([...urls("a", 3), ...urls("b", 1, 2)]);
  });

  test(`a resume catches up an organization that ${change} once, and later resumes do not repeat it`, async () => {
    await sendPullRequest("a", 1);
    const walk = await reader.page(`review-comments?${november}`);
    await save("b", hidden);
    await sendPullRequest("b", 1);
    const without = await follow(walk.resume ?? "");
    await save("b");
    await sendPullRequest("a", 2);

    const caughtUp = await follow(without.resume);
    const again = await follow(caughtUp.resume);

    expect(without.found).toEqual([]);
    expect(caughtUp.found).toEqual([...urls("b", 1), ...urls("a", 2)]);
    expect(again.found).toEqual([]);
  });
});

test("an organization that joins is caught up, even if it was invisible when it joined", async () => {
  await world.organization(idOf("c"));
  await world.repository(github(idOf("c")), "9001");
  await sendPullRequest("c", 1);
  const { resume } = await reader.page(`review-comments?${november}`);
  await save("c", hide);
  const without = await follow(resume ?? "");
  await save("c");
  const caughtUp = await follow(without.resume);
  expect([without.found, caughtUp.found]).toEqual([[], urls("c", 1)]);
});

test("many organizations visible at once are caught up page by page; one that appears meanwhile comes last", async () => {
  const many = ["p", "q", "r", "s", "t", "u"];
  for (const name of many) await member(name, hide);
  for (const name of many) await sendPullRequest(name, 1);
  await sendPullRequest("a", 1);
  await save("b", hide);
  await sendPullRequest("b", 1);
  const { resume } = await reader.page(`review-comments?${november}`);
  for (const name of many) await save(name);
  const first = await reader.page(`review-comments?${november}&limit=2&cursor=${resume}`);
  await save("b");

  const { found } = await follow(first.next ?? "", 2);

  expect([...first.urls, ...found]).toEqual([...many.flatMap((name) => urls(name, 1)), ...urls("b", 1)]);
});

test("filters and the date window apply to caught-up organizations", async () => {
  await save("b", hide);
  await sendPullRequest("b", 1);
  await sendPullRequest("b", 2, { merged_at: "2026-10-02T10:00:00.000Z" });
  const { resume } = await reader.page(`review-comments?${november}`);
  await save("b");
  expect((await follow(resume ?? "")).found).toEqual(urls("b", 1));
});

test("an epoch that was taken but not published is published by the next change", async () => {
  await sendPullRequest("a", 1);
  const { resume } = await reader.page(`review-comments?${november}`);
  await save("b", hide);
  await sendPullRequest("b", 1);
  await save("b");
  const key = kinds.scopeEpochs.key({ tenant: workspaceTenant(workspace) });
  await api.store().table.write({ update: key, change: { add: [["p", -1]] } });
  const half = await follow(resume ?? "");
  await save("b", { name: "sent again" });

  const whole = await follow(half.resume);

  expect([half.found, whole.found]).toEqual([[], urls("b", 1)]);
});

test("a resume reads no row twice if nothing changed", async () => {
  await api.store().table.write({
    update: kinds.scopeEpochs.key({ tenant: workspaceTenant(workspace) }),
    change: { set: [["at_ms", 0]] },
  });
  const first = await reader.page(`review-comments?${november}`);
  expect(first.urls).toEqual([]);
  expect((await follow(first.resume ?? "")).found).toEqual([]);
});

describe("a cursor that cannot be caught up is refused", () => {
  const refusal = async (read: Reader, cursor: string) => {
    const answer = await read.get(`review-comments?${november}&cursor=${cursor}`);
    return [answer.status, answer.codes, answer.message];
  };

  test("a cursor of an instance key with other authorized organizations is refused", async () => {
    const instance = `${workspace}-instance`;
    await world.instance(instance);
    const saved = (id: string) => world.organization(id, { ...gitlab(instance, id) });
    const [home, other] = [await saved("home"), await saved("other")];
    await world.member(gitlab(instance, "home"), "u-admin", { role: "cr_admin" });
    const keyWith = async (authorized?: string[]) => {
      const base = {
        kind: "instance",
        instanceId: instance,
        home,
        owner: "u-admin",
        role: "cr_admin",
      } as const;
      const { text } = await world.key({ ...base, ...(authorized && { authorized }) });
      return readerOf(api, text);
    };
    const [narrow, same, wide] = [await keyWith([home]), await keyWith([home]), await keyWith([home, other])];
    const { resume } = await narrow.page(`review-comments?${november}`);
    expect((await same.get(`review-comments?${november}&cursor=${resume}`)).status).toBe(200);
    for (const key of [wide, await keyWith()])
      expect(await refusal(key, resume ?? "")).toEqual([
        400,
        ["INVALID_CURSOR"],
        "cursor: was made with a key that is authorized for other organizations. Start again without a cursor.",
      ]);
  });
});

describe("the other walks that can be resumed", () => {
  const page = (path: string) =>
    api.call(path, { key: token }).then(({ status, message, json, headers }) => {
      expect([status, message]).toEqual([200, ""]);
      const { data, next_cursor } = Object(json);
      return { data, next: next_cursor, resume: headers["x-resume-cursor"] };
    });
  let token = "";
  beforeEach(async () => {
    token = (await world.token(workspace)).text;
  });
  async function all(path: string, from: string) {
    const found: Array<Record<string, unknown>> = [];
    for (let cursor = from; ; ) {
      const { data, next, resume } = await page(`${path}&cursor=${cursor}`);
      found.push(...data);
      if (next === null) return { found, resume };
      cursor = next;
    }
  }

  test("Learnings catch up an organization that became visible", async () => {
    const uuid = await save("b");
    await world.member(github(idOf("b")), "u-admin", { role: "cr_admin" });
    const owner = { kind: "organization", organization: uuid, owner: "u-admin", role: "cr_admin" } as const;
    const { text } = await world.key(owner);
    const body = { data: [{ repository_id: "9001", learning: "Prefer small functions." }] };
    expect((await api.call("/v1/learnings", { key: text, body })).status).toBe(200);
    await save("b", hide);
    const { data, resume } = await page("/v1/learnings?limit=10");
    await save("b");
    const { found } = await all("/v1/learnings?limit=10", resume ?? "");
    expect([data, found.map(({ learning }) => learning)]).toEqual([[], ["Prefer small functions."]]);
  });

  /** Two pages of a walk through the keys of `a`, which passes two keys of `b` while `b` is hidden. */
  async function passesHiddenEntries(order: "asc" | "desc") {
    const asAdmin = { kind: "organization", owner: "u-admin", role: "cr_admin" } as const;
    const uuids = { a: await save("a"), b: await save("b") };
    for (const name of ["a", "b"] as const)
      await world.member(github(idOf(name)), "u-admin", { role: "cr_admin" });
    const written = ["a", "b", "b", "a", "a"] as const;
    for (const name of order === "asc" ? written : written.toReversed())
      await world.key({ ...asAdmin, organization: uuids[name] });
    await save("b", hide);
    const path = `/v1/audit-logs?order=${order}&limit=1&actions=key.created`;
    const first = await page(path);
    const second = await page(`${path}&cursor=${first.next}`);
    return { path, next: second.next, shown: [...first.data, ...second.data] };
  }
  const ownersOf = (entries: ReadonlyArray<Record<string, unknown>>) =>
    entries.map(({ organization_id }) => organization_id);

  test.each(["asc", "desc"] as const)(
    "audit logs catch up an organization that became visible, page by page: %s",
    async (order) => {
      const { path, next, shown } = await passesHiddenEntries(order);
      await save("b");
      const { found } = await all(path, next);
      expect(ownersOf(found)).toEqual([idOf("b"), idOf("b"), idOf("a")]);
      expect(new Set([...shown, ...found].map(({ id }) => id)).size).toBe(5);
    },
  );

  test("a walk through the audit log shows every entry once, even if an organization leaves meanwhile", async () => {
    const { path, next } = await passesHiddenEntries("asc");
    await save("b");
    const caughtUp = await page(`${path}&cursor=${next}`);
    await save("b", hide);
    const { found } = await all(path, caughtUp.next);
    expect(ownersOf(caughtUp.data)).toEqual([idOf("b")]);
    expect(ownersOf(found)).toEqual([idOf("a")]);
  });

  test("audit logs of named organizations catch up the instance's own entries that name one", async () => {
    const instance = `${workspace}-audited`;
    await world.instance(instance);
    const saved = (id: string, change = {}) => world.organization(id, { ...gitlab(instance, id), ...change });
    const home = await saved("home");
    await saved("other");
    await world.member(gitlab(instance, "home"), "u-admin", { role: "cr_admin" });
    const base = {
      kind: "instance",
      instanceId: instance,
      home,
      owner: "u-admin",
      role: "cr_admin",
    } as const;
    await saved("other", { active: false });
    token = (await world.key(base)).text;
    for (let count = 0; count < 2; count++)
      await world.key({ kind: "organization", owner: "u-admin", role: "cr_admin", organization: home });
    const actions = "actions=organization.deactivated,key.created";
    const path = `/v1/audit-logs?order=asc&organization_ids=home,other&limit=1&${actions}`;
    const { data, next } = await page(path);
    await saved("other");
    const { found } = await all(path, next ?? "");
    expect(data).toMatchObject([{ action: "key.created" }]);
    expect(found.map(({ action }) => action)).toContain("organization.deactivated");
  });
});
