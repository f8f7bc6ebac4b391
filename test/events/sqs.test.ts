import { createHash } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { awsLimits } from "../../lib/contract/limits.ts";
import { queueLimits } from "../../lib/contract/platform.ts";
import { s3Bucket } from "../../lib/events/s3.ts";
import { createSqsCall, QueueUnavailable, sqsDeadLetters, sqsQueue } from "../../lib/events/sqs.ts";
import type { SqsCall } from "../../lib/events/sqs-client.ts";
import { type ServerTurn, startAwsServer, testIdentity } from "../support/aws-server.ts";
import type { SignedRequest } from "../support/aws-signature.ts";

const undo: Array<() => unknown> = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** A fake service on loopback, configured by the endpoint variable that AWS SDKs read. */
async function serve(service: "sqs" | "s3", turn: (request: SignedRequest, count: number) => ServerTurn) {
  const server = await startAwsServer(service, turn);
  const variable = `AWS_ENDPOINT_URL_${service.toUpperCase()}`;
  process.env[variable] = server.url;
  undo.push(server.close, () => delete process.env[variable]);
  return server;
}

const queueUrl = "https://sqs.eu-test-1.amazonaws.com/0/events.fifo";
const batchSchema = z.object({
  QueueUrl: z.literal(queueUrl),
  Entries: z.array(
    z.looseObject({
      Id: z.string(),
      MessageBody: z.string(),
      MessageGroupId: z.string(),
      MessageDeduplicationId: z.string(),
    }),
  ),
});
type Entry = z.output<typeof batchSchema>["Entries"][number];

/** Records every batch; `failing` says which entries of which batch the queue rejects. */
function fakeQueue(
  failing: (entry: Entry, batch: number) => "sender" | "service" | undefined = () => undefined,
) {
  const batches: Entry[][] = [];
  const call: SqsCall = async (operation, input) => {
    expect(operation).toBe("SendMessageBatch");
    const { Entries } = batchSchema.parse(input);
    batches.push(Entries);
    const faults = Entries.map((entry) => ({ entry, fault: failing(entry, batches.length - 1) }));
    return {
      Successful: faults.filter(({ fault }) => !fault).map(({ entry: { Id } }) => ({ Id, MessageId: Id })),
      Failed: faults
        .filter(({ fault }) => fault)
        .map(({ entry, fault }) => ({ Id: entry.Id, SenderFault: fault === "sender", Code: "Refused" })),
    };
  };
  return { call, batches };
}

const message = (index: number, body = `{"n":${index}}`) => ({
  id: `event-${index}`,
  group: "organization.a",
  body,
});

