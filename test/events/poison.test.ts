import { beforeEach, describe, expect, test } from "vitest";
import * as kinds from "../../lib/contract/items.ts";
import { eventLimits } from "../../lib/contract/limits.ts";
import { eventQueueSettings } from "../../lib/contract/platform.ts";
import { ingest } from "../../lib/events/ingest.ts";
import type { QueueMessage } from "../../lib/events/ports.ts";
import { countTry, forgetTries, isSuspect, takeBack } from "../../lib/events/tries.ts";
import { AwsError } from "../../lib/runtime/aws-error.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { type Key, StoreUnavailable, type Table, TransactionRefused } from "../../lib/store/table.ts";
import { openStore, useStore } from "../support/engine.ts";
import {
  createIngestHarness,
  deliver,
  everything,
  type IngestHarness,
  memberSaved,
  organizationName,
  organizationSaved,
  repositorySaved,
  toMessages,
  uuidOf,
} from "./support.ts";

const { suspectFromReceives, triesMax } = eventLimits;
/** How many messages are left after each delivery: the last counted try gives the event up. */
const untilGivenUp = (left: number): number[] => [...Array.from({ length: triesMax - 1 }, () => left), 0];
const isBegun = (name: string): boolean => name.startsWith("begun ");
const triesIn = (item: object): number => Object.keys(item).filter(isBegun).length;

const store = useStore();
let harness: IngestHarness;
beforeEach(async () => {
  harness = createIngestHarness((await openStore(store().endpoint)).table);
});

/** A table that fails a member's transaction with `fault`. */
const spoiled = (user: string, fault: () => Error): Table => ({
  ...harness.table,
  transact: async (writes, ...rest) => {
    const own = kinds.member.key({ organization: uuidOf(), userId: user });
    if (writes.some((write) => "put" in write && write.put.sk === own.sk)) throw fault();
    await harness.table.transact(writes, ...rest);
  },
});

const validation = () => new AwsError({ name: "ValidationException", status: 400, message: "Item size" });

/** A bad event at the head, two good events of its group, and one of another group. */
async function batch(): Promise<QueueMessage[]> {
  return await toMessages(harness, [
    memberSaved(3, { user_id: "bad" }),
    memberSaved(4, { user_id: "good" }),
    repositorySaved(5),
    organizationSaved(6, organizationName("2")),
  ]);
}

/** Receives like a FIFO queue: unacknowledged messages are redelivered, and every receive is counted. */
async function receive(table: Table, messages: readonly QueueMessage[], timesMax: number, first = 1) {
  let left = messages;
  const lefts: number[] = [];
  for (let receives = first; receives < first + timesMax && left.length > 0; receives++) {
    left = await ingest(
      { ...harness, table },
      left.map((message) => ({ ...message, receives })),
    );
    lefts.push(left.length);
  }
  return lefts;
}

const isThere = async (key: Key) => (await harness.table.get(key)) !== undefined;
const expectRestApplied = async () => {
  expect(await isThere(kinds.member.key({ organization: uuidOf(), userId: "good" }))).toBe(true);
  expect(await isThere(kinds.repository.key({ organization: uuidOf(), repositoryId: "9001" }))).toBe(true);
  expect(await isThere(kinds.organization.key({ organization: uuidOf("2") }))).toBe(true);
};

