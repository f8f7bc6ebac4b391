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
import type { OperationResult } from "./operation-result.ts";

export type RunOperation<Op extends Operation> = (call: OperationContext<Op>) => Promise<OperationResult>;

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
 * export const handler = createHandler(listTeams, async (call) => {
 *   const { records, nextCursor } = await readTeams(call.table, onlyOrganization(call).uuid, call.paging);
 *   return { json: { data: records, next_cursor: nextCursor } };
 * });
 */
export function createHandler<Op extends Operation>(
  operation: Op,
  run: RunOperation<Op>,
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
