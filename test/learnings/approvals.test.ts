import { describe, expect, test, vi } from "vitest";
import * as z from "zod";
import * as itemKinds from "../../lib/contract/items.ts";
import { learningDetail } from "../../lib/contract/records-learnings.ts";
import { localEmbedder } from "../../lib/index/local-embedder.ts";
import { reconcileAll } from "../../lib/index/reconcile.ts";
import { approveDue } from "../../lib/learnings/approval.ts";
import { required } from "../../lib/runtime/required.ts";
import { useApi } from "../support/api.ts";
import { TestClock } from "../support/clock.ts";
import { World } from "../support/world.ts";
import { checkTable } from "./check-table.ts";
import { type Home, item, newHome, pageOf, recordOf, resultsOf } from "./fixture.ts";

const api = useApi();
const world = new World(() => api.store().table);
const table = () => api.store().table;

const capture = (home: Home, learning: string, more: object = {}) =>
  world.learning(home.name, learning, { repository_id: "repo-1", author_id: "bob", ...more });

async function careful() {
  const home = await newHome(world, { approval_delay_days: 3 });
  const [admin, member] = await Promise.all([
    world.key({ kind: "user", organization: home.uuid, owner: "ann" }),
    world.key({ kind: "user", organization: home.uuid, owner: "bob" }),
  ]);
  const pending = (query = "", key = admin.text) => api.call(`/v1/learnings?state=pending${query}`, { key });
  const decide = (id: string, decision: string, key = admin.text) =>
    api.call(`/v1/learnings/${id}/approval`, { key, body: { decision } });
  const get = (id: string, key = admin.text) => api.call(`/v1/learnings/${id}`, { key });
  return { home, admin: admin.text, member: member.text, pending, decide, get };
}
/** The reconciler indexes the approved Learnings. */
async function settled(): Promise<void> {
  await reconcileAll({ ...world.deps, embedder: localEmbedder });
  await checkTable(table(), { embedder: localEmbedder });
}
const detailOf = (answer: { json: unknown }) => learningDetail.parse(answer.json);
const pendingOf = (answer: { json: unknown }) =>
  z
    .object({
      data: z.array(z.looseObject({ id: z.string(), learning: z.string(), approve_at: z.string() })),
      next_cursor: z.string().nullable(),
    })
    .parse(answer.json);

