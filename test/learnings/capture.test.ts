import { describe, expect, test } from "vitest";
import { operator } from "../../lib/audit/entry.ts";
import * as kinds from "../../lib/contract/items.ts";
import { organizationTenant } from "../../lib/contract/tenants.ts";
import { eventTypes } from "../../lib/events/event-types.ts";
import { localEmbedder } from "../../lib/index/local-embedder.ts";
import { reconcileAll } from "../../lib/index/reconcile.ts";
import { approveDue, decideLearning, pendingLearnings } from "../../lib/learnings/approval.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { parseLearning } from "../../lib/store/items/learning.ts";
import { StoreMeter } from "../../lib/store/meter.ts";
import { queryAll, type Table } from "../../lib/store/table.ts";
import { TestClock } from "../support/clock.ts";
import { useStore } from "../support/engine.ts";
import { finalized as finalizedData } from "../support/event-data.ts";
import { organizationOf } from "../support/stored.ts";
import { World } from "../support/world.ts";
import { checkTable } from "./check-table.ts";
import { type Home, item, newHome, verbsOf } from "./fixture.ts";

const clock = new TestClock();
const store = useStore({ clock });
const world = new World(() => store().table, clock);
const days = (count: number) => count * 86_400_000;
const pr = "https://git.example.com/group/repository-1/pull/7";

/** An event that the tests can deliver any number of times. */
type TestEvent = {
  readonly type: string;
  readonly id: string;
  readonly version: string;
  readonly data: unknown;
};
const event = (type: string, data: object, occurredAt = new Date(clock.nowMs()).toISOString()): TestEvent => {
  const id = systemRandom.uuid();
  return { type, id, version: `${occurredAt}#${id}`, data };
};
async function deliver({ type, id, version, data }: TestEvent): Promise<void> {
  const known = eventTypes[type];
  if (!known) throw new Error(`There is no type ${type}.`);
  await known.apply(world.deps, [{ id, version, data: known.schema.parse(data) }]);
}

const captured = (home: Home, learning: string, more: object = {}, occurredAt?: string) =>
  event(
    "learning.captured",
    { ...home.name, repository_id: "repo-1", learning, author_id: "bob", source: "chat", ...more },
    occurredAt,
  );
const inPullRequest = (home: Home, learning: string, pr_url = pr, occurredAt?: string) =>
  captured(home, learning, { source: "pull_request", pr_url }, occurredAt);
const finalized = (home: Home, status: "merged" | "closed", pr_url = pr, occurredAt?: string) => {
  const at = new Date(clock.nowMs()).toISOString();
  const merged_at = status === "merged" ? at : null;
  const ended = { pr_url, created_at: at, merged_at, closed_at: at, status, reviewed: false };
  return event(
    "pull_request.finalized",
    finalizedData(home.name, 7, { repository_id: "repo-1", author_id: "bob", comments: [], ...ended }),
    occurredAt,
  );
};

const learnings = async ({ uuid }: Home) =>
  (
    await Array.fromAsync(queryAll(store().table, { pk: kinds.learning.partition({ organization: uuid }) }))
  ).map(parseLearning);
const states = async (home: Home) =>
  Object.fromEntries((await learnings(home)).map(({ text, state }) => [text, state]));
const changing = () => ({ ...world.deps, actor: operator, ipAddress: null, requestId: null });
const noFault = (_: string, error: unknown) => {
  throw error;
};

