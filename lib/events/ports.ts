/** What the write side needs from outside. SQS and S3 on AWS; the engine and a folder on a laptop. */

import type { Store } from "../store/decide.ts";

export type QueueMessage = {
  /** Deduplication id: the event's id, or a fresh one when an operator sends a dead letter again. */
  readonly id: string;
  /** Messages of one group stay in order. */
  readonly group: string;
  readonly body: string;
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

export type EventDeps = Store & {
  readonly bucket: EventBucket;
  readonly deadLetters: DeadLetterQueue;
  readonly log: EventLog;
  /** Hears what became of every event. */
  readonly onOutcome?: (outcome: EventOutcome) => void;
};
