import { beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { november, standalone } from "../../metrics/support.ts";
import { useApi } from "../../support/api.ts";
import { closed, mcp, urlOf } from "../../support/event-data.ts";
import { github, gitlab, World } from "../../support/world.ts";

const api = useApi();
const world = new World(() => api.store().table);

const page = z.object({
  data: z.array(z.looseObject({ pr_url: z.string(), organization_id: z.string() })),
  removed: z.array(
    z.looseObject({ pr_url: z.string().optional(), organization_id: z.string(), removed_at: z.string() }),
  ),
  next_cursor: z.string().nullable(),
});

/** A caller that applies every page: the last record per organization and pull request. */
class Mirror {
  readonly held = new Map<string, unknown>();
  readonly removed: unknown[] = [];
  pages = 0;
  #cursor = "";
  readonly #path: string;
  readonly #key: string;
  constructor(path: string, key: string) {
    this.#path = path;
    this.#key = key;
  }

  /** Reads from its current cursor to the end; returns the removals that it received. */
  async follow(limit = 1000): Promise<unknown[]> {
    const before = this.removed.length;
    while (!(await this.readPage(limit)));
    return this.removed.slice(before);
  }

  /** Applies the next page. Returns true if it is the last page. */
  async readPage(limit = 1000): Promise<boolean> {
    const answer = await this.answer(limit);
    expect([answer.status, answer.message]).toEqual([200, ""]);
    const { data, removed, next_cursor } = page.parse(answer.json);
    this.pages++;
    expect(data.length + removed.length).toBeLessThanOrEqual(limit);
    for (const record of data) this.held.set(`${record.organization_id} ${record.pr_url}`, record);
    for (const { removed_at: _, ...record } of removed) {
      this.#drop(record);
      this.removed.push(record);
    }
    this.#cursor = `&cursor=${next_cursor ?? answer.headers["x-resume-cursor"]}`;
    return next_cursor === null;
  }

  /** The next page, as received. */
  answer(limit = 1000) {
    const path = `/v1/metrics/${this.#path}&include_removed=true&limit=${limit}${this.#cursor}`;
    return api.call(path, { key: this.#key });
  }

  #drop({ organization_id, pr_url }: { organization_id: string; pr_url?: string | undefined }): void {
    for (const id of this.held.keys())
      if (pr_url === undefined ? id.startsWith(`${organization_id} `) : id === `${organization_id} ${pr_url}`)
        this.held.delete(id);
  }

  async expectFresh(): Promise<void> {
    const fresh = new Mirror(this.#path, this.#key);
    expect(await fresh.follow()).toEqual([]);
    expect(Object.fromEntries(this.held)).toEqual(Object.fromEntries(fresh.held));
  }
}

let rounds = 0;
const cases: ReadonlyArray<readonly [string, string, object, object]> = [
  ["lost its last comment", `review-comments?${november}`, {}, { comments: [] }],
  ["is no longer reviewed", `reviews?${november}`, {}, { reviewed: false }],
  ["left status=closed by being merged", `reviews?${november}&status=closed`, closed, {}],
  [
    "left the window by a day",
    "mcp?start_date=2026-11-02&end_date=2026-11-02",
    mcp,
    { ...mcp, merged_at: "2026-11-03T00:00:00.000Z" },
  ],
  ["went to another repository", `reviews?${november}&repository_ids=9001`, {}, { repository_id: "9002" }],
  ["has another author", `review-comments?${november}&user_ids=4411`, {}, { author_id: "4412" }],
];

describe("a mirror", () => {
  test.each(cases)("a mirror drops a pull request that %s", async (_, path, before, after) => {
    const { sendPullRequest, key, organization } = await standalone(api, world, `mirror-${rounds++}`);
    await world.repository(organization, "9002");
    await sendPullRequest(1, before);
    await sendPullRequest(2, { ...before });
    const mirror = new Mirror(path, key);
    expect(await mirror.follow(1)).toEqual([]);
    await sendPullRequest(1, after);
    await sendPullRequest(2, { ...before, review_iterations: 9 });

    const removed = await mirror.follow(1);

    const { provider_organization_id: organization_id } = organization;
    expect(removed).toEqual([
      { pr_url: urlOf(1), provider: "github", organization_id, repository_id: "9001" },
    ]);
    expect(mirror.held.size).toBe(1);
    await mirror.expectFresh();
    expect(await mirror.follow()).toEqual([]);
    await sendPullRequest(1, before);
    expect(await mirror.follow()).toEqual([]);
    expect(mirror.held.size).toBe(2);
    await mirror.expectFresh();
  });

  test("a mirror drops pull requests removed during its first walk, and receives no older removals", async () => {
    const { sendPullRequest, get } = await standalone(api, world, "under-way");
    for (const number of [1, 2, 3]) await sendPullRequest(number);
    await sendPullRequest(3, { comments: [] });
    const first = await get(`review-comments?${november}&include_removed=true&limit=1`);
    const { next_cursor, removed } = page.parse(first.json);
    await sendPullRequest(1, { comments: [] });
    const second = await get(
      `review-comments?${november}&include_removed=true&limit=5&cursor=${next_cursor}`,
    );
    const rest = page.parse(second.json);
    expect(removed).toEqual([]);
    expect(rest.data.map(({ pr_url }) => pr_url)).toEqual([urlOf(2)]);
    expect(rest.removed.map(({ pr_url }) => pr_url)).toEqual([urlOf(1)]);
  });
});

describe("an organization that leaves the scope", () => {
  let workspace = "";
  const idOf = (name: string) => `${workspace}-${name}`;
  const save = (name: string, change: object = {}) =>
    world.organization(idOf(name), { workspace_id: workspace, ...change });
  const sendPullRequest = (name: string, number: number, change: object = {}) =>
    world.pullRequest(github(idOf(name)), number, change);
  let mirror: Mirror;
  let token = "";
  beforeEach(async () => {
    workspace = `leaving-${rounds++}`;
    await world.workspace(workspace);
    for (const name of ["a", "b", "c"]) {
      await save(name);
      await world.repository(github(idOf(name)), "9001");
      await sendPullRequest(name, 1);
    }
    token = (await world.token(workspace)).text;
    mirror = new Mirror(`review-comments?${november}`, token);
    await mirror.follow();
  });
  const left = (name: string) => ({ provider: "github", organization_id: idOf(name) });

  test.each([
    ["another plan", { plan: "pro" }],
    ["deactivated", { active: false }],
    ["moved away", { workspace_id: null }],
  ])(
    "a mirror drops an organization that leaves the scope, and gets all of it back when it returns: %s",
    async (_, change) => {
      await save("b", change);
      expect(await mirror.follow()).toEqual([left("b")]);
      await mirror.expectFresh();
      await sendPullRequest("b", 1, { comments: [] });
      await sendPullRequest("b", 2);
      await save("b");
      await mirror.follow();
      expect([...mirror.held.keys()].filter((id) => id.startsWith(idOf("b")))).toEqual([
        `${idOf("b")} ${urlOf(2)}`,
      ]);
      await mirror.expectFresh();
    },
  );

  test("organizations that left and returned between resumes are dropped, then caught up, also at limit=1", async () => {
    for (const name of ["b", "c"]) await save(name, { workspace_id: null });
    await sendPullRequest("b", 1, { comments: [] });
    for (const name of ["b", "c"]) await save(name);
    const removed = await mirror.follow(1);
    expect(removed).toHaveLength(2);
    expect(removed).toEqual(expect.arrayContaining([left("b"), left("c")]));
    expect([...mirror.held.keys()].toSorted()).toEqual(["a", "c"].map((name) => `${idOf(name)} ${urlOf(1)}`));
    await mirror.expectFresh();
  });

  test.each([
    ["another plan", { plan: "pro" }],
    ["deactivated", { active: false }],
    ["moved away", { workspace_id: null }],
  ])(
    "the mirror receives the last organization's removal before it is refused, and catches up later: %s",
    async (_, change) => {
      for (const name of ["a", "b", "c"]) await save(name, change);
      expect(await mirror.follow(2)).toHaveLength(3);
      expect(mirror.held.size).toBe(0);
      const refused = await mirror.answer();
      expect([refused.status, refused.codes]).toEqual([403, ["ENTERPRISE_PLAN_REQUIRED"]]);
      await sendPullRequest("b", 2);
      await save("b");
      expect(await mirror.follow()).toEqual([]);
      expect(mirror.held.size).toBe(2);
      await mirror.expectFresh();
    },
  );

  test("an organization that returns after the removal of all organizations is caught up in the same walk", async () => {
    for (const name of ["a", "b", "c"]) await save(name, { plan: "pro" });
    expect([await mirror.readPage(), mirror.held.size]).toEqual([false, 0]);
    await sendPullRequest("b", 2);
    await save("b");
    expect(await mirror.follow()).toEqual([]);
    expect(mirror.held.size).toBe(2);
    await mirror.expectFresh();
  });

  test("the mirror receives the removal of the last organization in organization_ids before it is refused", async () => {
    const instance = `${workspace}-named`;
    await world.instance(instance);
    const saved = (id: string, change = {}) => world.organization(id, { ...gitlab(instance, id), ...change });
    const home = await saved("home");
    await world.member(gitlab(instance, "home"), "u-admin", { role: "cr_admin" });
    await saved("other");
    await world.repository(gitlab(instance, "other"), "9001");
    await world.pullRequest(gitlab(instance, "other"), 1);
    const { text } = await world.key({
      kind: "instance",
      instanceId: instance,
      home,
      owner: "u-admin",
      role: "cr_admin",
    } as const);
    mirror = new Mirror(`review-comments?${november}&organization_ids=other`, text);
    await mirror.follow();
    expect(mirror.held.size).toBe(1);
    await saved("other", { active: false });
    expect(await mirror.follow()).toEqual([{ provider: "gitlab", organization_id: "other" }]);
    expect((await mirror.answer()).codes).toEqual(["ORGANIZATION_NOT_FOUND"]);
  });

  test("the cursor of one organization's mirror is refused after the organization left and returned", async () => {
    const path = `/v1/metrics/review-comments?${november}&org_id=${idOf("b")}&include_removed=true`;
    const cursorOf = async () => (await api.call(path, { key: token })).headers["x-resume-cursor"];
    const before = await cursorOf();
    await save("b", { workspace_id: null });
    await save("b");
    const refused = await api.call(`${path}&cursor=${before}`, { key: token });
    expect([refused.status, refused.codes]).toEqual([400, ["INVALID_CURSOR"]]);
    expect(refused.message).toContain("Start again without a cursor.");
    expect((await api.call(`${path}&cursor=${await cursorOf()}`, { key: token })).status).toBe(200);
  });
});

describe("include_removed", () => {
  test("include_removed marks removals in NDJSON, is refused with CSV, and is bound to the cursor", async () => {
    const { sendPullRequest, get } = await standalone(api, world, "formats-of-removals");
    await sendPullRequest(1);
    const path = `reviews?${november}&include_removed=true`;
    const { headers } = await get(path);
    await sendPullRequest(1, { reviewed: false });
    const cursor = `cursor=${headers["x-resume-cursor"]}`;
    const lines = (await get(`${path}&format=ndjson&${cursor}`)).body.toString().trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ pr_url: urlOf(1), removed: true }]);
    const refused = [`${path}&format=csv`, `reviews?${november}&${cursor}`, `${path}&include_removed=yes`];
    for (const each of refused) expect((await get(each)).status).toBe(400);
    const without = await get(`reviews?${november}&include_removed=false`);
    expect(Object.keys(Object(without.json))).toEqual(["data", "next_cursor"]);
  });
});