describe("Learnings that wait", () => {
  test("pending Learnings are listed for admins page by page with their deadline, and are in no export", async () => {
    const { home, pending, admin } = await careful();
    for (const text of ["one", "two", "three"]) await capture(home, text);
    const first = await pending("&limit=2");
    expect(first.headers).not.toHaveProperty("x-resume-cursor");
    const { data, next_cursor } = pendingOf(first);
    const rest = pendingOf(await pending(`&limit=2&cursor=${next_cursor}`));
    expect([...data, ...rest.data].map(({ learning }) => learning).toSorted()).toEqual([
      "one",
      "three",
      "two",
    ]);
    expect(rest.next_cursor).toBeNull();
    const deadlines = [...data, ...rest.data].map(({ approve_at }) => approve_at);
    expect(deadlines).toEqual(deadlines.toSorted());
    expect(pageOf(await api.call("/v1/learnings?state=approved", { key: admin })).data).toEqual([]);
  });

  test("the CSV of pending Learnings has their deadline as its last column, that of others does not", async () => {
    const { home, pending, admin } = await careful();
    await capture(home, "Wait for me.");
    const rows = (answer: { body: Buffer }) => answer.body.toString().trimEnd().split("\r\n");
    const [heading, row] = rows(await pending("&format=csv"));
    const deadline = pendingOf(await pending()).data[0]?.approve_at;
    expect([heading?.split(",").at(-1), row?.split(",").at(-1)]).toEqual(["approve_at", deadline]);
    const [usual] = rows(await api.call("/v1/learnings?format=csv", { key: admin }));
    expect(usual).not.toContain("approve_at");
  });

  test("pending Learnings are not shown to members, legacy keys, or admins who cannot read the repository", async () => {
    const { home, pending, member, decide, admin } = await careful();
    await capture(home, "secret plan");
    const { text: legacy } = await world.key({ kind: "legacy", organization: home.uuid });
    expect((await pending("", member)).codes).toEqual(["NOT_ADMIN"]);
    expect((await pending("", legacy)).codes).toEqual(["KEY_TYPE_FORBIDDEN"]);
    const id = pendingOf(await pending()).data[0]?.id ?? "";
    expect((await decide(id, "approve", member)).codes).toEqual(["NOT_ADMIN"]);
    await world.member(home.name, "ann", { role: "cr_admin", readable_repository_ids: [] });
    expect(pendingOf(await pending("", admin)).data).toEqual([]);
    expect((await decide(id, "approve")).codes).toEqual(["LEARNING_NOT_FOUND"]);
  });

  test("pending Learnings of several organizations are merged by deadline for a workspace token", async () => {
    await world.workspace("careful-space");
    const space = { workspace_id: "careful-space", approval_delay_days: 3 };
    const [one, two] = [await newHome(world, space), await newHome(world, space)];
    for (const [home, text] of [
      [one, "a"],
      [two, "b"],
      [one, "c"],
      [two, "d"],
    ] as const)
      await capture(home, text);
    const { text: key } = await world.token("careful-space");
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const answer = await api.call(`/v1/learnings?state=pending&limit=1${cursor && `&cursor=${cursor}`}`, {
        key,
      });
      const page = pendingOf(answer);
      seen.push(...page.data.map(({ learning }) => learning));
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(["a", "b", "c", "d"]);
  });

  test("the same cursor catches up pending Learnings of an organization that becomes visible during the walk", async () => {
    await world.workspace("growing-space");
    const space = { workspace_id: "growing-space", approval_delay_days: 3 };
    const [late, first] = [await newHome(world, { ...space, active: false }), await newHome(world, space)];
    for (const [home, text] of [
      [late, "a"],
      [late, "b"],
      [first, "c"],
      [first, "d"],
      [late, "e"],
    ] as const)
      await capture(home, text);
    const { text: key } = await world.token("growing-space");
    const read = async (cursor: string) =>
      pendingOf(
        await api.call(`/v1/learnings?state=pending&limit=1${cursor && `&cursor=${cursor}`}`, { key }),
      );
    const begun = await read("");
    expect(begun.data.map(({ learning }) => learning)).toEqual(["c"]);
    await world.organization(late.name.provider_organization_id, space);
    const seen: string[] = [];
    for (let cursor = begun.next_cursor; cursor !== null; ) {
      const page = await read(cursor);
      seen.push(...page.data.map(({ learning }) => learning));
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(["a", "b", "d", "e"]);
  });

  test("repository_name lists only that repository's pending Learnings; an unknown name is refused", async () => {
    const { home, pending } = await careful();
    await world.repository(home.name, "repo-2", { full_name: "group/second" });
    await capture(home, "first");
    await capture(home, "second", { repository_id: "repo-2" });
    const named = pendingOf(await pending("&repository_name=Group/Second"));
    expect(named.data.map(({ learning }) => learning)).toEqual(["second"]);
    expect((await pending("&repository_name=group/none")).codes).toEqual(["PERMISSION_DENIED"]);
  });

  test("the list omits a Learning that is deleted while the page is read", async () => {
    const { home, pending } = await careful();
    for (const text of ["kept", "deleted"]) await capture(home, text);
    const [, deleted] = pendingOf(await pending()).data;
    const key = itemKinds.learning.key({ organization: home.uuid, learningId: deleted?.id ?? "" });
    const record = await table().get(key);
    await table().write({ delete: key });
    expect(pendingOf(await pending()).data.map(({ learning }) => learning)).toEqual(["kept"]);
    // Other tests check the whole table.
    if (record) await table().write({ put: record });
  });

  test("a deadline approves a Learning: it leaves the pending list, and the audit log names the deadline", async () => {
    const { home, pending, get, admin } = await careful();
    await capture(home, "due");
    const { id, approve_at } = required(pendingOf(await pending()).data[0], "the pending Learning");
    expect(detailOf(await get(id)).state).toBe("pending");
    const clock = new TestClock(new Date(Date.now() + 4 * 86_400_000).toISOString());
    await approveDue({ ...world.deps, clock }, () => {});
    expect(pendingOf(await pending()).data).toEqual([]);
    expect(detailOf(await get(id)).state).toBe("approved");
    vi.useFakeTimers({ toFake: ["Date"], now: clock.nowMs() });
    const log = await api.call("/v1/audit-logs?actions=learning.approved", { key: admin });
    vi.useRealTimers();
    expect(log.json).toMatchObject({
      data: [
        {
          resource_id: id,
          actor: { type: "system", name: "deadline", key_id: null },
          metadata: { approve_at },
        },
      ],
    });
    await settled();
  });
});

describe("a decision", () => {
  test.each([
    ["approve", "approved"],
    ["disapprove", "disapproved"],
  ])("decision %s: the Learning is %s once, and the audit log names the admin", async (decision, state) => {
    const { home, pending, decide, get, admin } = await careful();
    await capture(home, "decide me");
    const id = pendingOf(await pending()).data[0]?.id ?? "";
    expect(detailOf(await decide(id, decision))).toMatchObject({ id, state, learning: "decide me" });
    expect(detailOf(await decide(id, decision)).state).toBe(state);
    const other = decision === "approve" ? "disapprove" : "approve";
    const refused = await decide(id, other);
    expect([refused.status, refused.codes]).toEqual([409, ["LEARNING_NOT_PENDING"]]);
    expect(detailOf(await get(id)).state).toBe(state);
    expect(pendingOf(await pending()).data).toEqual([]);
    const log = await api.call(`/v1/audit-logs?actions=learning.${state}`, { key: admin });
    const { data } = z.object({ data: z.array(z.looseObject({ actor: z.unknown() })) }).parse(log.json);
    expect(data).toEqual([
      expect.objectContaining({
        resource_id: id,
        actor: expect.objectContaining({ type: "user", id: "ann" }),
      }),
    ]);
    await settled();
  });
});

describe("PATCH", () => {
  test("PATCH sets and clears file and source, keeps omitted fields, and redacts both", async () => {
    const { admin, get } = await careful();
    const posted = await api.call("/v1/learnings", {
      key: admin,
      body: { data: [item("text", { file: "a.ts", source_url: "https://example.com/1" })] },
    });
    const id = resultsOf(posted).results[0]?.id ?? "";
    const patch = async (body: object) =>
      recordOf(await api.call(`/v1/learnings/${id}`, { method: "PATCH", key: admin, body }));
    expect(await patch({ learning: "text", file: "b.ts" })).toMatchObject({
      file: "b.ts",
      source_url: "https://example.com/1",
    });
    expect(await patch({ learning: "other", source_url: null })).toMatchObject({
      learning: "other",
      file: "b.ts",
      source_url: null,
    });
    const token = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
    const { source_url } = await patch({ learning: "other", source_url: `https://${token}@example.com/x` });
    expect(source_url).not.toContain(token);
    expect(detailOf(await get(id))).toMatchObject({ learning: "other", file: "b.ts", source_url });
    const file = encodeURIComponent("b.ts");
    const found = pageOf(await api.call(`/v1/learnings?file=${file}`, { key: admin }));
    expect(found.data.map((each) => each.id)).toEqual([id]);
    await settled();
  });
});

test("an exported text can be sent again, even if redaction marks made it longer", async () => {
  const { admin } = await careful();
  const token = (index: number) => `ghp_${String(index).padStart(6, "0")}${"a1B2c3D4e5".repeat(3)}`;
  const learning =
    `${Array.from({ length: 200 }, (_, index) => token(index)).join(" ")} ${"x ".repeat(890)}`.trim();
  const post = async (text: string) =>
    resultsOf(await api.call("/v1/learnings", { key: admin, body: { data: [item(text)] } })).results[0];
  const first = await post(learning);
  expect(first).toMatchObject({ status: "created", redacted: ["github_token"] });
  const marks = "[REDACTED:github_token] ".repeat(500);
  const full = `${marks}${"y".repeat(9_500)}`;
  expect(full.length).toBeGreaterThan(10_000);
  expect(await post(full)).toMatchObject({ status: "created" });
  expect((await post(`${"y".repeat(10_001)}`))?.error?.code).toBe("INVALID_ITEM");
  expect((await post("[REDACTED:github_token]".repeat(2_000)))?.error?.code).toBe("INVALID_ITEM");
});

test("each result of a POST lists the kinds of credentials that were redacted in its text", async () => {
  const { admin } = await careful();
  const token = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
  const data = [item(`use ${token}`), item("nothing secret"), item(`use ${token}`, { extra: 1 })];
  const { results } = resultsOf(await api.call("/v1/learnings", { key: admin, body: { data } }));
  expect(results.map(({ status, redacted }) => [status, redacted])).toEqual([
    ["created", ["github_token"]],
    ["created", undefined],
    ["failed", ["github_token"]],
  ]);
});

test("a walk through pending Learnings shows every one once, even if an organization leaves meanwhile", async () => {
  await world.workspace("shrinking-space");
  const space = { workspace_id: "shrinking-space", approval_delay_days: 3 };
  const [late, first] = [await newHome(world, { ...space, active: false }), await newHome(world, space)];
  for (const text of ["a", "b"]) await capture(late, text);
  for (const text of ["c", "d"]) await capture(first, text);
  const { text: key } = await world.token("shrinking-space");
  const lateId = late.name.provider_organization_id;
  const seen: string[] = [];
  for (let cursor: string | null = "", page = 0; cursor !== null; page++) {
    if (page === 1) await world.organization(lateId, space);
    if (page === 2) await world.organization(lateId, { ...space, active: false });
    const query: string = `state=pending&limit=1${cursor && `&cursor=${cursor}`}`;
    const { data, next_cursor } = pendingOf(await api.call(`/v1/learnings?${query}`, { key }));
    seen.push(...data.map(({ learning }) => learning));
    cursor = next_cursor;
  }
  expect(seen).toEqual(["c", "a", "d"]);
});
