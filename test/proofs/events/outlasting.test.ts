import { beforeEach, describe, expect, test } from "vitest";
import * as kinds from "../../../lib/contract/items.ts";
import { eventLimits } from "../../../lib/contract/limits.ts";
import { eventQueueSettings } from "../../../lib/contract/platform.ts";
import { expireWaiting } from "../../../lib/events/expire.ts";
import { ingest } from "../../../lib/events/ingest.ts";
import type { QueueMessage } from "../../../lib/events/ports.ts";
import { AwsError } from "../../../lib/runtime/aws-error.ts";
import { ConditionFailed, StoreUnavailable, type Table } from "../../../lib/store/table.ts";
import {
  createIngestHarness,
  deliver,
  type IngestHarness,
  memberSaved,
  organizationName,
  organizationSaved,
  toMessages,
  uuidOf,
} from "../../events/support.ts";
import { FrozenClock, ManualClock } from "../../support/clock.ts";
import { openStore, useStore } from "../../support/engine.ts";

const store = useStore();
const timeBudgetMs = 28_000;
/** Ten quick or three slow answers end half a second after the time budget, when tries can still be counted. */
const quickMs = 2_850;
const slowMs = 9_500;
const { suspectFromReceives, triesMax, receivesForWaiting } = eventLimits;
const triesIn = (item: object): string[] => Object.keys(item).filter((name) => name.startsWith("begun "));

/** Short sleeps return at once and long sleeps never return: only `now` decides when the time is up. */
class WatchClock extends FrozenClock {
  override sleep(ms = 0): Promise<void> {
    return ms < 1_000 ? Promise.resolve() : new Promise<void>(() => {});
  }
}

let harness: IngestHarness;
let head: QueueMessage;
let messages: readonly QueueMessage[];
beforeEach(async () => {
  harness = createIngestHarness((await openStore(store().endpoint)).table, new WatchClock());
  await deliver(harness, [organizationSaved(1)]);
  const [first, ...others] = await toMessages(harness, [
    memberSaved(3, { user_id: "slow" }),
    memberSaved(4, { user_id: "next" }),
  ]);
  if (!first) throw new Error("There is a message.");
  head = first;
  messages = [first, ...others];
});

/** Makes the work on a member read again and again; each answer takes `answerMs`. */
const asking = (user: string, answerMs: number): Table => ({
  ...harness.table,
  getMany: async (keys, options) => {
    const { sk } = kinds.member.key({ organization: uuidOf(), userId: user });
    if (!keys.some((key) => key.sk === sk)) return await harness.table.getMany(keys, options);
    harness.clock.now += answerMs;
    throw new ConditionFailed(undefined);
  },
});

/** Delivers like a FIFO queue until nothing is left; returns how many messages are left after each delivery. */
async function receive(table: Table, timesMax: number, firstReceive = 1): Promise<number[]> {
  let left = messages;
  const lefts: number[] = [];
  for (let receives = firstReceive; lefts.length < timesMax && left.length > 0; receives++) {
    const delivered = left.map((message) => ({ ...message, receives }));
    left = await ingest({ ...harness, table }, delivered, { timeBudgetMs });
    lefts.push(left.length);
  }
  return lefts;
}

const isApplied = async (user: string) =>
  (await harness.table.get(kinds.member.key({ organization: uuidOf(), userId: user }))) !== undefined;

describe("an event that takes longer than a delivery lasts, whatever the store does", () => {
  test("an event that outlasts its deliveries is given up within 15 minutes, and the next is applied", async () => {
    const lefts = await receive(asking("slow", quickMs), 100);
    // The time of the last delivery is used up, too.
    expect(lefts).toEqual([...Array.from({ length: triesMax - 1 }, () => 2), 1, 0]);
    expect(harness.letters).toMatchObject([
      { id: head.id, reason: `It failed ${triesMax} times. TimeoutError: The time for this work is up.` },
    ]);
    expect((triesMax - 1) * eventQueueSettings.visibilitySeconds).toBeLessThan(900);
    expect(await isApplied("next")).toBe(true);
    expect(await harness.table.get(kinds.tries.key({ messageId: head.id }))).toBeUndefined();
  });

  test("an event delayed by a slow store is not given up, and is applied when the store is fast again", async () => {
    const deliveries = suspectFromReceives + 3 * triesMax;
    const lefts = await receive(asking("slow", slowMs), deliveries);
    expect(lefts).toEqual(Array.from({ length: deliveries }, () => 2));
    expect(await receive(harness.table, 1, deliveries + 1)).toEqual([0]);
    expect(harness.letters).toEqual([]);
    expect(await isApplied("slow")).toBe(true);
  });

  test("an event that got little time behind other groups of its batch is not given up", async () => {
    const others = { ...head, id: crypto.randomUUID(), group: "another" };
    for (let receives = suspectFromReceives; receives < suspectFromReceives + 2 * triesMax; receives++) {
      const table = asking("slow", quickMs);
      // The other group comes first and takes most of the time.
      const slowStart: Table = {
        ...table,
        get: async (key, options) => await harness.table.get(key, options),
        write: async (write, options) => {
          if ("update" in write && write.update.pk === kinds.tries.key({ messageId: others.id }).pk)
            harness.clock.now += 20_000;
          return await harness.table.write(write, options);
        },
      };
      const bad = { ...others, body: "{", receives };
      await ingest({ ...harness, table: slowStart }, [bad, { ...head, receives }], { timeBudgetMs });
      harness.letters.splice(
        0,
        harness.letters.length,
        ...harness.letters.filter(({ id }) => id !== others.id),
      );
    }
    expect(harness.letters).toEqual([]);
    expect(triesIn((await harness.table.get(kinds.tries.key({ messageId: head.id }))) ?? {})).toEqual([]);
  });
});

