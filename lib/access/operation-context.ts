import type * as z from "zod";
import type { Actor } from "../audit/entry.ts";
import type { Operation } from "../contract/operation.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Random } from "../runtime/random.ts";
import type { ReadAhead } from "../store/read-ahead.ts";
import type { Table } from "../store/table.ts";
import type { ScopeMark } from "./follow-scope.ts";
import type { Principal } from "./principal.ts";
import type { ReadableRepositories } from "./readable.ts";
import type { Scope } from "./scope.ts";

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** The validated request, typed from the contract. */
export type OperationInput<Op extends Operation> = {
  readonly path: Parsed<Op["pathParameters"]>;
  readonly query: Parsed<Op["query"]>;
  readonly body: Parsed<Op["body"]>;
};

/** A position in a walk, in the form that its cursor stores. */
export type CursorPosition = string | number | ReadonlyArray<string | number>;

export type Paging = {
  /** Where this page begins; null for the first page. */
  readonly position: CursorPosition | null;
  /** True if the walk reached its end before and now continues. */
  readonly resumes: boolean;
  readonly pageSize: number;
  /** Makes the text of `next_cursor`. `mark` is the scope mark of a walk over several organizations. */
  next(position: CursorPosition, mark?: ScopeMark): string;
  /** Makes the text of `x-resume-cursor`. */
  resume(position: CursorPosition, mark?: ScopeMark): string;
};

/** The argument of the function that runs an operation. It never contains an API Gateway event. */
export type OperationContext<Op extends Operation = Operation> = {
  readonly principal: Principal;
  readonly scope: Scope;
  /** The text of the caller's key: new values are derived from it. Never logged or stored. */
  readonly keyText: string;
  /** The request ends the caller's own key: it is done whatever the rest of the request says. */
  readonly endsItself: boolean;
  /** The repositories that the caller can read: all, except for user keys on `readableOnly` operations. */
  readonly readable: ReadableRepositories;
  readonly input: OperationInput<Op>;
  readonly paging: Paging;
  /** Reads are sent at once. Writes wait until the rate limiter has admitted the call. */
  readonly table: Table;
  /** Fulfilled when the rate limiter has admitted the call. Other costly work than writes waits for it too. */
  readonly admitted: Promise<unknown>;
  readonly clock: Clock;
  readonly random: Random;
  /** The items that the operation asked to read together with authentication, by their keys. */
  readonly prefetched: ReadAhead;
  /** How long audit entries are kept. Every writer of entries needs it. */
  readonly retentionDays: number;
  /** The caller as the audit log names it. */
  readonly actor: Actor;
  readonly requestId: string;
  readonly gatewayRequestId: string | null;
  /** What the caller says it came through: a claim, not a proof. */
  readonly via: "mcp" | null;
  readonly ipAddress: string | null;
  /** Fires shortly before the deadline, or when the call is refused: return partial results. */
  readonly signal: AbortSignal;
  /** Counts searches of the vector index for the log line: each one is paid for. */
  readonly onSearches: (count: number) => void;
};

/** What a walk over the caller's organizations needs of a call. Access control has already chosen the organizations. */
export type WalkContext<Query> = Pick<OperationContext, "table" | "clock"> & {
  readonly principal: Pick<Principal, "tenant">;
  readonly scope: Pick<Scope, "organizations" | "following">;
  readonly input: { readonly query: Query };
  readonly paging: Pick<Paging, "pageSize" | "next" | "resume">;
};
