import {
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import { eventLimits } from "../contract/limits.ts";
import { queueLimits } from "../contract/platform.ts";
import type { DeadLetterQueue, EventQueue, QueueMessage } from "./ports.ts";

/** The queue refused messages, also when they were sent again. */
export class QueueUnavailable extends Error {
  override readonly name = "QueueUnavailable";
}

export const sqsQueue = (client: SQSClient, queueUrl: string): EventQueue => ({
  send: (messages) => sendAll(client, queueUrl, messages.map(entryOf)),
});

export const sqsDeadLetters = (client: SQSClient, queueUrl: string): DeadLetterQueue => ({
  send: (letters) =>
    sendAll(
      client,
      queueUrl,
      letters.map(({ reason, ...message }) => ({
        ...entryOf(message),
        MessageAttributes: { reason: { DataType: "String", StringValue: attributeText(reason) } },
      })),
    ),
});

type Entry = Omit<SendMessageBatchRequestEntry, "Id" | "MessageBody"> & { readonly MessageBody: string };

const entryOf = ({ id, group, body }: QueueMessage): Entry => ({
  MessageBody: body,
  MessageGroupId: group,
  MessageDeduplicationId: id,
});

/** Attributes take neither control characters nor nothing at all. */
const attributeText = (text: string): string =>
  text.replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, " ") || "unknown";

/** One batch after another: what stays behind is sent again before anything later is. */
async function sendAll(client: SQSClient, queueUrl: string, entries: readonly Entry[]): Promise<void> {
  for (const batch of batchesOf(entries)) {
    let left: readonly Entry[] = batch;
    for (let attempt = 0; left.length > 0; attempt++) {
      if (attempt === eventLimits.sendAttemptsMax) throw new QueueUnavailable("The queue refused messages.");
      left = await sendBatch(client, queueUrl, left);
    }
  }
}

/** Answers what the queue did not take. */
async function sendBatch(client: SQSClient, QueueUrl: string, batch: readonly Entry[]): Promise<Entry[]> {
  const Entries = batch.map((entry, index) => ({ ...entry, Id: String(index) }));
  const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
  const refused = Failed.find(({ SenderFault }) => SenderFault);
  if (refused)
    throw new QueueUnavailable(`The queue takes no such message: ${refused.Code ?? "no reason given"}`);
  const failed = new Set(Failed.map(({ Id }) => Id));
  return batch.filter((_, index) => failed.has(String(index)));
}

/** A batch has the limit of a single message. */
function batchesOf(entries: readonly Entry[]): Entry[][] {
  const batches: Entry[][] = [];
  let bytes = 0;
  for (const entry of entries) {
    const size = Buffer.byteLength(entry.MessageBody) + eventLimits.messageOverheadBytesMax;
    const batch = batches.at(-1);
    const fits =
      batch !== undefined &&
      batch.length < eventLimits.sendBatchMessagesMax &&
      bytes + size <= queueLimits.messageBytesMax;
    if (fits) batch.push(entry);
    else batches.push([entry]);
    bytes = fits ? bytes + size : size;
  }
  return batches;
}
