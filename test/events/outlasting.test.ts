import { beforeEach, describe, expect, test } from "vitest";
import { eventLimits } from "../../lib/contract/limits.ts";
import { eventQueueSettings } from "../../lib/contract/platform.ts";
import { expireWaiting } from "../../lib/events/expire.ts";
import { ingest } from "../../lib/events/ingest.ts";
import type { QueueMessage } from "../../lib/events/ports.ts";
import { AwsFault } from "../../lib/runtime/aws-fault.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { memberKey, triesKey } from "../../lib/store/layout.ts";
import { ConditionFailed, StoreUnavailable, type Table } from "../../lib/store/table.ts";
import { StandingClock } from "../support/clock.ts";
import { openStore, useStore } from "../support/engine.ts";
import {
  createIngestHarness,
  deliver,
  type IngestHarness,
  memberSaved,
  organizationName,
  organizationSaved,
  toMessages,
  uuidOf,
} from "./support.ts";

const store = useStore();
const timeBudgetMs = 28_000;
/** Ten or three answers end half a second after the time, while tries can still be counted. */
const quickMs = 2_850;
const slowMs = 9_500;
const { suspectReceivesMin, outlastedMax, passingTriesMin } = eventLimits;

/** Short pauses take no time, and nobody wakes from a long one: the time is up by what `now` says. */
class WatchClock extends StandingClock {
  override sleep(ms = 0): Promise<void> {
    return ms < 1_000 ? Promise.resolve() : new Promise<void>(() => {});
  }
}

let desk: IngestHarness;
let head: QueueMessage;
let messages: readonly QueueMessage[];
beforeEach(async () => {
  desk = createIngestHarness((await openStore(store().endpoint)).table, new WatchClock());
  await deliver(desk, [organizationSaved(1)]);
  const [first, ...others] = await toMessages(desk, [
    memberSaved(3, { user_id: "slow" }),
    memberSaved(4, { user_id: "next" }),
  ]);
  if (!first) throw new Error("There is a message.");
  head = first;
  messages = [first, ...others];
});

/** The work on a member reads again and again; each answer takes so long. */
const asking = (user: string, answerMs: number): Table => ({
  ...desk.table,
  getMany: async (keys, options) => {
    const { sk } = memberKey(uuidOf(), user);
    if (!keys.some((key) => key.sk === sk)) return await desk.table.getMany(keys, options);
    desk.clock.now += answerMs;
    throw new ConditionFailed(undefined);
  },
});

/** Deliveries of a FIFO queue until nothing is left; answers how many messages are left after each. */
async function receive(table: Table, timesMax: number, firstReceive = 1): Promise<number[]> {
  let left = messages;
  const lefts: number[] = [];
  for (let receives = firstReceive; lefts.length < timesMax && left.length > 0; receives++) {
    const delivered = left.map((message) => ({ ...message, receives }));
    left = await ingest({ ...desk, table }, delivered, { timeBudgetMs });
    lefts.push(left.length);
  }
  return lefts;
}

const isApplied = async (user: string) => (await desk.table.get(memberKey(uuidOf(), user))) !== undefined;

describe("an event that takes longer than a delivery lasts, whatever the store does", () => {
  test("is given up within half an hour, with that reason; the event behind it is applied", async () => {
    const deliveries = suspectReceivesMin - 1 + outlastedMax;
    const lefts = await receive(asking("slow", quickMs), 100);
    expect(lefts).toEqual([...Array.from({ length: deliveries }, () => 2), 0]);
    expect(desk.letters).toMatchObject([
      { id: head.id, reason: `It took longer than a delivery lasts, ${outlastedMax} times.` },
    ]);
    expect(deliveries * eventQueueSettings.visibilitySeconds).toBeLessThanOrEqual(1_800);
    expect(await isApplied("next")).toBe(true);
    expect(await desk.table.get(triesKey(head.id))).toBeUndefined();
  });

  test("is none where a slow store took the time: it waits for the store, and is applied when that is quick again", async () => {
    const deliveries = suspectReceivesMin + 3 * outlastedMax;
    const lefts = await receive(asking("slow", slowMs), deliveries);
    expect(lefts).toEqual(Array.from({ length: deliveries }, () => 2));
    expect(await receive(desk.table, 1, deliveries + 1)).toEqual([0]);
    expect(desk.letters).toEqual([]);
    expect(await isApplied("slow")).toBe(true);
  });

  test("is none where it had little of the time, behind other groups of its batch", async () => {
    const others = { ...head, id: crypto.randomUUID(), group: "another" };
    for (let receives = suspectReceivesMin; receives < suspectReceivesMin + 2 * outlastedMax; receives++) {
      const table = asking("slow", quickMs);
      // The other group comes first and takes most of the time.
      const slowStart: Table = {
        ...table,
        get: async (key, options) => await desk.table.get(key, options),
        write: async (write, options) => {
          if ("update" in write && write.update.pk === triesKey(others.id).pk) desk.clock.now += 20_000;
          return await desk.table.write(write, options);
        },
      };
      const bad = { ...others, body: "{", receives };
      await ingest({ ...desk, table: slowStart }, [bad, { ...head, receives }], { timeBudgetMs });
      desk.letters.splice(0, desk.letters.length, ...desk.letters.filter(({ id }) => id !== others.id));
    }
    expect(desk.letters).toEqual([]);
    const tries = await desk.table.get(triesKey(head.id));
    expect([tries?.outlasted, tries?.passing]).toEqual([undefined, 2 * outlastedMax]);
  });
});

