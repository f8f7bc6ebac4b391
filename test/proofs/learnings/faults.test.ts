import { describe, expect, test } from "vitest";
import { ApiError } from "../../../lib/contract/api-error.ts";
import * as itemKinds from "../../../lib/contract/items.ts";
import { organizationTenant } from "../../../lib/contract/tenants.ts";
import { eventTypes } from "../../../lib/events/event-types.ts";
import { localEmbedder } from "../../../lib/index/local-embedder.ts";
import { reconcileAll } from "../../../lib/index/reconcile.ts";
import { approveDue, decideLearning } from "../../../lib/learnings/approval.ts";
import type { CreateAnswer } from "../../../lib/learnings/create.ts";
import { closePrivateLearnings } from "../../../lib/learnings/events/pull-request.ts";
import { walkLearnings } from "../../../lib/learnings/export/walk.ts";
import { moveLearnings } from "../../../lib/learnings/move-learnings.ts";
import { systemClock } from "../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../lib/runtime/random.ts";
import { vectorKey } from "../../../lib/store/layout.ts";
import { StoreUnavailable, type Table } from "../../../lib/store/table.ts";
import { checkTable } from "../../learnings/check-table.ts";
import { type Home, item, newHome, verbsOf } from "../../learnings/fixture.ts";
import { openStore, useStore } from "../../support/engine.ts";
import { organizationOf } from "../../support/stored.ts";
import { isLong, volume } from "../../support/volume.ts";
import { World } from "../../support/world.ts";
import { type FaultKind, type Faulty, faultKinds, faulty } from "./faulty.ts";

const engine = useStore();
const storeOf = (table: Table) => ({ table, clock: systemClock, random: systemRandom });

type Fixture = { readonly table: Table; readonly home: Home };
type Means = Pick<Faulty, "table" | "embedder">;

/** An action on prepared data; repeated after a fault, it must end in the correct state. */
type Act = {
  act(means: Means): Promise<unknown>;
  /** Throws unless the second answer and the stored state are correct. */
  after?(answer: unknown): Promise<void> | void;
};
type Route = {
  readonly organization?: Record<string, unknown>;
  prepare(fixture: Fixture, run: string): Promise<Act>;
  /** The reconciler indexes the Learning, not the writer. */
  readonly indexedLater?: boolean;
  /** Default: all kinds. */
  readonly kinds?: readonly FaultKind[];
};

const author = async ({ table, home }: Fixture) => ({
  organization: await organizationOf(table, home.uuid),
  authorId: "ann",
});

async function create(fixture: Fixture, ...texts: string[]): Promise<string[]> {
  const data = texts.map((text) => item(text));
  const { results } = await verbsOf(fixture.table).post(await author(fixture), ...data);
  return results.map(({ id }) => id ?? "");
}

type TestEvent = {
  readonly type: string;
  readonly id: string;
  readonly version: string;
  readonly data: object;
};
const newEvent = (type: string, data: object): TestEvent => {
  const id = systemRandom.uuid();
  return { type, id, version: `2026-11-01T00:00:00.000Z#${id}`, data };
};
async function deliver(table: Table, { type, id, version, data }: TestEvent): Promise<void> {
  const known = eventTypes[type];
  if (!known) throw new Error(`There is no type ${type}.`);
  await known.apply(storeOf(table), [{ id, version, data: known.schema.parse(data) }]);
}
const captured = ({ home }: Fixture, learning: string, more: object = {}) =>
  newEvent("learning.captured", {
    ...home.name,
    repository_id: "repo-1",
    learning,
    author_id: "bob",
    source: "chat",
    ...more,
  });

/** Captures a pending Learning, and returns its id. */
async function pending(fixture: Fixture, text: string): Promise<string> {
  await deliver(fixture.table, captured(fixture, text));
  const { results } = await verbsOf(fixture.table).post(await author(fixture), item(text, { invalid: true }));
  return results[0]?.id ?? "";
}

const expectState = async ({ table, home }: Fixture, id: string, state: string | undefined) =>
  expect((await table.get(itemKinds.learning.key({ organization: home.uuid, learningId: id })))?.state).toBe(
    state,
  );

