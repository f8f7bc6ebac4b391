import type { Context, SQSEvent } from "aws-lambda";
import { beforeAll, expect, test } from "vitest";
import * as kinds from "../../lib/contract/items.ts";
import { useStore } from "../support/engine.ts";
import { withGrants } from "../support/granted-table.ts";
import {
  createIngestHarness,
  event,
  organizationName,
  organizationSaved,
  repositorySaved,
  toMessages,
  uuidOf,
  workspaceSaved,
} from "./support.ts";

const store = useStore();

beforeAll(() => {
  process.env.TABLE_NAME = store().tableName;
  process.env.DYNAMODB_ENDPOINT = store().endpoint;
  process.env.EVENTS_BUCKET = "events";
  process.env.DEAD_LETTER_QUEUE_URL = "http://127.0.0.1:9/0/dead.fifo";
  process.env.AWS_ENDPOINT_URL_SQS = "http://127.0.0.1:9";
  process.env.AWS_REGION = "eu-test-1";
  process.env.AWS_ACCESS_KEY_ID = "test";
  process.env.AWS_SECRET_ACCESS_KEY = "test";
});

const unused = () => undefined;
const context: Context = {
  callbackWaitsForEmptyEventLoop: false,
  functionName: "ingest",
  functionVersion: "1",
  invokedFunctionArn: "",
  memoryLimitInMB: "1024",
  awsRequestId: "",
  logGroupName: "",
  logStreamName: "",
  getRemainingTimeInMillis: () => 30_000,
  done: unused,
  fail: unused,
  succeed: unused,
};

async function batch(
  events = [organizationSaved(1), workspaceSaved(1), repositorySaved(2)],
): Promise<SQSEvent> {
  const messages = await toMessages(createIngestHarness(store().table), events);
  const Records = messages.map(({ id, group, body }, index) => ({
    messageId: `message-${index}`,
    receiptHandle: "",
    body,
    attributes: {
      MessageGroupId: group,
      MessageDeduplicationId: id,
      ApproximateReceiveCount: "1",
      SentTimestamp: "0",
      SenderId: "test",
      ApproximateFirstReceiveTimestamp: "0",
    },
    messageAttributes: {},
    md5OfBody: "",
    eventSource: "aws:sqs",
    eventSourceARN: "arn:aws:sqs:eu-test-1:000000000000:events.fifo",
    awsRegion: "eu-test-1",
  }));
  return { Records };
}

const ingestHandler = async () =>
  withGrants("ingest", (await import("../../functions/workers/ingest.ts")).handler);

test("the worker applies a batch of the queue and reports nothing to deliver again", async () => {
  const handler = await ingestHandler();
  expect(await handler(await batch(), context)).toEqual({ batchItemFailures: [] });
  expect(await store().table.get(kinds.organization.key({ organization: uuidOf() }))).toMatchObject({
    name: "Widgets",
  });
});

test("if a dead letter cannot be sent, its event and its group's later events are reported by message id", async () => {
  const handler = await ingestHandler();
  const { Records } = await batch();
  const [first, ...others] = Records;
  const broken = first ? [{ ...first, body: "{" }] : [];
  const answer = await handler({ Records: [...broken, ...others] }, context);
  expect(answer).toEqual({
    batchItemFailures: [{ itemIdentifier: "message-0" }, { itemIdentifier: "message-2" }],
  });
});

test("messages without the name of their group are applied in their order: none waits for an earlier one", async () => {
  const { handler } = await import("../../functions/workers/ingest.ts");
  const name = organizationName("1002");
  const captured = {
    ...name,
    repository_id: "9",
    learning: "Return early.",
    author_id: "8001",
    source: "chat",
  };
  const events = [
    organizationSaved(1, { ...name, workspace_id: null }),
    repositorySaved(2, { ...name, repository_id: "9" }),
    event("learning.captured", 3, captured),
  ];
  const { Records } = await batch(events);
  const withoutGroups = Records.map(({ attributes: { MessageGroupId: _, ...attributes }, ...record }) => ({
    ...record,
    attributes,
  }));
  expect(await handler({ Records: withoutGroups }, context)).toEqual({ batchItemFailures: [] });
  const { items } = await store().table.queryPage({
    pk: kinds.learning.partition({ organization: uuidOf("1002") }),
  });
  // A capture that waited is pending first, and the audit log names the approval.
  expect(items).toMatchObject([{ state: "approved" }]);
});

test("the clock worker runs on the same table", async () => {
  const { handler } = await import("../../functions/workers/expire-waiting.ts");
  await expect(withGrants("expireWaiting", handler)()).resolves.toBeUndefined();
});
