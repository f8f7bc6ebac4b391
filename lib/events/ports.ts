/** The ports of the write side. SQS and S3 on AWS; the engine and a folder on a laptop. */

import type { KnownTenants } from "../metrics/finalize.ts";
import type { Store } from "../store/retry-on-conflict.ts";
import type { Table } from "../store/table.ts";

export type QueueMessage = {
  /** Deduplication id: the event's id, or a new one when an operator sends a dead letter again. */
  readonly id: string;
  /** Messages of one group stay in order. */
  readonly group: string;
  readonly body: string;
  /**
   * How often the queue has delivered the message, including this time. In a FIFO queue this is not the number of
   * tries: a message is received together with the one before it, and comes back untried when that one fails.
   */
  readonly receives?: number;
  /** The queue's own id of this sending: the same at each receive, different when the same event is sent again. */
  readonly sending?: string;
};

export type DeadLetter = QueueMessage & { readonly reason: string };

export interface EventQueue {
  send(messages: readonly QueueMessage[]): Promise<void>;
}

export interface DeadLetterQueue {
  send(letters: readonly DeadLetter[]): Promise<void>;
}

export interface EventBucket {
  put(name: string, content: Uint8Array): Promise<void>;
  get(name: string): Promise<Uint8Array | undefined>;
}

/** The log of the write side, for results that no caller receives. */
export type EventLog = (
  level: "info" | "warn" | "error",
  message: string,
  fields: { readonly [name: string]: unknown },
) => void;

/** Applied, stored until its dependency arrives, or given up. */
export type EventOutcome = "applied" | "waiting" | "dead";

/**
 * The messages of tries that count wrongly, by the try's id. A store that becomes unavailable accepts neither the event
 * nor that its try is taken back: the worker, if it continues to run, takes the try back before its next batch.
 */
export type TriesToTakeBack = Map<string, string>;

export type EventDeps = Store & {
  readonly bucket: EventBucket;
  readonly deadLetters: DeadLetterQueue;
  readonly log: EventLog;
  /** The table for counting tries, also when the time for the events is up; `table` by default. */
  readonly triesTable?: Table;
  /** Kept from one batch of a worker to the next. */
  readonly triesToTakeBack?: TriesToTakeBack;
  /** Kept from one batch of a worker to the next, too. */
  readonly knownTenants?: KnownTenants;
  /** Throws when the time for the events is up; without it there is no time limit. */
  readonly checkTime?: () => void;
  /** How long the events of this delivery may take; without it there is no time limit. */
  readonly timeBudgetMs?: number;
  /** The longest time that the store or the bucket took for an answer in this delivery. */
  readonly slowestAnswerMs?: () => number;
  /** After how many receives with only temporary errors a message is given up; by default the queue's setting. */
  readonly receivesMax?: number;
  /** Receives the outcome of every event. */
  readonly onOutcome?: (outcome: EventOutcome) => void;
};