/** New texts, one of them twice, and an item that is always invalid. */
const batchOf =
  (before: (fixture: Fixture, run: string) => Promise<void> = async () => {}): Route["prepare"] =>
  async (fixture, run) => {
    await before(fixture, run);
    const data = [item(`${run} a`), item(`${run} b`), item(`${run} a`), { bad: true }];
    return {
      act: async (means) =>
        itemCodesOf(await verbsOf(means.table, means).post(await author(fixture), ...data)),
      after: (answer) => expect(answer).toEqual([undefined, undefined, undefined, "INVALID_ITEM"]),
    };
  };

const itemCodes = new Set(["INVALID_ITEM", "STORAGE_FAILED", "INDEXING_FAILED", undefined]);
function itemCodesOf({ results }: CreateAnswer): Array<string | undefined> {
  const codes = results.map(({ error }) => error?.code);
  for (const code of codes) expect(itemCodes).toContain(code);
  return codes;
}

const delivered =
  (eventOf: (fixture: Fixture, run: string) => TestEvent): Route["prepare"] =>
  async (fixture, run) => {
    const event = eventOf(fixture, run);
    return { act: ({ table }) => deliver(table, event) };
  };

const finalized =
  (status: "merged" | "closed"): Route["prepare"] =>
  async (fixture, run) => {
    const prUrl = `https://git.example.com/${run}`;
    for (const text of [`${run} a`, `${run} b`]) {
      await deliver(fixture.table, captured(fixture, text, { source: "pull_request", pr_url: prUrl }));
    }
    const version = `2026-11-02T00:00:00.000Z#${systemRandom.uuid()}`;
    const end = { organization: fixture.home.uuid, prUrl, status, version };
    return { act: ({ table }) => closePrivateLearnings(storeOf(table), end) };
  };

const routes: Readonly<Record<string, Route>> = {
  "a batch of new texts": { prepare: batchOf() },
  "a batch of texts that are not indexed": {
    prepare: batchOf(async (fixture, run) => {
      const ids = await create(fixture, `${run} a`, `${run} b`);
      for (const id of ids) await fixture.table.write({ delete: vectorKey(fixture.home.uuid, id) });
    }),
  },
  "a batch that promotes": {
    organization: { approval_delay_days: 9 },
    prepare: batchOf(async (fixture, run) => {
      await pending(fixture, `${run} a`);
    }),
  },
  "a changed text": {
    async prepare(fixture, run) {
      const [id = ""] = await create(fixture, run);
      const { organization } = await author(fixture);
      return {
        act: (means) => verbsOf(means.table, means).patch(organization, id, `${run} changed`),
        after: (answer) => expect(answer).toMatchObject({ id, learning: `${run} changed` }),
      };
    },
  },
  "a deletion": {
    async prepare(fixture, run) {
      const [id = ""] = await create(fixture, run);
      const { organization } = await author(fixture);
      return {
        act: (means) => verbsOf(means.table, means).remove(organization, id),
        after: () => expectState(fixture, id, undefined),
      };
    },
  },
  "learning.captured": { prepare: delivered(captured), indexedLater: true },
  "learning.captured that waits": {
    organization: { approval_delay_days: 9 },
    prepare: delivered(captured),
  },
  "learning.captured in a pull request": {
    prepare: delivered((fixture, run) =>
      captured(fixture, run, { source: "pull_request", pr_url: `https://git.example.com/${run}` }),
    ),
  },
  "a pull request that is merged": { prepare: finalized("merged"), indexedLater: true },
  "a pull request that is closed": { prepare: finalized("closed") },
  "learning.used": {
    async prepare(fixture, run) {
      const [learning_id = ""] = await create(fixture, run);
      const used = { ...fixture.home.name, learning_id, used_at: "2026-11-03T00:00:00Z", count: 7 };
      const event = newEvent("learning.used", used);
      return {
        act: ({ table }) => deliver(table, event),
        after: async () => {
          const stored = await fixture.table.get(
            itemKinds.learning.key({ organization: fixture.home.uuid, learningId: learning_id }),
          );
          expect(stored?.usage_count).toBe(7);
        },
      };
    },
  },
  "an admin's approval": {
    organization: { approval_delay_days: 9 },
    async prepare(fixture, run) {
      const id = await pending(fixture, run);
      return {
        act: ({ table }) => decideLearning(verbsOf(table).deps, fixture.home.uuid, id, "approved"),
        after: () => expectState(fixture, id, "approved"),
      };
    },
    indexedLater: true,
  },
  "the deadline's approval": {
    organization: { approval_delay_days: 1 },
    async prepare(fixture, run) {
      const id = await pending(fixture, run);
      const rethrow = (_: string, error: unknown) => {
        throw error;
      };
      return {
        act: ({ table }) => approveDue(storeOf(table), rethrow),
        after: () => expectState(fixture, id, "approved"),
      };
    },
    indexedLater: true,
  },
  "the reconciler": {
    async prepare({ table, home, ...fixture }, run) {
      const [one = "", two = ""] = await create({ table, home, ...fixture }, `${run} a`, `${run} b`);
      const vector = await table.get(vectorKey(home.uuid, two));
      if (!vector) throw new Error("It was not indexed.");
      await table.writeMany([
        { delete: vectorKey(home.uuid, one) },
        { put: { ...vector, digest: "of another text" } },
        { put: { ...vector, sk: systemRandom.uuid() } },
      ]);
      return { act: (means) => reconcileAll({ ...storeOf(means.table), ...means }) };
    },
    // The reconciler makes many calls; the other two kinds differ only for conditional writes, and it has none.
    kinds: ["not done", "crash after"],
  },
  "the move to another tenant": {
    async prepare(fixture, run) {
      await create(fixture, `${run} a`, `${run} b`);
      const before = await organizationOf(fixture.table, fixture.home.uuid);
      const organization = { ...before, tenant: `w#${run}` as const };
      await fixture.table.write({ put: organization });
      return { act: ({ table }) => moveLearnings(storeOf(table), organization) };
    },
  },
  "a page of the export": {
    async prepare(fixture, run) {
      await create(fixture, run);
      const page = {
        owner: organizationTenant(fixture.home.uuid),
        from: { place: "", settled: "" },
        limit: 10,
        wanted: () => true,
        isFiltered: false,
        signal: new AbortController().signal,
      };
      return { act: ({ table }) => walkLearnings(storeOf(table), page) };
    },
  },
};