test("a message that stood behind another for a day has tries of its own: a passing fault does not end it", async () => {
  const receives = eventQueueSettings.workerReceivesMax;
  const away: Table = {
    ...desk.table,
    transact: () => Promise.reject(new StoreUnavailable("away", true)),
  };
  const lefts = await receive(away, passingTriesMin - 1, receives);
  expect(lefts).toEqual(Array.from({ length: passingTriesMin - 1 }, () => 2));
  expect(desk.letters).toEqual([]);
  expect(await receive(desk.table, 1, receives + passingTriesMin)).toEqual([0]);
  expect(await isApplied("slow")).toBe(true);
  expect(await isApplied("next")).toBe(true);
});

test("a dead letter whose worker ends before the queue hears of it comes again, and is neither tried nor told twice", async () => {
  const bad = { ...head, body: "{", receives: suspectReceivesMin, sending: "one" };
  expect(await ingest(desk, [bad])).toEqual([]);
  expect(await ingest(desk, [{ ...bad, receives: bad.receives + 1 }])).toEqual([]);
  expect(desk.letters).toHaveLength(1);
  // Sent again it is another message, with all its tries.
  const again = { ...head, receives: suspectReceivesMin, sending: "two" };
  expect(await ingest(desk, [again])).toEqual([]);
  expect(await isApplied("slow")).toBe(true);
});

test("a bucket that stays silent ends with the time, and its event keeps its tries", async () => {
  const clock = Object.assign(new StandingClock(), { nowMs: systemClock.nowMs, sleep: systemClock.sleep });
  const silent = { ...desk, clock, bucket: { ...desk.bucket, get: () => new Promise<never>(() => {}) } };
  const { id, type, occurred_at } = memberSaved(3);
  const body = JSON.stringify({ id, type, occurred_at, reference: "large.json" });
  const large = { ...head, body, receives: suspectReceivesMin };
  expect(await ingest(silent, [large], { timeBudgetMs: 300 })).toEqual([large]);
  expect(await desk.table.get(triesKey(large.id))).toMatchObject({ passing: 1 });
});

describe("events that wait, once what they waited for is applied", () => {
  /** AWS gives no leave for what is written about this member, however often it is tried. */
  const forbidding = (user: string): Table => ({
    ...desk.table,
    transact: async (writes, options) => {
      const { sk } = memberKey(uuidOf("2"), user);
      if (writes.some((write) => "put" in write && write.put.sk === sk))
        throw new AwsFault({ name: "AccessDeniedException", status: 400, message: "no leave" });
      await desk.table.transact(writes, options);
    },
  });
  const later = organizationName("2");

  beforeEach(async () => {
    const early = await toMessages(desk, [
      memberSaved(3, { ...later, user_id: "bad" }),
      memberSaved(4, { ...later, user_id: "good" }),
    ]);
    expect(await ingest(desk, early)).toEqual([]);
    messages = await toMessages(desk, [organizationSaved(1, later)]);
  });

  test("hold up neither each other nor its group for ever, and it is no dead letter", async () => {
    const lefts = await receive(forbidding("bad"), 100);
    expect(lefts).toEqual([...Array.from({ length: passingTriesMin - 1 }, () => 1), 0]);
    expect(desk.letters).toEqual([]);
    expect(await desk.table.get(memberKey(uuidOf("2"), "good"))).toBeDefined();
  });

  test("are dead letters when they cannot be applied for as long as an event may wait", async () => {
    await receive(forbidding("bad"), 100);
    desk.clock.now += (eventLimits.waitingDaysMax + 1) * 86_400_000;
    await expect(expireWaiting({ ...desk, table: forbidding("bad") })).rejects.toThrow();
    expect(desk.letters).toMatchObject([{ reason: expect.stringMatching(/^It waited 14 days: also since/) }]);
  });
});
