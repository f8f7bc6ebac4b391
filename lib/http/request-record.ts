import type { APIGatewayProxyEvent } from "aws-lambda";
import type { Principal } from "../access/principal.ts";
import type { Admission } from "../access/rate-limiter.ts";
import type { Operation } from "../contract/operation.ts";
import { boundedTable } from "../store/bounded.ts";
import { StoreMeter } from "../store/meter.ts";
import type { Table } from "../store/table.ts";
import { type Deadline, openDeadline, workTimeOf } from "./deadline.ts";
import { dependencies } from "./dependencies.ts";
import { requestIdOf } from "./headers.ts";

/** What the answer and the log line of a request need. The last ones are missing until a step has set them. */
export type RequestRecord = {
  readonly operation: Operation;
  readonly event: APIGatewayProxyEvent;
  readonly requestId: string;
  readonly startedAtMs: number;
  readonly deadline: Deadline;
  readonly meter: StoreMeter;
  /** Sends writes at once; the operation gets a table whose writes wait for the limiter. */
  readonly table: Table;
  principal?: Principal;
  admission?: Admission;
  /** The limiter could not count the request. */
  limiterFailed?: boolean;
  /** Searches of the vector index. */
  vectorSearches?: number;
};

/** `remainingMs` comes from Lambda. */
export function openRecord(
  operation: Operation,
  event: APIGatewayProxyEvent,
  remainingMs: number,
): RequestRecord {
  const { clock, random, table } = dependencies();
  const meter = new StoreMeter();
  const deadline = openDeadline(clock, workTimeOf(operation), remainingMs);
  const until = { signal: deadline.hardDeadline, isOver: deadline.isOver };
  return {
    operation,
    event,
    meter,
    deadline,
    requestId: requestIdOf(event, random),
    startedAtMs: clock.nowMs(),
    // After the deadline the caller has an answer, so no new call to the store may begin.
    table: boundedTable(table.metered(meter), until),
  };
}
