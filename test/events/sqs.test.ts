import { S3Client } from "@aws-sdk/client-s3";
import { SQSClient } from "@aws-sdk/client-sqs";
import { describe, expect, test } from "vitest";
import { queueLimits } from "../../lib/contract/platform.ts";
import { s3Bucket } from "../../lib/events/s3.ts";
import { QueueUnavailable, sqsDeadLetters, sqsQueue } from "../../lib/events/sqs.ts";

const identity = { region: "eu-test-1", credentials: { accessKeyId: "test", secretAccessKey: "test" } };

type Entry = { Id: string; MessageBody: string; MessageGroupId: string; MessageDeduplicationId: string };
type Answer = { status: number; body: string };

/** The real client, down to the request it would send. */
const clientOptions = (answer: (request: { method: string; path: string; body: unknown }) => Answer) => ({
  ...identity,
  maxAttempts: 1,
  requestHandler: {
    handle: async (request: { method: string; path: string; body: unknown }) => {
      const { status, body } = answer(request);
      const headers = { "content-type": "application/json" };
      return { response: { statusCode: status, headers, body: new Blob([body]).stream() } };
    },
  },
});

const bytesOf = (body: unknown): Uint8Array =>
  body instanceof Uint8Array ? body : new TextEncoder().encode(String(body));

/** Notes every batch; `failing` says which entries of which batch the queue does not take. */
function fakeQueue(
  failing: (entry: Entry, batch: number) => "sender" | "service" | undefined = () => undefined,
) {
  const batches: Entry[][] = [];
  const client = new SQSClient({
    // The answers here carry no digests.
    md5: false,
    ...clientOptions(({ body }) => {
      const { Entries }: { Entries: Entry[] } = JSON.parse(new TextDecoder().decode(bytesOf(body)));
      batches.push(Entries);
      const faults = Entries.map((entry) => ({ entry, fault: failing(entry, batches.length - 1) }));
      const Failed = faults
        .filter(({ fault }) => fault)
        .map(({ entry, fault }) => ({ Id: entry.Id, SenderFault: fault === "sender", Code: "Refused" }));
      const Successful = faults
        .filter(({ fault }) => !fault)
        .map(({ entry: { Id } }) => ({ Id, MessageId: Id }));
      return { status: 200, body: JSON.stringify({ Successful, Failed }) };
    }),
  });
  return { client, batches };
}

const message = (index: number, body = `{"n":${index}}`) => ({
  id: `event-${index}`,
  group: "organization.a",
  body,
});

describe("the queue", () => {
  test("takes ten messages a call, in order, each with its group and its event's id", async () => {
    const { client, batches } = fakeQueue();
    await sqsQueue(client, "https://sqs.eu-test-1.amazonaws.com/0/events.fifo").send(
      Array.from({ length: 23 }, (_, index) => message(index)),
    );
    expect(batches.map(({ length }) => length)).toEqual([10, 10, 3]);
    expect(batches.flat().map(({ MessageDeduplicationId }) => MessageDeduplicationId)).toEqual(
      Array.from({ length: 23 }, (_, index) => `event-${index}`),
    );
    expect(batches[0]?.[1]).toEqual({
      Id: "1",
      MessageBody: '{"n":1}',
      MessageGroupId: "organization.a",
      MessageDeduplicationId: "event-1",
    });
  });

  test("never gets a call larger than it takes", async () => {
    const { client, batches } = fakeQueue();
    const sizes = [100_000, 100_000, 100_000, 199_999, 10, 199_999];
    await sqsQueue(client, "https://sqs.eu-test-1.amazonaws.com/0/events.fifo").send(
      sizes.map((size, index) => message(index, "é".repeat(size / 2))),
    );
    const bytes = batches.map((batch) =>
      batch.reduce((sum, { MessageBody }) => sum + Buffer.byteLength(MessageBody), 0),
    );
    expect(Math.max(...bytes)).toBeLessThanOrEqual(queueLimits.messageBytesMax);
    expect(batches.map(({ length }) => length)).toEqual([2, 1, 2, 1]);
  });

  test("gets again what it did not take, before anything later", async () => {
    const { client, batches } = fakeQueue(({ MessageDeduplicationId }, batch) =>
      batch === 0 && MessageDeduplicationId === "event-3" ? "service" : undefined,
    );
    await sqsQueue(client, "https://sqs.eu-test-1.amazonaws.com/0/events.fifo").send(
      Array.from({ length: 12 }, (_, index) => message(index)),
    );
    expect(batches.map((batch) => batch.map(({ MessageDeduplicationId }) => MessageDeduplicationId))).toEqual(
      [Array.from({ length: 10 }, (_, index) => `event-${index}`), ["event-3"], ["event-10", "event-11"]],
    );
  });

  test.each(["sender", "service"] as const)(
    "that takes nothing at all (%s) is a fault, never silence",
    async (fault) => {
      const { client } = fakeQueue(() => fault);
      const sending = sqsQueue(client, "https://sqs.eu-test-1.amazonaws.com/0/events.fifo").send([
        message(1),
      ]);
      await expect(sending).rejects.toBeInstanceOf(QueueUnavailable);
    },
  );
});

test("a dead letter carries its reason beside the untouched body", async () => {
  const { client, batches } = fakeQueue();
  await sqsDeadLetters(client, "https://sqs.eu-test-1.amazonaws.com/0/dead.fifo").send([
    { ...message(1), reason: "plan:\u0007 missing\uffff" },
  ]);
  expect(batches).toEqual([
    [
      {
        Id: "0",
        MessageBody: '{"n":1}',
        MessageGroupId: "organization.a",
        MessageDeduplicationId: "event-1",
        MessageAttributes: { reason: { DataType: "String", StringValue: "plan:  missing " } },
      },
    ],
  ]);
});

describe("the bucket", () => {
  const bucket = (status: number, body: string) =>
    s3Bucket(new S3Client(clientOptions(() => ({ status, body }))), "events");
  const missing = "<Error><Code>NoSuchKey</Code></Error>";

  test("gives what was put there", async () => {
    expect(Buffer.from((await bucket(200, '{"a":1}').get("a.json")) ?? []).toString()).toBe('{"a":1}');
  });

  test("a missing object is nothing; a forbidden one is a fault", async () => {
    expect(await bucket(404, missing).get("a.json")).toBeUndefined();
    await expect(bucket(403, "<Error><Code>AccessDenied</Code></Error>").get("a.json")).rejects.toThrow();
  });
});
