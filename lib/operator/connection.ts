import type { AuditedContext } from "../audit/entry.ts";
import type { EventBucket, EventQueue } from "../events/ports.ts";
import type { Embedder } from "../index/embedder.ts";
import type { Table } from "../store/table.ts";
import type { VectorSearch } from "../store/vectors.ts";

export type FailedEvent = {
  /** The id of this failure: an event that fails twice has two letters. */
  readonly letterId: string;
  /** The id of the message: the event's id, or the id of the attempt that sent it again. */
  readonly id: string;
  readonly group: string;
  readonly reason: string;
  readonly failedAt: string | null;
  readonly body: string;
  /**
   * Moves the message back to the end of its group, where it no longer counts as failed; returns the new message's id.
   */
  redrive(): Promise<string>;
  /** Removes the message for good. */
  drop(): Promise<void>;
};

/** What the operator's commands work on: the local service or a deployed stack, behind the same interface. */
export type Connection = {
  readonly table: Table;
  /** For operations that write an audit entry: the connection determines how long entries are kept. */
  readonly audited: AuditedContext;
  /** Of a stack: who works on it, as AWS names it. */
  identityName?(): Promise<string>;
  readonly vectors: VectorSearch;
  /** The embedder that the review index of this connection uses. */
  embedder(): Promise<Embedder>;
  readonly queue: EventQueue;
  readonly bucket: EventBucket;
  failedEvents(): AsyncIterable<FailedEvent>;
  /** How many failed events of a group are shown at most; absent if all are shown. */
  readonly failedEventsShownMax?: number;
  /** Waits until all sent events are applied; false if that takes too long. */
  settle(): Promise<boolean>;
  /** True if `events send` waits too. False on a stack: its workers may be busy with other events for hours. */
  readonly waitsAfterSend: boolean;
  close(): Promise<void>;
};

export const defaultDataPath = ".review-api";
