/** What the write side needs from outside. SQS and S3 on AWS; the engine and a folder on a laptop. */

import type { Store } from "../store/retry-on-conflict.ts";
import type { Table } from "../store/table.ts";

export type QueueMessage = {
  /** Deduplication id: the event's id, or a fresh one when an operator sends a dead letter again. */
  readonly id: string;
  /** Messages of one group stay in order. */
  readonly group: string;
  readonly body: string;
  /**
   * How often the queue has handed it out, this time included. In a FIFO queue that is no count of tries: a message
   * is received together with the one before it, and comes back untried when that one fails.
   */
  readonly receives?: number;
  /** The queue's own id of this sending: the same at each receive, another when the same event is sent again. */
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

/** Where the write side reports what no caller hears of. */
export type EventLog = (
  level: "info" | "warn" | "error",
  message: string,
  fields: { readonly [name: string]: unknown },
) => void;

/** Applied, kept until what it needs arrives, or given up. */
export type EventOutcome = "applied" | "waiting" | "dead";

/** How a try ended that did not apply its event. */
export type TryEnd = "unclear" | "passing" | "outlasted";

/**
 * Ends of tries that the store did not take, by the try's id. A store that is away takes neither the event nor the end
 * of its try: the worker, which lives on, tells the end before its next batch. Else it would look as if the event had
 * ended the worker.
 */
export type UntoldEnds = Map<string, { readonly messageId: string; readonly end: TryEnd }>;

export type EventDeps = Store & {
  readonly bucket: EventBucket;
  readonly deadLetters: DeadLetterQueue;
  readonly log: EventLog;
  /** Where tries are counted, also when the time for the events is up; the same table unless it is given. */
  readonly triesTable?: Table;
  /** Ends of tries that the store did not take; kept from one batch of a worker to the next. */
  readonly untoldEnds?: UntoldEnds;
  /** Throws when the time for the events is up; without it there is no end. */
  readonly checkTime?: () => void;
  /** How long the events of this delivery may take; without it there is no end. */
  readonly timeBudgetMs?: number;
  /** After how many receives a message is given up that met nothing but passing faults; else what the queue is set to. */
  readonly receivesMax?: number;
  /** Hears what became of every event. */
  readonly onOutcome?: (outcome: EventOutcome) => void;
};