describe("an event that can never be applied", () => {
  test("only the event whose item the table refuses goes to the dead letters; the rest of the batch goes on", async () => {
    await deliver(harness, [organizationSaved(1)]);
    const messages = await batch();
    expect(await receive(spoiled("bad", validation), messages, 5)).toEqual([0]);
    expect(harness.letters).toEqual([{ ...messages[0], reason: "ValidationException: status 400" }]);
    await expectRestApplied();
  });

  test("an event that depends on a damaged item goes to the dead letters, and the reason names the item", async () => {
    await deliver(harness, [organizationSaved(1), memberSaved(2, { user_id: "bad" })]);
    await harness.table.write({
      put: { ...kinds.member.key({ organization: uuidOf(), userId: "bad" }), user_id: 7 },
    });
    expect(await receive(harness.table, await batch(), 5)).toEqual([0]);
    expect(harness.letters).toMatchObject([
      { reason: expect.stringMatching(/MEMBER#bad is damaged in: user_id/) },
    ]);
    await expectRestApplied();
  });

  const unclear: ReadonlyArray<[string, () => Error, RegExp]> = [
    [
      "a bug",
      () => new TypeError("x is not a function"),
      /^It failed 5 times. TypeError: x is not a function$/,
    ],
    [
      "a condition that never holds",
      () => new TransactionRefused([]),
      /^It failed 5 times. DecisionsExhausted/,
    ],
  ];
  test.each(unclear)("an event with %s is a dead letter after a few tries", async (_, fault, reason) => {
    await deliver(harness, [organizationSaved(1)]);
    expect(await receive(spoiled("bad", fault), await batch(), 9)).toEqual(untilGivenUp(3));
    expect(harness.letters).toMatchObject([
      { id: expect.any(String), reason: expect.stringMatching(reason) },
    ]);
    await expectRestApplied();
  });

  test("a waiting event that can never be applied becomes a dead letter and does not block its dependency", async () => {
    const [early] = await toMessages(harness, [memberSaved(3, { user_id: "bad" })]);
    await ingest(harness, early ? [early] : []);
    const messages = await toMessages(harness, [organizationSaved(1), memberSaved(4, { user_id: "good" })]);
    const table = spoiled("bad", () => new TypeError("x is not a function"));
    expect(await receive(table, messages, 9)).toEqual(untilGivenUp(2));
    expect(harness.letters).toMatchObject([{ id: early?.id }]);
    expect(await isThere(kinds.member.key({ organization: uuidOf(), userId: "good" }))).toBe(true);
  });
});

describe("tries", () => {
  test("each message has its own tries: one redelivered behind another has as many as any other", async () => {
    await deliver(harness, [organizationSaved(1)]);
    const messages = await batch();
    const failing = spoiled("bad", () => new TypeError("bug"));
    expect(await receive(failing, messages, triesMax)).toEqual(untilGivenUp(3));
    const [good] = await toMessages(harness, [memberSaved(9, { user_id: "good" })]);
    // The message was received several times already, and its own first try fails.
    const left = await ingest(
      { ...harness, table: spoiled("good", () => new TypeError("bug")) },
      good ? [{ ...good, receives: triesMax + 1 }] : [],
    );
    expect(left).toHaveLength(1);
    expect(harness.letters).toHaveLength(1);
  });

  test("tries that a passing fault ended do not count, however many there are", async () => {
    await deliver(harness, [organizationSaved(1)]);
    const table = spoiled("bad", () => new StoreUnavailable("away", true));
    expect(await receive(table, await batch(), 12)).toEqual(Array.from({ length: 12 }, () => 3));
    expect(harness.letters).toEqual([]);
    expect(await receive(harness.table, await batch(), 1)).toEqual([0]);
    await expectRestApplied();
    const kept = (await everything(harness.table)).filter(({ pk }) => pk.startsWith("TRIES#"));
    expect(kept.filter((item) => triesIn(item) > 0)).toEqual([]);
  });

  test("tries in a flapping outage make no dead letter, even if the store records only their beginning", async () => {
    await deliver(harness, [organizationSaved(1)]);
    const [good] = await batch();
    if (!good) throw new Error("There is a message.");
    let isAway = false;
    const answer = async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
      if (isAway) throw new StoreUnavailable("away", true);
      return await call();
    };
    const table: Table = {
      ...harness.table,
      getMany: (...given) => answer(() => harness.table.getMany(...given)),
      transact: (...given) => answer(() => harness.table.transact(...given)),
      write: async (write, ...rest) => {
        const after = await answer(() => harness.table.write(write, ...rest));
        // The store becomes unavailable after it counts a try, and is available again for the next delivery.
        isAway = "update" in write && after?.given_up === undefined && !write.when;
        return after;
      },
    };
    for (let receives = suspectFromReceives; receives <= suspectFromReceives + 2 * triesMax; receives++) {
      isAway = false;
      expect(await ingest({ ...harness, table }, [{ ...good, receives }])).toHaveLength(1);
    }
    expect(await ingest(harness, [{ ...good, receives: suspectFromReceives }])).toEqual([]);
    expect(harness.letters).toEqual([]);
    expect(await isThere(kinds.member.key({ organization: uuidOf(), userId: "bad" }))).toBe(true);
  });

  test("tries that killed the worker count: the event is given up, and the rest of its batch is applied", async () => {
    await deliver(harness, [organizationSaved(1)]);
    const [bad, ...others] = await batch();
    if (!bad) throw new Error("There is a message.");
    let left: readonly QueueMessage[] = [...others, bad];
    const dying = spoiled("bad", () => {
      throw new Error("unreachable");
    });
    // The function ends in the middle: no answer reaches the queue, and the whole batch is redelivered.
    const killed = new Promise<never>(() => {});
    let onDeath = () => {};
    const table: Table = {
      ...dying,
      transact: (writes, ...rest) =>
        dying.transact(writes, ...rest).catch(() => {
          onDeath();
          return killed;
        }),
    };
    const dies = new Promise<void>((resolve) => {
      onDeath = resolve;
    });
    void ingest({ ...harness, table }, [{ ...bad, receives: suspectFromReceives }]);
    await dies;
    const [begun] = Object.keys(
      (await harness.table.get(kinds.tries.key({ messageId: bad.id }))) ?? {},
    ).filter(isBegun);
    expect(begun).toBeDefined();
    // Repeat until one try is left.
    const earlier = Array.from({ length: triesMax - 1 }, (_, index) => [`begun ${index}`, true] as const);
    await harness.table.write({ update: kinds.tries.key({ messageId: bad.id }), change: { set: earlier } });
    expect(harness.letters).toEqual([]);
    left = await ingest(
      { ...harness, table },
      left.map((message) => ({ ...message, receives: suspectFromReceives + triesMax })),
    );
    expect(left).toEqual([]);
    expect(harness.letters).toMatchObject([
      {
        id: bad.id,
        reason: expect.stringMatching(/^It was tried 5 times, and the last time the worker stopped/),
      },
    ]);
    await expectRestApplied();
  });

  test("the tries of a message that is finally applied are deleted", async () => {
    await deliver(harness, [organizationSaved(1)]);
    const [bad] = await batch();
    if (!bad) throw new Error("There is a message.");
    await ingest({ ...harness, table: spoiled("bad", () => new TypeError("bug")) }, [
      { ...bad, receives: 3 },
    ]);
    expect(triesIn((await harness.table.get(kinds.tries.key({ messageId: bad.id }))) ?? {})).toBe(1);
    expect(await ingest(harness, [{ ...bad, receives: 4 }])).toEqual([]);
    expect(await harness.table.get(kinds.tries.key({ messageId: bad.id }))).toBeUndefined();
  });

  test("the tries of a dead letter are deleted: the same event sent again starts with all its tries", async () => {
    await deliver(harness, [organizationSaved(1)]);
    const [bad] = await batch();
    if (!bad) throw new Error("There is a message.");
    const table = spoiled("bad", () => new TypeError("bug"));
    expect(await receive(table, [bad], 9)).toEqual(untilGivenUp(1));
    expect(await harness.table.get(kinds.tries.key({ messageId: bad.id }))).toBeUndefined();
    expect(await ingest(harness, [{ ...bad, receives: suspectFromReceives }])).toEqual([]);
    expect(harness.letters).toHaveLength(1);
    expect(await isThere(kinds.member.key({ organization: uuidOf(), userId: "bad" }))).toBe(true);
  });
});

describe("the worker's own limit of receives", () => {
  test("the worker gives up a message before the queue does, even if the event is not the cause", async () => {
    await deliver(harness, [organizationSaved(1)]);
    const [bad] = await batch();
    const table = spoiled("bad", () => new StoreUnavailable("away", true));
    const receives = eventQueueSettings.workerReceivesMax;
    expect(await receive(table, bad ? [bad] : [], triesMax, receives)).toEqual(untilGivenUp(1));
    expect(harness.letters).toMatchObject([
      { reason: expect.stringMatching(/received 884 times. StoreUnavailable/) },
    ]);
    // The worker may have to give up all ten messages of a batch, one after another, before the queue does.
    const { receivesMax, batchMessagesMax } = eventQueueSettings;
    expect(receives + batchMessagesMax * triesMax).toBeLessThan(receivesMax);
    expect(suspectFromReceives + batchMessagesMax * (triesMax + 1)).toBeLessThan(receives);
    expect(isSuspect({ id: "m", group: "g", body: "", receives })).toBe(true);
  });

  test("the worker gives up no good event whose receives rose for 44 hours without free concurrency", async () => {
    await deliver(harness, [organizationSaved(1)]);
    const [good] = await batch();
    if (!good) throw new Error("There is a message.");
    const { workerReceivesMax, visibilitySeconds } = eventQueueSettings;
    expect(workerReceivesMax * visibilitySeconds).toBeGreaterThanOrEqual(44 * 3_600);
    const message = { ...good, receives: workerReceivesMax - 1 };
    const table = spoiled("bad", () => new StoreUnavailable("away", true));
    expect(await ingest({ ...harness, table }, [message])).toEqual([message]);
    expect(await ingest(harness, [message])).toEqual([]);
    expect(harness.letters).toEqual([]);
    expect(await isThere(kinds.member.key({ organization: uuidOf(), userId: "bad" }))).toBe(true);
  });

  test("an event whose time is up at the last receive is given up for that; events not yet begun are not", async () => {
    await deliver(harness, [organizationSaved(1)]);
    const [bad, next] = await batch();
    if (!bad || !next) throw new Error("There is a message.");
    const stuck: Table = { ...harness.table, transact: () => new Promise<never>(() => {}) };
    const startMs = systemClock.nowMs();
    const clock = Object.assign(harness.clock, {
      nowMs: () => harness.clock.now + systemClock.nowMs() - startMs,
      sleep: systemClock.sleep,
    });
    const receives = eventQueueSettings.workerReceivesMax;
    const earlier = Array.from({ length: triesMax - 1 }, (_, index) => [`begun ${index}`, true] as const);
    await harness.table.write({ update: kinds.tries.key({ messageId: bad.id }), change: { set: earlier } });
    const messages = [bad, next].map((message) => ({ ...message, receives }));
    const left = await ingest({ ...harness, clock, table: stuck }, messages, { timeBudgetMs: 400 });
    expect(left).toEqual(messages.slice(1));
    expect(harness.letters).toMatchObject([
      { id: bad.id, reason: expect.stringMatching(/received 880 times. TimeoutError/) },
    ]);
    for (const { id } of messages)
      expect(await harness.table.get(kinds.tries.key({ messageId: id }))).toBeUndefined();
  });
});

test("a try that is taken back after the event was applied leaves nothing in the table", async () => {
  const [message = expect.fail("No message.")] = await toMessages(harness, [memberSaved(3)]);
  const { id } = await countTry(harness, message);
  await forgetTries(harness, message);
  await takeBack(harness, message.id, id);
  expect(await everything(harness.table)).toEqual([]);
});
