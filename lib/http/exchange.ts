import type { APIGatewayProxyEvent } from "aws-lambda";
import type * as z from "zod";
import type { Principal } from "../access/principal.ts";
import type { Admission } from "../access/rate-limiter.ts";
import type { ReadableRepositories } from "../access/readable.ts";
import type { Scope } from "../access/scope.ts";
import type { Actor } from "../audit/entry.ts";
import type { Operation } from "../contract/operation.ts";
import type { Chance } from "../runtime/chance.ts";
import type { Clock } from "../runtime/clock.ts";
import type { StoreMeter } from "../store/meter.ts";
import type { Item, Table } from "../store/table.ts";
import type { Paging } from "./cursors.ts";
import type { Deadline } from "./deadline.ts";
import type { Reply } from "./reply.ts";

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** The validated request, typed from the contract. */
export type Input<Op extends Operation> = {
  readonly path: Parsed<Op["pathParameters"]>;
  readonly query: Parsed<Op["query"]>;
  readonly body: Parsed<Op["body"]>;
};

/** What a verb gets. It never sees an API Gateway event. */
export type Call<Op extends Operation = Operation> = {
  readonly principal: Principal;
  readonly scope: Scope;
  /** The repositories that the caller can read; every one, but for user keys where the operation is `readableOnly`. */
  readonly readable: ReadableRepositories;
  readonly input: Input<Op>;
  readonly paging: Paging;
  /** Reads go out at once; writes wait by themselves until the rate limiter has admitted the call. */
  readonly table: Table;
  readonly clock: Clock;
  readonly chance: Chance;
  /** What the operation asked to be read together with authentication. */
  readonly alongside: ReadonlyArray<Item | undefined>;
  /** How long audit entries are kept; also what a writer of entries needs. */
  readonly retentionDays: number;
  /** The caller as the audit log names it. */
  readonly actor: Actor;
  readonly requestId: string;
  readonly gatewayRequestId: string | null;
  readonly ipAddress: string | null;
  /** Fires shortly before the time is up, or when the call was refused: answer what there is. */
  readonly signal: AbortSignal;
};

export type Verb<Op extends Operation> = (call: Call<Op>) => Promise<Reply>;

/** What the answer and the log line of a request need. The last three are filled in as soon as they are known. */
export type Exchange = {
  readonly operation: Operation;
  readonly event: APIGatewayProxyEvent;
  readonly requestId: string;
  readonly startedAtMs: number;
  readonly deadline: Deadline;
  readonly meter: StoreMeter;
  readonly table: Table;
  principal?: Principal;
  admission?: Admission;
  /** The limiter could not be asked. */
  limiterFailed?: boolean;
};
