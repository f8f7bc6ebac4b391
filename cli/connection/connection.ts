import type { AuditedContext } from "../../lib/audit/entry.ts";
import type { EventBucket, EventQueue } from "../../lib/events/ports.ts";
import type { Embedder } from "../../lib/index/embedder.ts";
import type { Table } from "../../lib/store/table.ts";
import type { VectorSearch } from "../../lib/store/vectors.ts";

export type FailedEvent = {
  /** This failure: an event that fails twice has two. */
  readonly letterId: string;
  /** The id of the message: of the event, or of the attempt that sent it again. */
  readonly id: string;
  readonly group: string;
  readonly reason: string;
  readonly failedAt: string | null;
  readonly body: string;
  /** Puts it back at the end of its group, where it is no failed event any more; answers the new message's id. */
  redrive(): Promise<string>;
};

/** What the operator's commands work on: the local service or a deployed stack, the same to all of them. */
export type Connection = {
  readonly table: Table;
  /** For whatever writes an audit entry: the place decides how long entries are kept. */
  readonly audited: AuditedContext;
  readonly vectors: VectorSearch;
  /** What the review index of this place is made with. */
  embedder(): Promise<Embedder>;
  readonly queue: EventQueue;
  readonly bucket: EventBucket;
  failedEvents(): AsyncIterable<FailedEvent>;
  /** As many of a group are shown at most; absent where all are. */
  readonly failedEventsShownMax?: number;
  /** Waits until what was sent is applied; false if that takes too long to wait for. */
  settle(): Promise<boolean>;
  /** `events send` waits too. Not on a stack: its workers may be busy with others' events for hours. */
  readonly waitsAfterSend: boolean;
  close(): Promise<void>;
};

export const defaultDataPath = ".review-api";
