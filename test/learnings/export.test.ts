import { beforeAll, describe, expect, test, vi } from "vitest";
import * as kinds from "../../lib/contract/items.ts";
import { organizationTenant } from "../../lib/contract/tenants.ts";
import { parseLearning } from "../../lib/store/items/learning.ts";
import { learningPlace } from "../../lib/store/layout.ts";
import { type Answer, useApi } from "../support/api.ts";
import { learningOf, organizationOf } from "../support/stored.ts";
import { gitlab, World } from "../support/world.ts";
import { checkTable } from "./check-table.ts";
import { type Home, item, newHome, pageOf, verbsOf } from "./fixture.ts";

const api = useApi();
const world = new World(() => api.store().table);
const table = () => api.store().table;

const keyOf = async ({ uuid }: Home) => await world.adminKey(uuid, "ann");

async function write(home: Home, authorId: string, ...data: unknown[]): Promise<string[]> {
  const author = { organization: await organizationOf(table(), home.uuid), authorId };
  const { results } = await verbsOf(table()).post(author, ...data);
  return results.map(({ id, error }) => {
    if (id === null || error) throw new Error(error?.message);
    return id;
  });
}

const texts = (answer: { json: unknown }) => pageOf(answer).data.map(({ learning }) => learning);

describe("filters", () => {
  let home: Home;
  let key: string;
  beforeAll(async () => {
    home = await newHome(world);
    key = await keyOf(home);
    await world.repository(home.name, "repo-2", { full_name: "Group/Second" });
    await write(
      home,
      "ann",
      item("Use the Logger, not console", { file: "src/a,b.ts" }),
      item("Prefer early returns"),
    );
    await write(
      home,
      "bob",
      item("Logger in tests too", { repository_id: "repo-2", file: "src/b.ts" }),
      item("ÄÖÜ are letters"),
    );
  });
  const get = (query: string) => api.call(`/v1/learnings${query}`, { key });

  test.each([
    ["", 4],
    ["?repository_ids=repo-2", 1],
    ["?repository_ids=repo-1,repo-2,unknown", 4],
    ["?user_ids=bob", 2],
    ["?user_ids=bob&repository_ids=repo-1", 1],
    ["?search=logger", 2],
    ["?search=LOGGER%20%20console", 1],
    ["?search=äö", 1],
    ["?search=ogge", 2],
    // Decomposed, as some keyboards send it, and full-width.
    [`?search=${encodeURIComponent("a\u0308o\u0308")}`, 1],
    [`?search=${encodeURIComponent("ｌｏｇｇｅｒ")}`, 2],
    ["?search=absent", 0],
    ["?file=src/a,b.ts", 1],
    ["?file=src/a,b.ts&file=src/b.ts", 2],
    ["?file=src", 0],
    ["?stat_filter=total", 4],
    ["?stat_filter=never_used", 4],
    ["?stat_filter=active", 0],
    ["?stat_filter=created_this_week", 4],
    ["?org_id=ignored-with-this-key", 4],
  ])("the query %s finds %i", async (query, count) => {
    const answer = await get(query);
    expect(answer.status).toBe(200);
    expect(texts(answer)).toHaveLength(count);
  });

  test.each([
    "?limit=0",
    "?limit=1001",
    "?limit=1e2",
    "?stat_filter=sometimes",
    "?search=",
    `?search=${"x".repeat(201)}`,
    `?repository_ids=${"r,".repeat(10)}r`,
    `?file=${Array.from({ length: 11 }, (_, index) => index).join("&file=")}`,
    "?file=",
    "?search=a&search=b",
    "?cursor=nonsense",
    "?organization_ids=1",
    "?format=xml",
    "?text=x",
  ])("the query %s is a 400", async (query) => {
    expect((await get(query)).status).toBe(400);
  });

  test("every page of a filtered walk has only matching Learnings", async () => {
    const first = await get("?search=logger&limit=1");
    const { next_cursor } = pageOf(first);
    const second = await get(`?search=logger&limit=1&cursor=${next_cursor}`);
    expect([...texts(first), ...texts(second)]).toEqual([
      "Use the Logger, not console",
      "Logger in tests too",
    ]);
    expect(pageOf(second).next_cursor).toBeNull();
    const other = await get(`?search=other&cursor=${next_cursor}`);
    expect(other.codes).toEqual(["INVALID_CURSOR"]);
  });

  test("use appears in the record and in the filters, and is counted once per event", async () => {
    const [used, other] = await write(home, "ann", item("used"), item("used long ago"));
    const sendUse = (learning_id: string | undefined, used_at: string, count: number) =>
      world.sendEvent("learning.used", { ...home.name, learning_id, used_at, count });
    const now = new Date().toISOString();
    await sendUse(used?.toUpperCase(), now, 3);
    await sendUse(used, "2026-01-01T10:00:00+02:00", 2);
    await sendUse(other, "2026-01-01T00:00:00Z", 1);
    await sendUse("00000000-0000-4000-8000-000000000000", now, 1);
    const records = new Map(pageOf(await get("")).data.map((record) => [record.learning, record]));
    expect(records.get("used")).toMatchObject({ usage_count: 5, last_used_at: now });
    expect(records.get("used long ago")).toMatchObject({
      usage_count: 1,
      last_used_at: "2026-01-01T00:00:00.000Z",
    });
    expect(texts(await get("?stat_filter=active"))).toEqual(["used"]);
    expect(texts(await get("?stat_filter=never_used"))).not.toContain("used");
    expect(texts(await get("")).slice(-2)).toEqual(["used", "used long ago"]);
    await checkTable(table());
  });
});

