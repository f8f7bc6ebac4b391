import type { OperationContext } from "../../access/operation-context.ts";
import { checksOrgId } from "../../access/scope.ts";
import { ApiError, type Problem } from "../../contract/api-error.ts";
import type { Operation } from "../../contract/operation.ts";
import type { BodyIsRead } from "../chain.ts";
import { type OpenedCursor, openCursor } from "../cursors.ts";
import { dependencies } from "../dependencies.ts";
import { contradiction, readInput } from "../validation.ts";
import type { Authenticated } from "./authenticate-key.ts";
import { adds, type Middleware } from "./middleware.ts";
import type { Opened } from "./request-lifecycle.ts";

export type Validated<Op extends Operation> = Pick<OperationContext<Op>, "input"> & {
  /** The request's cursor, opened; its binding is checked with the scope. */
  readonly cursor: OpenedCursor | undefined;
};

/** Reports all problems of path, query, body and cursor in one 400. The first problem gives its code and message. */
export function validateInput<Op extends Operation>(
  operation: Op,
): Middleware<Opened & Authenticated & BodyIsRead, Validated<Op>> {
  return {
    before: adds(async function checkInput({ event, context }) {
      const { record, clock, principal, endsItself } = context;
      const { kind } = principal.key;
      // Nothing else in the request may keep a key from ending itself.
      const read = endsItself ? { ...event, multiValueQueryStringParameters: null } : event;
      const { input, ...found } = readInput(operation, read, { keepsOrgId: checksOrgId(operation, kind) });
      const problems = [...found.problems];
      const opening = { ring: dependencies().cursorKeys, table: record.table, nowMs: clock.nowMs() };
      const cursor =
        found.cursor && (await openCursor(opening, operation, found.cursor).catch(collectInto(problems)));
      const [first, ...more] = problems;
      if (first) throw new ApiError(first.code, first.message, { more });
      const problem =
        contradiction(operation, kind, input) ?? operation.problemFor?.(kind, { body: input.body });
      if (problem) throw new ApiError("INVALID_REQUEST", problem);
      return { input, cursor: cursor || undefined };
    }),
  };
}

/** A refused cursor is one problem among others; any other error is not a problem of the request. */
const collectInto =
  (problems: Problem[]) =>
  (error: unknown): undefined => {
    if (!(error instanceof ApiError)) throw error;
    problems.push(...error.problems);
  };