describe("the queue", () => {
  test("the queue gets ten messages a call, in order, each with its group and its event's id", async () => {
    const { call, batches } = fakeQueue();
    await sqsQueue(call, queueUrl).send(Array.from({ length: 23 }, (_, index) => message(index)));
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

  test("the queue never gets a call larger than its limit", async () => {
    const { call, batches } = fakeQueue();
    const sizes = [100_000, 100_000, 100_000, 199_999, 10, 199_999];
    await sqsQueue(call, queueUrl).send(sizes.map((size, index) => message(index, "é".repeat(size / 2))));
    const bytes = batches.map((batch) =>
      batch.reduce((sum, { MessageBody }) => sum + Buffer.byteLength(MessageBody), 0),
    );
    expect(Math.max(...bytes)).toBeLessThanOrEqual(queueLimits.messageBytesMax);
    expect(batches.map(({ length }) => length)).toEqual([2, 1, 2, 1]);
  });

  test("the queue gets rejected messages again before any later message", async () => {
    const { call, batches } = fakeQueue(({ MessageDeduplicationId }, batch) =>
      batch === 0 && MessageDeduplicationId === "event-3" ? "service" : undefined,
    );
    await sqsQueue(call, queueUrl).send(Array.from({ length: 12 }, (_, index) => message(index)));
    expect(batches.map((batch) => batch.map(({ MessageDeduplicationId }) => MessageDeduplicationId))).toEqual(
      [Array.from({ length: 10 }, (_, index) => `event-${index}`), ["event-3"], ["event-10", "event-11"]],
    );
  });

  test.each(["sender", "service"] as const)(
    "a queue that takes no message (%s) is an error, never ignored",
    async (fault) => {
      const { call } = fakeQueue(() => fault);
      const sending = sqsQueue(call, queueUrl).send([message(1)]);
      await expect(sending).rejects.toBeInstanceOf(QueueUnavailable);
    },
  );
});

test("a dead letter carries its reason beside the untouched body", async () => {
  const { call, batches } = fakeQueue();
  await sqsDeadLetters(call, queueUrl).send([{ ...message(1), reason: "plan:\u0007 missing\uffff" }]);
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

describe("over the wire", () => {
  const md5 = createHash("md5").update(message(1).body).digest("hex");
  const sent = {
    status: 200,
    body: JSON.stringify({ Successful: [{ Id: "0", MessageId: "m", MD5OfMessageBody: md5 }] }),
  };

  test("a batch is one signed SQS call in the SQS JSON protocol", async () => {
    const server = await serve("sqs", () => sent);
    await sqsQueue(createSqsCall(testIdentity), queueUrl).send([message(1)]);
    expect(server.problems).toEqual([]);
    expect(server.requests.map(({ headers }) => headers["x-amz-target"])).toEqual([
      "AmazonSQS.SendMessageBatch",
    ]);
    expect(JSON.parse(String(server.requests[0]?.body))).toEqual({
      QueueUrl: queueUrl,
      Entries: [
        {
          Id: "0",
          MessageBody: '{"n":1}',
          MessageGroupId: "organization.a",
          MessageDeduplicationId: "event-1",
        },
      ],
    });
  });

  test("a message whose returned checksum differs is an error", async () => {
    await serve("sqs", () => ({ ...sent, body: sent.body.replace(md5, "0".repeat(32)) }));
    const sending = sqsQueue(createSqsCall(testIdentity), queueUrl).send([message(1)]);
    await expect(sending).rejects.toThrow("Invalid MD5 checksum");
  });

  test("a queue that throttles or fails once gets the same batch again, under the same ids", async () => {
    const throttled = { status: 403, body: '{"__type":"com.amazonaws.sqs#RequestThrottled"}' };
    const server = await serve("sqs", (_, count) =>
      count === 1 ? throttled : count === 2 ? "hang up" : sent,
    );
    await sqsQueue(createSqsCall(testIdentity), queueUrl).send([message(1)]);
    expect(server.requests.map(({ body }) => String(body))).toEqual(
      new Array(awsLimits.attemptsMax).fill(String(server.requests[0]?.body)),
    );
  });

  test("a missing queue is an error without retries", async () => {
    const missing = { status: 400, body: '{"__type":"com.amazonaws.sqs#QueueDoesNotExist"}' };
    const server = await serve("sqs", () => missing);
    const sending = sqsQueue(createSqsCall(testIdentity), queueUrl).send([message(1)]);
    await expect(sending).rejects.toMatchObject({ name: "QueueDoesNotExist" });
    expect(server.requests).toHaveLength(1);
  });
});

describe("the bucket", () => {
  const missing = { status: 404, body: "<Error><Code>NoSuchKey</Code></Error>" };

  test("the bucket returns stored objects byte for byte, under names of any kind", async () => {
    const objects = new Map<string, Buffer>();
    const server = await serve("s3", ({ method, target, body }) => {
      const [path = ""] = target.split("?");
      if (method === "PUT") objects.set(path, body);
      const found = objects.get(path);
      return found ? { status: 200, body: method === "GET" ? found.toString() : "" } : missing;
    });
    const bucket = s3Bucket("events", testIdentity);
    for (const name of ["a.json", "it's (one)*!.json", "é 1"]) {
      await bucket.put(name, Buffer.from('{"a":"é"}'));
      expect(Buffer.from((await bucket.get(name)) ?? []).toString()).toBe('{"a":"é"}');
    }
    expect(server.problems).toEqual([]);
    expect([...objects.keys()]).toEqual([
      "/events/a.json",
      "/events/it%27s%20%28one%29%2A%21.json",
      "/events/%C3%A9%201",
    ]);
  });

  test("a missing object is undefined; a forbidden object, a missing bucket or a broken answer is an error", async () => {
    const answers: Readonly<Record<string, ServerTurn>> = {
      "/events/missing": missing,
      "/events/forbidden": { status: 403, body: "<Error><Code>AccessDenied</Code></Error>" },
      "/events/nowhere": { status: 404, body: "<Error><Code>NoSuchBucket</Code></Error>" },
      "/events/broken": "break off",
    };
    await serve("s3", ({ target }) => answers[target.split("?")[0] ?? ""] ?? "hang up");
    const bucket = s3Bucket("events", testIdentity);
    expect(await bucket.get("missing")).toBeUndefined();
    await expect(bucket.get("forbidden")).rejects.toMatchObject({ name: "AccessDenied" });
    await expect(bucket.get("nowhere")).rejects.toMatchObject({ name: "NoSuchBucket" });
    await expect(bucket.get("broken")).rejects.toMatchObject({ name: "NoAnswer" });
  });
});