describe("a Learning from a chat", () => {
  test("a chat Learning without a delay is shared at once, with its author, and the reconciler indexes it", async () => {
    const home = await newHome(world);
    await deliver(captured(home, "  Be kind.  ", { file: "a.ts", source_url: "https://example.com/1" }));
    expect(await learnings(home)).toMatchObject([
      {
        text: "Be kind.",
        state: "approved",
        author_id: "bob",
        file: "a.ts",
        source_url: "https://example.com/1",
      },
    ]);
    await reconcileAll({ ...world.deps, embedder: localEmbedder });
    await checkTable(store().table, { embedder: localEmbedder });
  });

  test.each([
    ["the organization's delay", { approval_delay_days: 3 }, {}, 3],
    ["the repository's own delay", { approval_delay_days: 3 }, { approval_delay_days: 1 }, 1],
    ["a repository's delay where the organization has none", {}, { approval_delay_days: 30 }, 30],
  ])(
    "a chat Learning waits for %s, and the first run after it approves the Learning",
    async (_, organization, repository, delay) => {
      const home = await newHome(world, organization, repository);
      await deliver(captured(home, "patience"));
      const before = clock.nowMs();
      expect(await states(home)).toEqual({ patience: "pending" });
      clock.advance(days(delay) - (clock.nowMs() - before) - 1);
      expect(await approveDue(world.deps, noFault)).toEqual({ approved: 0 });
      clock.advance(2);
      expect(await states(home)).toEqual({ patience: "pending" });
      expect(await approveDue(world.deps, noFault)).toEqual({ approved: 1 });
      expect(await states(home)).toEqual({ patience: "approved" });
      expect(await approveDue(world.deps, noFault)).toEqual({ approved: 0 });
      await checkTable(store().table);
    },
  );

  test.each(["2040-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"])(
    "a chat Learning dated %s waits for exactly the delay",
    async (occurredAt) => {
      const home = await newHome(world, { approval_delay_days: 3 });
      await deliver(captured(home, "ahead of time", {}, occurredAt));
      expect(await approveDue(world.deps, noFault)).toEqual({ approved: 0 });
      clock.advance(days(3));
      expect(await approveDue(world.deps, noFault)).toEqual({ approved: 1 });
      await checkTable(store().table);
    },
  );

  test("a chat Learning does not wait if the repository overrides the organization's delay", async () => {
    const home = await newHome(world, { approval_delay_days: 5 }, { approval_delay_days: 0 });
    await deliver(captured(home, "at once"));
    expect(await states(home)).toEqual({ "at once": "approved" });
  });

  test("an admin approves or disapproves a chat Learning once, and the audit log records it", async () => {
    const home = await newHome(world, { approval_delay_days: 5 });
    await deliver(captured(home, "yes"));
    await deliver(captured(home, "no"));
    await deliver(captured(await newHome(world, { approval_delay_days: 5 }), "of somebody else"));
    const waitingIn = (organization?: string) =>
      Array.fromAsync(pendingLearnings(store().table, organization === undefined ? {} : { organization }));
    const waiting = await waitingIn(home.uuid);
    expect(waiting.map(({ text }) => text).sort()).toEqual(["no", "yes"]);
    expect((await waitingIn()).map(({ text }) => text)).toEqual(
      expect.arrayContaining(["no", "yes", "of somebody else"]),
    );
    const id = (text: string) => waiting.find((each) => each.text === text)?.id ?? "";
    const decide = (text: string, decision: "approved" | "disapproved") =>
      decideLearning(changing(), home.uuid, id(text), decision);
    expect(await decide("yes", "approved")).toBe("approved");
    expect(await decide("no", "disapproved")).toBe("disapproved");
    expect(await decide("no", "approved")).toBe("not_pending");
    expect(await decideLearning(changing(), home.uuid, systemRandom.uuid(), "approved")).toBe("not_found");
    expect(await states(home)).toEqual({ yes: "approved", no: "disapproved" });
    clock.advance(days(6));
    await approveDue(world.deps, noFault);
    expect(await states(home)).toEqual({ yes: "approved", no: "disapproved" });
    await checkTable(store().table);
  });

  test("a damaged row among the due Learnings is reported and does not block the others", async () => {
    const home = await newHome(world, { approval_delay_days: 1 });
    await deliver(captured(home, "due"));
    const damaged = { pk: "PENDING", sk: "2020-01-01T00:00:00.000Z#o#the-id" };
    await store().table.write({ put: damaged });
    clock.advance(days(2));
    const faults: string[] = [];
    await approveDue(world.deps, (id) => faults.push(id));
    await store().table.write({ delete: damaged });
    expect(faults).toEqual(["the-id"]);
    expect(await states(home)).toEqual({ due: "approved" });
  });

  test("a pending Learning is found by its id, or with its organization's id, in two trips however many wait", async () => {
    const home = await newHome(world, { approval_delay_days: 5 });
    for (const text of ["one", "two", "three"]) await deliver(captured(home, text));
    const [learning] = await learnings(home);
    const meter = new StoreMeter();
    const find = (wanted: Parameters<typeof pendingLearnings>[1]) =>
      Array.fromAsync(pendingLearnings(store().table.metered(meter), wanted));
    expect(await find({ id: learning?.id ?? "" })).toEqual([learning]);
    expect(await find({ organization: home.uuid })).toHaveLength(3);
    expect(meter.calls.map(({ operation }) => operation)).toEqual([
      "Query",
      "BatchGetItem",
      "Query",
      "BatchGetItem",
    ]);
  });

  test("an admin and the schedule at the same moment decide a Learning once", async () => {
    const home = await newHome(world, { approval_delay_days: 1 });
    await deliver(captured(home, "contested"));
    const [learning] = await learnings(home);
    clock.advance(days(1) + 1);
    const [decision] = await Promise.all([
      decideLearning(changing(), home.uuid, learning?.id ?? "", "disapproved"),
      approveDue(world.deps, noFault),
    ]);
    expect(await states(home)).toEqual({
      contested: decision === "disapproved" ? "disapproved" : "approved",
    });
    await checkTable(store().table);
  });

  test("a Learning deleted and captured again during a scheduled run waits again", async () => {
    const home = await newHome(world, { approval_delay_days: 1 });
    const { table } = store();
    await deliver(captured(home, "second thoughts"));
    const [before] = await learnings(home);
    clock.advance(days(1) + 1);
    const getMany: Table["getMany"] = async (keys, ...rest) => {
      if (
        before &&
        keys.some(({ sk }) => sk === before.sk) &&
        (await learnings(home))[0]?.revision === before.revision
      ) {
        await verbsOf(table, { clock }).remove(await organizationOf(table, home.uuid), before.id);
        await deliver(captured(home, "second thoughts"));
      }
      return table.getMany(keys, ...rest);
    };
    expect(await approveDue({ ...world.deps, table: { ...table, getMany } }, noFault)).toEqual({
      approved: 0,
    });
    expect(await learnings(home)).toMatchObject([{ id: before?.id, state: "pending" }]);
    clock.advance(days(1) + 1);
    expect(await approveDue(world.deps, noFault)).toEqual({ approved: 1 });
  });

  test("a change of the delay does not change pending Learnings", async () => {
    const home = await newHome(world, { approval_delay_days: 2 });
    await deliver(captured(home, "old rules"));
    await world.organization(home.name.provider_organization_id, { approval_delay_days: 0 });
    expect(await states(home)).toEqual({ "old rules": "pending" });
    await deliver(captured(home, "old rules"));
    expect(await states(home)).toEqual({ "old rules": "pending" });
  });

  test("an event delivered twice counts once: a Learning deleted in between stays deleted", async () => {
    const home = await newHome(world);
    const event = captured(home, "gone for good");
    await deliver(event);
    const [learning] = await learnings(home);
    const { remove } = verbsOf(store().table, { clock });
    await remove(await organizationOf(store().table, home.uuid), learning?.id ?? "");
    await deliver(event);
    expect(await learnings(home)).toEqual([]);
    await deliver(captured(home, "gone for good"));
    expect(await states(home)).toEqual({ "gone for good": "approved" });
  });

  test("credentials in a captured text, file and source are redacted before anything else", async () => {
    const home = await newHome(world);
    const secret = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
    const more = { file: `a/${secret}`, source_url: `https://example.com/${secret}` };
    await deliver(captured(home, `not ${secret}`, more));
    expect(JSON.stringify(await learnings(home))).not.toContain(secret);
  });

  test.each([
    ["a pull request it does not name", { source: "pull_request" }],
    ["no text", { learning: " " }],
    ["another source", { source: "dream" }],
    ["a source that is no web address", { source_url: "file:///etc/passwd" }],
  ])("a capture with %s is a bad event", (_, change) => {
    const base = {
      provider: "github",
      provider_organization_id: "1",
      repository_id: "2",
      learning: "x",
      author_id: "3",
      source: "chat",
    };
    expect(eventTypes["learning.captured"]?.schema.safeParse({ ...base, ...change }).success).toBe(false);
    expect(eventTypes["learning.captured"]?.schema.safeParse(base).success).toBe(true);
  });
});

