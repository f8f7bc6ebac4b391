import * as z from "zod";
import { eventLimits } from "../contract/limits.ts";
import { queueLimits } from "../contract/platform.ts";
import type { AwsIdentity } from "../runtime/aws-identity.ts";
import type { DeadLetterQueue, EventQueue, QueueMessage } from "./ports.ts";
import type { SqsCall } from "./sqs-client.ts";

/** The queue refused messages, also after retries. */
export class QueueUnavailable extends Error {
  override readonly name = "QueueUnavailable";
}

/** The client of SQS is loaded with the first call: most batches of events have no dead letters. */
export function createSqsCall(identity?: AwsIdentity): SqsCall {
  let opened: Promise<SqsCall> | undefined;
  return async (operation, input) => {
    opened ??= import("./sqs-client.ts").then(({ openSqs }) => openSqs(identity));
    return (await opened)(operation, input);
  };
}

export const sqsQueue = (call: SqsCall, queueUrl: string): EventQueue => ({
  send: (messages) => sendAll(call, queueUrl, messages.map(entryOf)),
});

export const sqsDeadLetters = (call: SqsCall, queueUrl: string): DeadLetterQueue => ({
  send: (letters) =>
    sendAll(
      call,
      queueUrl,
      letters.map(({ reason, ...message }) => ({
        ...entryOf(message),
        MessageAttributes: { reason: { DataType: "String", StringValue: attributeText(reason) } },
      })),
    ),
});

type Entry = {
  readonly MessageBody: string;
  readonly MessageGroupId: string;
  readonly MessageDeduplicationId: string;
  readonly MessageAttributes?: { readonly [name: string]: { DataType: string; StringValue: string } };
};

const entryOf = ({ id, group, body }: QueueMessage): Entry => ({
  MessageBody: body,
  MessageGroupId: group,
  MessageDeduplicationId: id,
});

/** Attributes accept neither control characters nor empty text. */
const attributeText = (text: string): string =>
  text.replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, " ") || "unknown";

/** Sends one batch after another: refused messages are sent again before anything later. */
async function sendAll(call: SqsCall, queueUrl: string, entries: readonly Entry[]): Promise<void> {
  for (const batch of batchesOf(entries)) {
    let left: readonly Entry[] = batch;
    for (let attempt = 0; left.length > 0; attempt++) {
      if (attempt === eventLimits.sendAttemptsMax) throw new QueueUnavailable("The queue refused messages.");
      left = await sendBatch(call, queueUrl, left);
    }
  }
}

const answerSchema = z.object({
  Failed: z
    .array(z.object({ Id: z.string(), SenderFault: z.boolean().optional(), Code: z.string().optional() }))
    .default([]),
});

/** Returns the messages that the queue did not accept. */
async function sendBatch(call: SqsCall, QueueUrl: string, batch: readonly Entry[]): Promise<Entry[]> {
  const Entries = batch.map((entry, index) => ({ ...entry, Id: String(index) }));
  const { Failed } = answerSchema.parse(await call("SendMessageBatch", { QueueUrl, Entries }));
  const refused = Failed.find(({ SenderFault }) => SenderFault);
  if (refused)
    throw new QueueUnavailable(`The queue takes no such message: ${refused.Code ?? "no reason given"}`);
  const failed = new Set(Failed.map(({ Id }) => Id));
  return batch.filter((_, index) => failed.has(String(index)));
}

/** A batch has the size limit of a single message. */
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