test("a message that waited behind another for a day has its own tries: a passing fault does not end it", async () => {
  const receives = eventQueueSettings.workerReceivesMax;
  const away: Table = {
    ...harness.table,
    transact: () => Promise.reject(new StoreUnavailable("away", true)),
  };
  const lefts = await receive(away, triesMax - 1, receives);
  expect(lefts).toEqual(Array.from({ length: triesMax - 1 }, () => 2));
  expect(harness.letters).toEqual([]);
  expect(await receive(harness.table, 1, receives + triesMax)).toEqual([0]);
  expect(await isApplied("slow")).toBe(true);
  expect(await isApplied("next")).toBe(true);
});

test("a dead letter whose worker dies before it acknowledges the message is neither tried nor sent twice", async () => {
  const bad = { ...head, body: "{", receives: suspectFromReceives, sending: "one" };
  expect(await ingest(harness, [bad])).toEqual([]);
  expect(await ingest(harness, [{ ...bad, receives: bad.receives + 1 }])).toEqual([]);
  expect(harness.letters).toHaveLength(1);
  // The event sent again is a new message, with all its tries.
  const again = { ...head, receives: suspectFromReceives, sending: "two" };
  expect(await ingest(harness, [again])).toEqual([]);
  expect(await isApplied("slow")).toBe(true);
});

test("a bucket that never answers ends with the time budget, and its event keeps its tries", async () => {
  const clock = new ManualClock();
  await clock.advanceTo(harness.clock.now);
  const asked = Promise.withResolvers<void>();
  const get = () => {
    asked.resolve();
    return new Promise<never>(() => {});
  };
  const silent = { ...harness, clock, bucket: { ...harness.bucket, get } };
  const { id, type, occurred_at } = memberSaved(3);
  const body = JSON.stringify({ id, type, occurred_at, reference: "large.json" });
  const large = { ...head, body, receives: suspectFromReceives };
  const ended = ingest(silent, [large], { timeBudgetMs });
  await asked.promise;
  await clock.advanceTo(harness.clock.now + timeBudgetMs);
  expect(await ended).toEqual([large]);
  const tries = await harness.table.get(kinds.tries.key({ messageId: large.id }));
  expect(tries && triesIn(tries)).toEqual([]);
});

describe("waiting events whose dependency is applied", () => {
  /** AWS denies every write about this member, however often the worker tries. */
  const forbidding = (user: string): Table => ({
    ...harness.table,
    transact: async (writes, options) => {
      const { sk } = kinds.member.key({ organization: uuidOf("2"), userId: user });
      if (writes.some((write) => "put" in write && write.put.sk === sk))
        throw new AwsError({ name: "AccessDeniedException", status: 400, message: "no leave" });
      await harness.table.transact(writes, options);
    },
  });
  const later = organizationName("2");

  beforeEach(async () => {
    const early = await toMessages(harness, [
      memberSaved(3, { ...later, user_id: "bad" }),
      memberSaved(4, { ...later, user_id: "good" }),
    ]);
    expect(await ingest(harness, early)).toEqual([]);
    messages = await toMessages(harness, [organizationSaved(1, later)]);
  });

  test("waiting events that fail never block each other or their dependency, which is no dead letter", async () => {
    const lefts = await receive(forbidding("bad"), 100);
    expect(lefts).toEqual([...Array.from({ length: receivesForWaiting - 1 }, () => 1), 0]);
    expect(harness.letters).toEqual([]);
    expect(
      await harness.table.get(kinds.member.key({ organization: uuidOf("2"), userId: "good" })),
    ).toBeDefined();
  });

  test("waiting events that cannot be applied within the maximum wait become dead letters", async () => {
    await receive(forbidding("bad"), 100);
    harness.clock.now += (eventLimits.waitingDaysMax + 1) * 86_400_000;
    await expect(expireWaiting({ ...harness, table: forbidding("bad") })).rejects.toThrow();
    expect(harness.letters).toMatchObject([
      { reason: expect.stringMatching(/^It waited 14 days: also since/) },
    ]);
  });
});
