import type * as z from "zod";
import type { Actor } from "../audit/entry.ts";
import type { Operation } from "../contract/operation.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Random } from "../runtime/random.ts";
import type { Item, Table } from "../store/table.ts";
import type { ScopeMark } from "./follow-scope.ts";
import type { Principal } from "./principal.ts";
import type { ReadableRepositories } from "./readable.ts";
import type { Scope } from "./scope.ts";

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** The validated request, typed from the contract. */
export type Input<Op extends Operation> = {
  readonly path: Parsed<Op["pathParameters"]>;
  readonly query: Parsed<Op["query"]>;
  readonly body: Parsed<Op["body"]>;
};

/** A place in a walk, as its cursor holds it. */
export type Position = string | number | ReadonlyArray<string | number>;

export type Paging = {
  /** Where this page begins; null for the first. */
  readonly position: Position | null;
  /** True when the walk goes on after its end was reached before. */
  readonly resumes: boolean;
  readonly pageSize: number;
  /** The text of `next_cursor`; `mark` is the scope's, of a walk over several organizations. */
  next(position: Position, mark?: ScopeMark): string;
  /** The text of `x-resume-cursor`. */
  resume(position: Position, mark?: ScopeMark): string;
};

/** What a verb gets. It never sees an API Gateway event. */
export type OperationContext<Op extends Operation = Operation> = {
  readonly principal: Principal;
  readonly scope: Scope;
  /** The repositories that the caller can read; every one, but for user keys where the operation is `readableOnly`. */
  readonly readable: ReadableRepositories;
  readonly input: Input<Op>;
  readonly paging: Paging;
  /** Reads go out at once; writes wait by themselves until the rate limiter has admitted the call. */
  readonly table: Table;
  readonly clock: Clock;
  readonly random: Random;
  /** What the operation asked to be read together with authentication. */
  readonly prefetched: ReadonlyArray<Item | undefined>;
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

/** What a walk over the caller's organizations needs of a call. Access has decided which organizations those are. */
export type WalkCall<Query> = Pick<OperationContext, "table" | "clock"> & {
  readonly principal: Pick<Principal, "tenant">;
  readonly scope: Pick<Scope, "organizations" | "following">;
  readonly input: { readonly query: Query };
  readonly paging: Pick<Paging, "pageSize" | "next" | "resume">;
};
