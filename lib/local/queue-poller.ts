import { createHash } from "node:crypto";
import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { eventQueueSettings } from "../contract/platform.ts";
import type { Clock } from "../runtime/clock.ts";
import type { GroupItem, LocalQueue, MessageItem } from "./queue.ts";

export type QueuePollerOptions = {
  readonly queue: LocalQueue;
  /** The ingest worker: takes messages, returns the ids of those that failed. */
  readonly deliver: (event: SQSEvent) => Promise<SQSBatchResponse>;
  readonly clock: Clock;
  readonly onFault?: (error: unknown) => void;
  /** After this many receives the queue itself gives up on a message. */
  readonly receivesMax?: number;
};

const groupsAtOnce = 8;
const idleMs = 150;
/** SQS would wait the whole visibility timeout; here a person is waiting. */
const backOffMs = { base: 100, max: 5_000 };

/**
 * Does what the SQS trigger of Lambda does: each group in order and one batch at a time, several groups in parallel,
 * failed messages again after a delay, and messages that keep failing to the dead letters.
 */
export class QueuePoller {
  readonly #options: QueuePollerOptions;
  readonly #busy = new Map<string, Promise<void>>();
  readonly #notBeforeMs = new Map<string, number>();
  #onApplied: (count: number) => void = () => undefined;

  constructor(options: QueuePollerOptions) {
    this.#options = options;
  }

  /** Runs until the signal aborts; running batches are then finished. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, onFault } = this.#options;
    while (!signal.aborted) {
      await this.#startGroups(signal).catch((error: unknown) => onFault?.(error));
      await clock.sleep(idleMs, signal).catch(() => undefined);
    }
    await Promise.all(this.#busy.values());
  }

  /** Runs until no message is left; calls `onApplied` with the number of newly applied messages. */
  async drain(onApplied: (count: number) => void = () => undefined): Promise<void> {
    this.#onApplied = onApplied;
    while ((await this.#startGroups()) > 0) {
      const pause = this.#options.clock.sleep(idleMs);
      await Promise.race([pause, ...this.#busy.values()]);
    }
  }

  /** How many groups still have messages, including those that wait for another attempt. */
  async #startGroups(signal?: AbortSignal): Promise<number> {
    const groups = await this.#options.queue.groups();
    const nowMs = this.#options.clock.nowMs();
    for (const group of groups) {
      if (this.#busy.size >= groupsAtOnce) break;
      const waits = (this.#notBeforeMs.get(group.group) ?? 0) > nowMs;
      if (waits || this.#busy.has(group.group)) continue;
      const work = this.#workOff(group, signal)
        .catch((error: unknown) => this.#options.onFault?.(error))
        .finally(() => this.#busy.delete(group.group));
      this.#busy.set(group.group, work);
    }
    return groups.length;
  }

  async #workOff(group: GroupItem, signal: AbortSignal | undefined): Promise<void> {
    const { queue } = this.#options;
    while (!signal?.aborted) {
      const messages = await queue.receive(group.group, eventQueueSettings.batchMessagesMax);
      if (messages.length === 0) return queue.retireGroup(group);
      const failed = await this.#deliver(messages);
      const applied = messages.filter((message) => !failed.has(message.message_id));
      await queue.acknowledge(applied);
      this.#onApplied(applied.length);
      if (failed.size > 0) return this.#putBack(messages.filter(({ message_id }) => failed.has(message_id)));
    }
  }

  /** The ids of the messages that failed; an invalid answer means all of them, as on AWS. */
  async #deliver(messages: readonly MessageItem[]): Promise<ReadonlySet<string>> {
    const all = new Set(messages.map((message) => message.message_id));
    try {
      const { batchItemFailures } = await this.#options.deliver({ Records: messages.map(sqsRecord) });
      const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
      return failed.isSubsetOf(all) ? failed : all;
    } catch (error) {
      this.#options.onFault?.(error);
      return all;
    }
  }

  /** As on SQS, every received message counts the receive, even one that came after the failed one. */
  async #putBack(returned: readonly MessageItem[]): Promise<void> {
    const { queue, clock, receivesMax = eventQueueSettings.receivesMax } = this.#options;
    for (const message of returned) {
      const receives = message.receives + 1;
      if (receives >= receivesMax) await queue.bury(message, `Received ${receives} times without success.`);
      else await queue.returnToQueue(message);
    }
    const [first] = returned;
    if (!first) return;
    const pauseMs = Math.min(backOffMs.max, backOffMs.base * 2 ** first.receives);
    this.#notBeforeMs.set(first.group, clock.nowMs() + pauseMs);
  }
}

function sqsRecord({ message_id, id, group, body, sk, sent_at_ms, receives }: MessageItem): SQSRecord {
  return {
    messageId: message_id,
    receiptHandle: sk,
    body,
    attributes: {
      ApproximateReceiveCount: String(receives + 1),
      SentTimestamp: String(sent_at_ms),
      SequenceNumber: sk,
      MessageGroupId: group,
      MessageDeduplicationId: id,
      SenderId: "local",
      ApproximateFirstReceiveTimestamp: String(sent_at_ms),
    },
    messageAttributes: {},
    md5OfBody: createHash("md5").update(body).digest("hex"),
    eventSource: "aws:sqs",
    eventSourceARN: "arn:aws:sqs:local:000000000000:events.fifo",
    awsRegion: "local",
  };
}