test("an unknown name hides no Learning: the repository's id replaces its name, the author's name is null", async () => {
  const home = await newHome(world);
  await write(home, "bob", item("kept"));
  await table().writeMany(
    [
      kinds.repository.key({ organization: home.uuid, repositoryId: "repo-1" }),
      kinds.member.key({ organization: home.uuid, userId: "bob" }),
    ].map((key) => ({ delete: key })),
  );
  expect(pageOf(await api.call("/v1/learnings", { key: await keyOf(home) })).data).toMatchObject([
    { learning: "kept", repository_id: "repo-1", repository_name: "repo-1", repository_short_name: "repo-1" },
  ]);
});

describe("formats", () => {
  test("CSV has the record's fields in order, escaped, and the cursor in a header", async () => {
    const home = await newHome(world);
    const key = await keyOf(home);
    await write(home, "ann", item('=1+1, "quoted"\nline', { file: "@a.ts" }), item("second"));
    const answer = await api.call("/v1/learnings?format=csv&limit=1", { key });
    expect(answer.headers["content-type"]).toBe("text/csv; charset=utf-8");
    expect(answer.headers["x-next-cursor"]).toBeDefined();
    const [header, row] = answer.body.toString().split(/\r\n/);
    expect(header).toBe(
      "id,learning,organization_id,organization_name,repository_id,repository_name,author_id,author_username," +
        "file,source_url,usage_count,last_used_at,created_at,updated_at,provider,repository_short_name",
    );
    expect(row).toContain(`,"'=1+1, ""quoted""\nline",`);
    expect(row).toContain(",'@a.ts,,0,,");
    const last = await api.call(`/v1/learnings?format=csv&cursor=${answer.headers["x-next-cursor"]}`, {
      key,
    });
    expect(last.headers["x-next-cursor"]).toBeUndefined();
    expect(last.headers["x-resume-cursor"]).toBeDefined();
  });

  test("NDJSON is one record a line", async () => {
    const home = await newHome(world);
    await write(home, "ann", item("one"), item("two 𝒳"));
    const answer = await api.call("/v1/learnings?format=ndjson", { key: await keyOf(home) });
    expect(answer.headers["content-type"]).toBe("application/x-ndjson");
    const lines = answer.body.toString().trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).learning)).toEqual(["one", "two 𝒳"]);
  });
});

