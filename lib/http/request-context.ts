import type { APIGatewayProxyEvent } from "aws-lambda";
import type { OperationContext } from "../access/operation-context.ts";
import type { Principal } from "../access/principal.ts";
import type { Admission } from "../access/rate-limiter.ts";
import type { Operation } from "../contract/operation.ts";
import type { StoreMeter } from "../store/meter.ts";
import type { Table } from "../store/table.ts";
import type { Deadline } from "./deadline.ts";
import type { OperationResult } from "./operation-result.ts";

export type RunOperation<Op extends Operation> = (call: OperationContext<Op>) => Promise<OperationResult>;

/** What the answer and the log line of a request need. The last three are filled in as soon as they are known. */
export type RequestContext = {
  readonly operation: Operation;
  readonly event: APIGatewayProxyEvent;
  readonly requestId: string;
  readonly startedAtMs: number;
  readonly deadline: Deadline;
  readonly meter: StoreMeter;
  readonly table: Table;
  principal?: Principal;
  admission?: Admission;
  /** The limiter could not count the request. */
  limiterFailed?: boolean;
};
