import middy from "@middy/core";
import { executionModeStreamifyResponse } from "@middy/core/StreamifyResponse";
import httpJsonBodyParser from "@middy/http-json-body-parser";
import type { OperationContext } from "../access/operation-context.ts";
import type { Locate } from "../access/request-scope.ts";
import type { Operation } from "../contract/operation.ts";
import { type ChainHandler, chain } from "./chain.ts";
import { acceptBody } from "./middleware/accept-body.ts";
import { authenticateKey, type Prefetch } from "./middleware/authenticate-key.ts";
import { limitRate } from "./middleware/limit-rate.ts";
import { requestLifecycle } from "./middleware/request-lifecycle.ts";
import { type Permit, scopeKey } from "./middleware/scope-key.ts";
import { validateInput } from "./middleware/validate-input.ts";
import type { Exact, ResultOf } from "./operation-result.ts";

export type RunOperation<Op extends Operation, Result extends ResultOf<Op>> = (
  call: OperationContext<Op>,
) => Promise<Result & Exact<Op, Result>>;

export type HandlerOptions<Op extends Operation> = {
  /** Items to read in the round of authentication. */
  readonly prefetch?: Prefetch;
  readonly locate?: Locate<Op>;
  readonly permit?: Permit<Op>;
};

/**
 * Makes the handler of a Lambda function from a contract entry and the function that runs the operation.
 *
 * @example
 * export const handler = createHandler(operation, async ({ table, scope, paging }) => {
 *   const place = { after: positionInPartition(paging), limit: paging.pageSize };
 *   const { found, next } = await listTeams(table, scope.organizations, place);
 *   const teams = found.map(({ record }) => record);
 *   return { json: { teams, next_cursor: next && paging.next(next) } };
 * });
 */
export function createHandler<Op extends Operation, const Result extends ResultOf<Op>>(
  operation: Op,
  run: RunOperation<Op, Result>,
  { prefetch, locate, permit }: HandlerOptions<Op> = {},
) {
  const handler: ChainHandler = middy({
    // middy's own deadline covers the handler only and fires once; ours also ends reads that are in progress.
    timeoutEarlyInMillis: 0,
    ...(operation.streaming && { executionMode: executionModeStreamifyResponse }),
  });
  chain(handler)
    .use(requestLifecycle(operation))
    .use(authenticateKey(operation, prefetch))
    .use(operation.body ? [acceptBody(operation), httpJsonBodyParser({ disableContentTypeCheck: true })] : [])
    .use(validateInput(operation))
    .use(scopeKey(operation, locate, permit))
    .use(limitRate(operation))
    .handler((_event, context) => context.record.deadline.within(run(context)));
  return handler;
}