describe("scopes", () => {
  test("a workspace token reads all its organizations in write order, or the one it names", async () => {
    const workspace_id = await world.workspace("readers");
    const [one, two] = [await newHome(world, { workspace_id }), await newHome(world, { workspace_id })];
    const poor = await newHome(world, { workspace_id, plan: "pro" });
    await write(one, "ann", item("1"));
    await write(two, "ann", item("2"));
    await write(poor, "ann", item("not enterprise"));
    await write(one, "ann", item("3"));
    const { text: key } = await world.token(workspace_id);
    const all = await api.call("/v1/learnings", { key });
    expect(texts(all)).toEqual(["1", "2", "3"]);
    expect(pageOf(all).data.map(({ organization_id }) => organization_id)).toEqual(
      [one, two, one].map(({ name }) => name.provider_organization_id),
    );
    const named = await api.call(`/v1/learnings?org_id=${two.name.provider_organization_id}`, { key });
    expect(texts(named)).toEqual(["2"]);
    const walk: string[] = [];
    for (let cursor = ""; ; ) {
      const page: Answer = await api.call(`/v1/learnings?limit=1${cursor}`, { key });
      walk.push(...texts(page));
      const { next_cursor } = pageOf(page);
      if (next_cursor === null) break;
      cursor = `&cursor=${next_cursor}`;
    }
    expect(walk).toEqual(["1", "2", "3"]);
  });

  test("an instance key reads its authorized organizations, narrowed by organization_ids", async () => {
    const instance_id = await world.instance("reading");
    const homes: Home[] = [];
    for (const id of ["h1", "h2", "h3"]) {
      const name = gitlab(instance_id, id);
      const uuid = await world.organization(id, { instance_id });
      await world.member(name, "ann", { role: "cr_admin" });
      await world.repository(name, "repo-1");
      const home = { uuid, name, repository: "repo-1" };
      await write(home, "ann", item(`of ${id}`));
      homes.push(home);
    }
    const [home = "", second = ""] = homes.map(({ uuid }) => uuid);
    const { text: key } = await world.key({
      kind: "instance",
      instanceId: instance_id,
      home,
      authorized: [home, second],
      owner: "ann",
      role: "cr_admin",
    });
    expect(texts(await api.call("/v1/learnings", { key }))).toEqual(["of h1", "of h2"]);
    expect(texts(await api.call("/v1/learnings?organization_ids=h2,none", { key }))).toEqual(["of h2"]);
    expect((await api.call("/v1/learnings?organization_ids=h3", { key })).codes).toEqual([
      "ORGANIZATION_FORBIDDEN",
    ]);
    expect((await api.call("/v1/learnings?organization_ids=none", { key })).codes).toEqual([
      "ORGANIZATION_NOT_FOUND",
    ]);
  });

  test("an organization keeps its Learnings when it changes tenant", async () => {
    const [from, to] = [await world.workspace("moving-from"), await world.workspace("moving-to")];
    const home = await newHome(world, { workspace_id: from });
    const stays = await newHome(world, { workspace_id: from });
    await write(home, "ann", item("moves"), item("moves too"));
    await write(stays, "ann", item("stays"));
    const [oldToken, newToken] = [await world.token(from), await world.token(to)];
    await world.organization(home.name.provider_organization_id, { workspace_id: to });
    expect(texts(await api.call("/v1/learnings", { key: oldToken.text }))).toEqual(["stays"]);
    expect(texts(await api.call("/v1/learnings", { key: newToken.text }))).toEqual(["moves", "moves too"]);
    await world.organization(home.name.provider_organization_id, { workspace_id: null });
    expect((await api.call("/v1/learnings", { key: newToken.text })).status).toBe(403);
    expect(texts(await api.call("/v1/learnings", { key: await keyOf(home) }))).toEqual([
      "moves",
      "moves too",
    ]);
    await checkTable(table());
  });
});

describe("repository_name", () => {
  test("repository_name needs a user key that can read the repository; unknown and unreadable look the same", async () => {
    const workspace_id = await world.workspace("naming");
    const home = await newHome(world, { workspace_id });
    await world.repository(home.name, "repo-2", { full_name: "Group/Second" });
    await world.repository(home.name, "repo-3", { full_name: "group/retired", active: false });
    await world.member(home.name, "bob", { readable_repository_ids: ["repo-1"] });
    await write(home, "ann", item("in one"), item("in two", { repository_id: "repo-2" }));
    const [bob, ann] = await Promise.all(
      ["bob", "ann"].map((owner) => world.key({ kind: "user", organization: home.uuid, owner })),
    );
    const get = (key: string | undefined, name: string, more = "") =>
      api.call(`/v1/learnings?repository_name=${encodeURIComponent(name)}${more}`, key ? { key } : {});
    expect(texts(await get(bob?.text, "GROUP/repository-repo-1"))).toEqual(["in one"]);
    expect(texts(await get(ann?.text, "group/second"))).toEqual(["in two"]);
    expect(texts(await get(ann?.text, "group/second", "&repository_ids=repo-1"))).toEqual([]);
    const unreadable = await get(bob?.text, "group/second");
    const unknown = await get(bob?.text, "group/none");
    const retired = await get(ann?.text, "group/retired");
    expect([unreadable.status, unreadable.codes]).toEqual([403, ["PERMISSION_DENIED"]]);
    expect(unknown.body).toEqual(unreadable.body);
    // Learnings of an inactive repository stay readable; this one has none.
    expect([retired.status, texts(retired)]).toEqual([200, []]);
    const token = await world.token(workspace_id);
    const others = [
      await get(await keyOf(home), "group/second"),
      await get(token.text, "group/second", `&org_id=${home.name.provider_organization_id}`),
      // The kind of key is checked before the rest of the request.
      await get(token.text, "group/second", "&limit=0"),
      await get((await world.key({ kind: "legacy", organization: home.uuid })).text, "group/second"),
    ];
    for (const answer of others) expect([answer.status, answer.codes]).toEqual([403, ["KEY_TYPE_FORBIDDEN"]]);
  });

  test("a user key needs learning:read even without repository_name", async () => {
    const home = await newHome(world);
    await world.member(home.name, "cass", { role: "cr_billing_admin" });
    const { text: key } = await world.key({ kind: "user", organization: home.uuid, owner: "cass" });
    expect((await api.call("/v1/learnings", { key })).codes).toEqual(["PERMISSION_DENIED"]);
  });
});