describe("a Learning from a pull request", () => {
  test.each(["merged", "closed"] as const)(
    "a Learning ends the same whether capture or the pull request's end (%s) is first, last or at once",
    async (status) => {
      const ends: unknown[] = [];
      for (const order of ["captured first", "finalized first", "at once", "at once"]) {
        const home = await newHome(world);
        const [one, other] = [inPullRequest(home, "learned"), finalized(home, status)];
        if (order === "captured first") {
          await deliver(one);
          expect(await states(home)).toEqual({ learned: "private" });
          await deliver(other);
        } else if (order === "finalized first") {
          await deliver(other);
          await deliver(one);
        } else await Promise.all([deliver(one), deliver(other)]);
        ends.push(await states(home));
        await Promise.all([deliver(other), deliver(one)]);
        expect(await states(home)).toEqual(ends.at(-1));
      }
      const expected = status === "merged" ? { learned: "approved" } : {};
      expect(ends).toEqual([expected, expected, expected, expected]);
      await checkTable(store().table);
    },
  );

  test("a Learning from a pull request needs no approval, even if chat Learnings wait", async () => {
    const home = await newHome(world, { approval_delay_days: 5 });
    await deliver(inPullRequest(home, "merged in"));
    await deliver(finalized(home, "merged"));
    expect(await states(home)).toEqual({ "merged in": "approved" });
  });

  test("a second open pull request keeps a Learning when the first one closes", async () => {
    const home = await newHome(world);
    const second = `${pr}8`;
    await deliver(inPullRequest(home, "twice"));
    await deliver(inPullRequest(home, "twice", second));
    await deliver(finalized(home, "closed"));
    expect(await states(home)).toEqual({ twice: "private" });
    await deliver(finalized(home, "merged", second));
    expect(await states(home)).toEqual({ twice: "approved" });
    await checkTable(store().table);
  });

  test("a Learning captured after a close waits for the reopened pull request", async () => {
    const home = await newHome(world);
    await deliver(finalized(home, "closed", pr, "2026-11-01T00:00:00.000Z"));
    await deliver(inPullRequest(home, "before", pr, "2026-10-31T00:00:00.000Z"));
    await deliver(inPullRequest(home, "after", pr, "2026-11-02T00:00:00.000Z"));
    expect(await states(home)).toEqual({ after: "private" });
    await deliver(finalized(home, "closed", pr, "2026-11-01T00:00:00.000Z"));
    expect(await states(home)).toEqual({ after: "private" });
    await deliver(finalized(home, "merged", pr, "2026-11-03T00:00:00.000Z"));
    expect(await states(home)).toEqual({ after: "approved", before: "approved" });
    await checkTable(store().table);
  });

  test("a deleted or posted Learning is not changed when its closed pull request merges", async () => {
    const home = await newHome(world);
    const verbs = verbsOf(store().table, { clock });
    const organization = await organizationOf(store().table, home.uuid);
    for (const text of ["deleted", "posted", "kept"]) await deliver(inPullRequest(home, text));
    for (const { id } of (await learnings(home)).filter(({ text }) => text === "deleted"))
      await verbs.remove(organization, id);
    clock.advance(1);
    await deliver(finalized(home, "closed"));
    expect(await states(home)).toEqual({});
    await verbs.post({ organization, authorId: "ann" }, item("posted", { repository_id: "repo-1" }));
    clock.advance(1);
    await deliver(finalized(home, "merged"));
    expect((await learnings(home)).map(({ text, author_id }) => [text, author_id]).sort()).toEqual([
      ["kept", "bob"],
      ["posted", "ann"],
    ]);
    await checkTable(store().table);
  });

  test("an earlier capture names the author, and a mirror of the former author's Learnings removes it", async () => {
    const home = await newHome(world);
    const first = { author_id: "ann", file: "a.ts" };
    await deliver(captured(home, "shared", {}, "2026-11-02T00:00:00.000Z"));
    await deliver(captured(home, "shared", first, "2026-11-01T00:00:00.000Z"));
    const [learning] = await learnings(home);
    expect(learning).toMatchObject({ ...first, created_at: "2026-11-01T00:00:00.000Z", state: "approved" });
    const pk = kinds.learningRemoval.key({ tenant: organizationTenant(home.uuid), place: "" }).pk;
    const removals = await Array.fromAsync(queryAll(store().table, { pk }));
    expect(removals).toMatchObject([{ id: learning?.id, author_id: "bob" }]);
    expect(removals.every(({ sk }) => sk < (learning?.listed?.place ?? ""))).toBe(true);
    await checkTable(store().table);
  });

  test("an API change of a captured Learning is not undone by an earlier capture", async () => {
    const home = await newHome(world);
    await deliver(captured(home, "old", { file: "b.ts" }, "2026-11-02T00:00:00.000Z"));
    const organization = await organizationOf(store().table, home.uuid);
    const [before] = await learnings(home);
    await verbsOf(store().table, { clock }).patch(organization, before?.id ?? "", "new");
    await deliver(captured(home, "new", { file: "a.ts" }, "2026-11-01T00:00:00.000Z"));
    expect(await learnings(home)).toMatchObject([{ text: "new", author_id: "bob", file: "b.ts" }]);
    await checkTable(store().table);
  });

  test("a Learning captured from a chat and a pull request waits for approval, and merging shares it", async () => {
    const home = await newHome(world, { approval_delay_days: 5 });
    for (const order of [0, 1]) {
      const text = `both ${order}`;
      const url = `${pr}-${order}`;
      const events = [inPullRequest(home, text, url), captured(home, text)];
      for (const each of order === 0 ? events : events.toReversed()) await deliver(each);
      expect((await states(home))[text]).toBe("pending");
      await deliver(finalized(home, order === 0 ? "merged" : "closed", url));
      expect((await states(home))[text]).toBe(order === 0 ? "approved" : "pending");
    }
    await checkTable(store().table);
  });
});

