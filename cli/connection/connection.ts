import type { Changing } from "../../lib/audit/entry.ts";
import type { EventBucket, EventQueue } from "../../lib/events/ports.ts";
import type { Embedder } from "../../lib/index/embedder.ts";
import type { Table } from "../../lib/store/table.ts";
import type { VectorSearch } from "../../lib/store/vectors.ts";
import type { Input } from "../command.ts";
import { UsageFault } from "../fault.ts";

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
  readonly audited: Changing;
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

/** Opens what --data or --stack names, runs the work on it and closes it, come what may. */
export async function withConnection<Result>(
  input: Input,
  work: (connection: Connection) => Promise<Result>,
  { create = false }: { readonly create?: boolean } = {},
): Promise<Result> {
  const connection = await open(input, create);
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

async function open(input: Input, create: boolean): Promise<Connection> {
  const stack = input.text("stack");
  const data = input.text("data");
  if (stack !== undefined) {
    if (data !== undefined) throw new UsageFault("--data and --stack exclude each other.");
    return (await import("./stack.ts")).connectToStack(stack, input.text("region"));
  }
  if (input.text("region") !== undefined) throw new UsageFault("--region goes with --stack.");
  return (await import("./local.ts")).connectLocally(data ?? defaultDataPath, { create });
}
