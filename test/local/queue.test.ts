import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { beforeEach, describe, expect, test } from "vitest";
import { createLocalQueue, type LocalQueue } from "../../lib/local/queue.ts";
import { QueuePoller } from "../../lib/local/queue-poller.ts";
import { type Clock, systemClock } from "../../lib/runtime/clock.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { required } from "../../lib/runtime/required.ts";
import { openStore, useStore } from "../support/engine.ts";

const store = useStore();
/** Time passes a hundred times faster, so that back-offs do not slow down the tests. */
const hurried: Clock = {
  nowMs: () => systemClock.nowMs() * 100,
  sleep: (ms, signal) => systemClock.sleep(ms / 100, signal),
};
const message = (group: string, body: string) => ({ id: systemRandom.uuid(), group, body });
const succeed: SQSBatchResponse = { batchItemFailures: [] };
const failing = (messages: SQSEvent["Records"]): SQSBatchResponse => ({
  batchItemFailures: messages.map(({ messageId }) => ({ itemIdentifier: messageId })),
});

let queue: LocalQueue;
beforeEach(async () => {
  const { table } = await openStore(store().endpoint);
  queue = createLocalQueue({ table, clock: hurried, random: systemRandom });
});
const queuePoller = (deliver: (event: SQSEvent) => Promise<SQSBatchResponse>) =>
  new QueuePoller({ queue, deliver, clock: hurried });

describe("order", () => {
  test("a group arrives in the order it was sent, ten at a time, however many calls sent it", async () => {
    const bodies = Array.from({ length: 95 }, (_, index) => `event ${index}`);
    await queue.events.send(bodies.slice(0, 60).map((body) => message("a", body)));
    await queue.events.send(bodies.slice(60).map((body) => message("a", body)));
    const batches: string[][] = [];

    await queuePoller(async ({ Records }) => {
      batches.push(Records.map(({ body }) => body));
      return succeed;
    }).drain();

    expect(batches.flat()).toEqual(bodies);
    expect(batches.map((batch) => batch.length)).toEqual([...Array<number>(9).fill(10), 5]);
  });

  test("a group that fails temporarily does not hold up other groups", async () => {
    await queue.events.send([
      message("stuck", "s1"),
      message("free", "f1"),
      message("stuck", "s2"),
      message("free", "f2"),
    ]);
    const delivered: string[] = [];
    let refusals = 3;

    await queuePoller(async ({ Records }) => {
      if (Records[0]?.body === "s1" && refusals-- > 0) return failing(Records);
      delivered.push(...Records.map(({ body }) => body));
      return succeed;
    }).drain();

    expect(delivered).toEqual(["f1", "f2", "s1", "s2"]);
  });

  test("several groups run concurrently, but never two batches of one group", async () => {
    await queue.events.send(
      Array.from({ length: 60 }, (_, index) => message(`g${index % 3}`, String(index))),
    );
    const underWay = new Set<string>();
    let overlaps = 0;
    let meet: () => void = () => undefined;
    const allThree = new Promise<void>((resolve) => {
      meet = resolve;
    });

    await queuePoller(async ({ Records }) => {
      const group = Records[0]?.attributes.MessageGroupId ?? "";
      overlaps += underWay.has(group) ? 1 : 0;
      underWay.add(group);
      if (underWay.size === 3) meet();
      // Would wait for ever if the groups came one after another.
      await allThree;
      await systemClock.sleep(5);
      underWay.delete(group);
      return succeed;
    }).drain();

    expect(overlaps).toBe(0);
  });
});

