import * as z from "zod";
import type { EventQueue } from "../events/ports.ts";
import type { SqsCall } from "../events/sqs-client.ts";
import { chunksOf } from "../runtime/chunks.ts";
import { toTimestamp } from "../runtime/clock.ts";
import type { Random } from "../runtime/random.ts";
import type { FailedEvent } from "./connection.ts";

type StackDeadLettersOptions = {
  readonly call: SqsCall;
  readonly queueUrl: string;
  /** The queue that a letter is sent back to. */
  readonly queue: EventQueue;
  readonly random: Random;
};

export const receiveMessagesMax = 10;
const holdSeconds = 60;

const messageSchema = z.object({
  MessageId: z.string(),
  ReceiptHandle: z.string(),
  Body: z.string(),
  Attributes: z.record(z.string(), z.string()).default({}),
  MessageAttributes: z.record(z.string(), z.object({ StringValue: z.string().optional() })).default({}),
});
const receivedSchema = z.object({ Messages: z.array(messageSchema).default([]) });
type Message = z.output<typeof messageSchema>;

/**
 * The letters of a FIFO dead-letter queue. SQS delivers the next messages of a group only after the earlier ones are
 * deleted, so a caller that only reads sees the first ten of each group; a caller that sends them again sees all.
 * Letters that were read are hidden from others for a moment and made visible at the end.
 */
export async function* failedEventsOf(deps: StackDeadLettersOptions): AsyncGenerator<FailedEvent> {
  /**
   * The messages that were sent again here. If one fails again, it returns as a letter with that id and is left for the
   * next run; otherwise this would never end. Times cannot distinguish them: the queue's clock is not this machine's.
   */
  const sentAgain = new Set<string>();
  /** The newest receipt handle of every received letter, by message id. */
  const held = new Map<string, string>();
  const seen = new Set<string>();
  let seenInARow = 0;
  try {
    for (;;) {
      const messages = await receive(deps);
      const fresh = messages.filter(({ MessageId }) => !seen.has(MessageId));
      for (const { MessageId, ReceiptHandle } of messages) {
        seen.add(MessageId);
        held.set(MessageId, ReceiptHandle);
      }
      // If the caller takes longer than the visibility timeout, SQS delivers the first letters again; after a whole
      // round of known letters, or an empty answer, all letters were seen.
      seenInARow = fresh.length > 0 ? 0 : seenInARow + messages.length;
      if (messages.length === 0 || seenInARow >= seen.size) return;
      for (const message of fresh)
        if (!sentAgain.has(idOf(message))) yield failedEvent(deps, message, { held, sentAgain });
    }
  } finally {
    await release(deps, [...held.values()]);
  }
}

async function receive({ call, queueUrl, random }: StackDeadLettersOptions): Promise<readonly Message[]> {
  const received = await call("ReceiveMessage", {
    QueueUrl: queueUrl,
    // If the answer is lost, SQS delivers the same letters again instead of keeping them hidden.
    ReceiveRequestAttemptId: random.uuid(),
    MaxNumberOfMessages: receiveMessagesMax,
    VisibilityTimeout: holdSeconds,
    WaitTimeSeconds: 1,
    MessageAttributeNames: ["reason"],
    MessageSystemAttributeNames: ["All"],
  });
  return receivedSchema.parse(received).Messages;
}

const idOf = ({ Attributes, MessageId }: Message): string => Attributes.MessageDeduplicationId ?? MessageId;

type Run = { readonly held: Map<string, string>; readonly sentAgain: Set<string> };

function failedEvent(deps: StackDeadLettersOptions, message: Message, { held, sentAgain }: Run): FailedEvent {
  const { Body, Attributes, MessageAttributes, MessageId } = message;
  const group = Attributes.MessageGroupId ?? MessageId;
  const sentMs = Number(Attributes.SentTimestamp);
  const drop = async () => {
    const ReceiptHandle = held.get(MessageId) ?? message.ReceiptHandle;
    await deps.call("DeleteMessage", { QueueUrl: deps.queueUrl, ReceiptHandle });
    held.delete(MessageId);
  };
  return {
    letterId: MessageId,
    id: idOf(message),
    group,
    // The worker adds its reason; a message that the queue itself gave up on has none.
    reason: MessageAttributes.reason?.StringValue ?? "Delivered too often without success.",
    failedAt: Number.isFinite(sentMs) ? toTimestamp(sentMs) : null,
    body: Body,
    async redrive() {
      // A new id: the queue would treat the old one as a duplicate and drop it.
      const id = deps.random.uuid();
      sentAgain.add(id);
      await deps.queue.send([{ id, group, body: Body }]);
      await drop();
      return id;
    },
    drop,
  };
}

async function release(
  { call, queueUrl }: StackDeadLettersOptions,
  handles: readonly string[],
): Promise<void> {
  for (const some of chunksOf(handles, receiveMessagesMax)) {
    const Entries = some.map((ReceiptHandle, index) => ({
      Id: String(index),
      ReceiptHandle,
      VisibilityTimeout: 0,
    }));
    await call("ChangeMessageVisibilityBatch", { QueueUrl: queueUrl, Entries });
  }
}