/** The documented errors: StoreUnavailable, which becomes 503 SERVICE_UNAVAILABLE, or INDEX_REFRESH_FAILED. */
function expectRefusal(reason: unknown, kind: FaultKind): void {
  if (kind.startsWith("crash")) return;
  if (reason instanceof ApiError) expect(reason.code).toBe("INDEX_REFRESH_FAILED");
  else expect(reason).toBeInstanceOf(StoreUnavailable);
}

/** Returns whether the action made an n-th call. */
async function strike(fixture: Fixture, route: Route, kind: FaultKind, nth: number): Promise<boolean> {
  const { act, after } = await route.prepare(fixture, `${kind} ${nth}`.replaceAll(/\W/g, "-"));
  const means = faulty(fixture.table, localEmbedder, nth, kind);
  const [first] = await Promise.allSettled([act(means)]);
  if (first?.status === "rejected") expectRefusal(first.reason, kind);
  // The records are complete, wherever the action was interrupted.
  await checkTable(fixture.table, { eventsMayComeAgain: true });
  const answer = await act({ table: fixture.table, embedder: localEmbedder });
  await after?.(answer);
  await checkTable(fixture.table, {
    ...(!route.indexedLater && { embedder: localEmbedder }),
    markersMayRemain: true,
  });
  return means.struck();
}

/**
 * The short run tests every third fault kind, in rotation, at the first call and then at every third call.
 * test/proofs/faults tests every call site with its own faults.
 */
const kindsOf = ({ kinds = faultKinds }: Route, place: number): readonly FaultKind[] =>
  kinds.filter((_, index) => isLong || index % 3 === place % Math.min(3, kinds.length));

const callsBetween = volume(3, 1);

const numbered = Object.entries(routes).map(([name, route], place) => [name, route, place] as const);

describe.each(numbered)("every call of %s fails once", (name, route, place) => {
  test.each(kindsOf(route, place))(
    `if any call of ${name} fails once (%s), the answer is documented; a repetition mends table and index`,
    async (kind) => {
      const { table } = await openStore(engine().endpoint);
      const fixture = { table, home: await newHome(new World(() => table), route.organization) };
      let nth = 1;
      while (await strike(fixture, route, kind, nth))
        nth += nth === 1 ? 1 + (place % callsBetween) : callsBetween;
      expect(nth).toBeGreaterThan(1);
      await reconcileAll({ ...storeOf(table), embedder: localEmbedder });
      await checkTable(table, { embedder: localEmbedder });
    },
    120_000,
  );
});