describe("redelivery", () => {
  test("only failed messages are delivered again, with their count, after the finished ones are deleted", async () => {
    await queue.events.send(["one", "two", "three"].map((body) => message("a", body)));
    const seen: string[][] = [];

    await queuePoller(async ({ Records }) => {
      seen.push(Records.map(({ body, attributes }) => `${body} ${attributes.ApproximateReceiveCount}`));
      return seen.length === 1 ? failing(Records.slice(1)) : succeed;
    }).drain();

    expect(seen).toEqual([
      ["one 1", "two 1", "three 1"],
      ["two 2", "three 2"],
    ]);
  });

  test("if a worker throws, or names a message it did not get, the whole batch is delivered again", async () => {
    await queue.events.send([message("a", "one"), message("a", "two")]);
    const sizes: number[] = [];

    await queuePoller(async ({ Records }) => {
      sizes.push(Records.length);
      if (sizes.length === 1) throw new Error("out of memory");
      return sizes.length === 2 ? { batchItemFailures: [{ itemIdentifier: "unknown" }] } : succeed;
    }).drain();

    expect(sizes).toEqual([2, 2, 2]);
  });

  test("if the worker never gives up a message, the messages behind it become dead letters too", async () => {
    await queue.events.send([message("a", "bad"), message("a", "good")]);
    const delivered: string[] = [];
    const deliver = async ({ Records }: SQSEvent) => {
      delivered.push(...Records.map(({ body }) => body));
      return failing(Records);
    };

    await new QueuePoller({ queue, deliver, clock: hurried, receivesMax: 5 }).drain();

    expect(delivered).toEqual(Array.from({ length: 5 }, () => ["bad", "good"]).flat());
    const reason = "Received 5 times without success.";
    expect(await queue.listDeadLetters()).toMatchObject([
      { body: "bad", group: "a", reason },
      { body: "good", group: "a", reason },
    ]);
  });

  test("messages that were not acknowledged when the process ended are delivered by the next one", async () => {
    await queue.events.send([message("a", "one")]);
    const abandoned = queuePoller(() => new Promise(() => undefined)).drain();
    await expect.poll(async () => (await queue.receive("a", 10)).length).toBe(1);
    const delivered: string[] = [];

    await queuePoller(async ({ Records }) => {
      delivered.push(...Records.map(({ body }) => body));
      return succeed;
    }).drain();

    expect(delivered).toEqual(["one"]);
    abandoned.catch(() => undefined);
  });
});

describe("several processes", () => {
  test("a group that was retired and used again stays, whoever retires it as it was before", async () => {
    await queue.events.send([message("a", "one")]);
    const [before] = await queue.groups();
    await queue.acknowledge(await queue.receive("a", 10));
    await queue.retireGroup(required(before, "group"));
    await queue.events.send([message("a", "two")]);

    await queue.retireGroup(required(before, "group"));

    expect(await queue.groups()).toMatchObject([{ group: "a" }]);
  });

  test("a message that is done does not come back when another process returns it", async () => {
    await queue.events.send([message("a", "one")]);
    const received = await queue.receive("a", 10);
    await queue.acknowledge(received);

    await expect(queue.returnToQueue(required(received[0], "message"))).rejects.toThrow();

    expect(await queue.receive("a", 10)).toEqual([]);
  });

  test("messages that other processes send while the queuePoller runs are delivered, none twice, none lost", async () => {
    const stop = new AbortController();
    const delivered: string[] = [];
    const running = queuePoller(async ({ Records }) => {
      delivered.push(...Records.map(({ body }) => body));
      return succeed;
    }).run(stop.signal);

    const senders = Array.from({ length: 4 }, async (_, sender) => {
      for (let sent = 0; sent < 15; sent++)
        await queue.events.send([message(`g${sent % 4}`, `${sender}/${sent}`)]);
    });
    await Promise.all(senders);
    await expect.poll(() => delivered.length).toBe(60);
    stop.abort();
    await running;

    expect(new Set(delivered).size).toBe(60);
    for (let sender = 0; sender < 4; sender++)
      for (let group = 0; group < 4; group++) {
        const own = delivered
          .map((body) => body.split("/").map(Number))
          .filter(([from, sent = 0]) => from === sender && sent % 4 === group)
          .map(([, sent = 0]) => sent);
        expect(own).toEqual(own.toSorted((one, other) => one - other));
      }
  });
});

describe("dead letters", () => {
  test("a dead letter sent again goes to the end of its group under a new id, and is no longer a dead letter", async () => {
    await queue.deadLetters.send([{ ...message("a", "bad"), reason: "no such thing" }]);
    await queue.events.send([message("a", "later")]);
    const [letter] = await queue.listDeadLetters();
    if (!letter) throw new Error("The letter is missing.");

    await queue.redrive(letter);

    const messages = await queue.receive("a", 10);
    expect(messages.map(({ body }) => body)).toEqual(["later", "bad"]);
    expect(messages[1]?.id).not.toBe(letter.id);
    expect(await queue.listDeadLetters()).toEqual([]);
  });

  test("a dead letter that two send again at once comes once", async () => {
    await queue.deadLetters.send([{ ...message("a", "bad"), reason: "no such thing" }]);
    const letter = required((await queue.listDeadLetters())[0], "letter");

    await queue.redrive(letter);
    await expect(queue.redrive(letter)).rejects.toThrow();

    expect((await queue.receive("a", 10)).map(({ body }) => body)).toEqual(["bad"]);
  });

  test("a large backlog of dead letters is sent in pieces that fit a transaction", async () => {
    const body = "x".repeat(199_000);
    await queue.events.send(Array.from({ length: 25 }, () => message("a", body)));
    let bytes = 0;

    await queuePoller(async ({ Records }) => {
      for (const record of Records) bytes += record.body.length;
      return succeed;
    }).drain();

    expect(bytes).toBe(25 * body.length);
  });
});