describe("posting a text that exists but is not shared", () => {
  test.each(["private", "pending", "disapproved"] as const)(
    "posting promotes a %s Learning: duplicate, promoted, shared, other fields as first stored",
    async (state) => {
      const home = await newHome(world, { approval_delay_days: 5 });
      await deliver(
        state === "private"
          ? captured(home, "known", { source: "pull_request", pr_url: pr, file: "first.ts" })
          : captured(home, "known", { file: "first.ts" }),
      );
      const [before] = await learnings(home);
      if (state === "disapproved")
        await decideLearning(changing(), home.uuid, before?.id ?? "", "disapproved");
      expect(await states(home)).toEqual({ known: state });
      const { post } = verbsOf(store().table, { clock });
      clock.advance(1000);
      const author = { organization: await organizationOf(store().table, home.uuid), authorId: "ann" };
      const { results, ...counts } = await post(author, item("known", { file: "second.ts" }), item("known"));
      expect(results).toEqual([
        { index: 0, status: "duplicate", id: before?.id, promoted: true },
        { index: 1, status: "duplicate", id: before?.id },
      ]);
      expect(counts).toMatchObject({ status: "success", created_count: 0, duplicate_count: 2 });
      expect(await learnings(home)).toMatchObject([
        { state: "approved", author_id: "bob", file: "first.ts", created_at: before?.created_at },
      ]);
      clock.advance(days(6));
      await approveDue(world.deps, noFault);
      await deliver(finalized(home, "closed"));
      expect(await states(home)).toEqual({ known: "approved" });
      await reconcileAll({ ...world.deps, embedder: localEmbedder });
      await checkTable(store().table, { embedder: localEmbedder });
    },
  );
});