describe("resuming", () => {
  test("a resumed walk repeats the last two minutes and misses nothing", async () => {
    const home = await newHome(world);
    const key = await keyOf(home);
    const [first] = await write(home, "ann", item("old"), item("older text"));
    await backdate(home, first ?? "", 3_600_000);
    const last = await api.call("/v1/learnings", { key });
    expect(pageOf(last).next_cursor).toBeNull();
    const resume = last.headers["x-resume-cursor"];
    await write(home, "ann", item("new"));
    const again = await api.call(`/v1/learnings?cursor=${resume}`, { key });
    expect(texts(again)).toEqual(["older text", "new"]);
    // A writer that started before the last page was read, and finished after it.
    const [late] = await write(home, "ann", item("late"));
    await backdate(home, late ?? "", 60_000);
    const resumed = await api.call(`/v1/learnings?cursor=${again.headers["x-resume-cursor"]}`, { key });
    expect(texts(resumed)).toContain("late");
  });

  test("a long walk is resumed from before its first unsettled page", async () => {
    const home = await newHome(world);
    const key = await keyOf(home);
    await write(home, "ann", item("1"), item("2"), item("3"));
    const first = await api.call("/v1/learnings?limit=1", { key });
    const second = await api.call(`/v1/learnings?limit=1&cursor=${pageOf(first).next_cursor}`, { key });
    // Started before the first page was read, and became visible behind the walk's position.
    const [late] = await write(home, "ann", item("late"));
    await backdate(home, late ?? "", 30_000);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 600_000 });
    const third = await api.call(`/v1/learnings?limit=5&cursor=${pageOf(second).next_cursor}`, { key });
    expect([first, second, third].flatMap(texts)).toEqual(["1", "2", "3"]);
    const resumed = await api.call(`/v1/learnings?cursor=${third.headers["x-resume-cursor"]}`, { key });
    expect(texts(resumed)).toEqual(["late", "1", "2", "3"]);
    const again = await api.call(`/v1/learnings?cursor=${resumed.headers["x-resume-cursor"]}`, { key });
    expect(texts(again)).toEqual([]);
    vi.useRealTimers();
  });

  test("an empty export can be resumed", async () => {
    const home = await newHome(world);
    const key = await keyOf(home);
    const empty = await api.call("/v1/learnings", { key });
    expect(texts(empty)).toEqual([]);
    await write(home, "ann", item("first ever"));
    const resumed = await api.call(`/v1/learnings?cursor=${empty.headers["x-resume-cursor"]}`, { key });
    expect(texts(resumed)).toEqual(["first ever"]);
  });

  /** A write whose clock was read this long ago. */
  async function backdate(home: Home, id: string, ms: number): Promise<void> {
    const learning = await learningOf(table(), home.uuid, id);
    if (!learning?.listed) throw new Error("It is not listed.");
    const [time = "", nn = "0"] = learning.listed.place.split("#");
    const place = learningPlace(new Date(Date.parse(time) - ms).toISOString(), Number(nn), id);
    const owner = organizationTenant(home.uuid);
    const moved = parseLearning({ ...learning, listed: { ...learning.listed, place } });
    await table().writeMany([
      { delete: kinds.listedLearning.key({ tenant: owner, place: learning.listed.place }) },
      { put: { ...moved, ...kinds.listedLearning.key({ tenant: owner, place }) } },
      { put: moved },
    ]);
  }
});
