import type { Context } from "aws-lambda";
import { touchLastUsed } from "../access/last-used.ts";
import type { OperationContext } from "../access/operation-context.ts";
import { checkPermission, narrowToPlan } from "../access/policy.ts";
import { actorOf } from "../access/principal.ts";
import { readableDigest } from "../access/readable.ts";
import type { Operation } from "../contract/operation.ts";
import { admit, bucketOwner, gatedTable } from "./admission.ts";
import { authenticateRequest, type Prefetch } from "./authentication.ts";
import { bindPaging } from "./cursors.ts";
import type { Dependencies } from "./dependencies.ts";
import { gatewayRequestIdOf, sourceIpOf } from "./headers.ts";
import { createBodyReader } from "./json-body.ts";
import type { OperationResult } from "./operation-result.ts";
import type { RequestContext, RunOperation } from "./request-context.ts";
import { followScope, type Locate, narrowScope, resolveScope, scopeOptionsOf } from "./request-scope.ts";
import { keyInPath, sentParameters, validateRequest } from "./validation.ts";

export type RequestPathOptions<Op extends Operation> = {
  /** Items to read in the round of authentication. */
  readonly prefetch?: Prefetch;
  readonly locate?: Locate<Op>;
};

/** The path of every request, in order. A step returns what the steps after it need, or throws the error to answer. */
export function createRequestPath<Op extends Operation>(
  operation: Op,
  run: RunOperation<Op>,
  { prefetch = () => [], locate }: RequestPathOptions<Op> = {},
) {
  const readBody = operation.body ? createBodyReader(operation) : undefined;

  return async (
    deps: Dependencies,
    requestContext: RequestContext,
    context: Context,
  ): Promise<OperationResult> => {
    const { event, table } = requestContext;

    const { principal, readable, prefetched } = await authenticateRequest(deps, requestContext, prefetch);

    // The body is parsed for callers with a valid key only.
    const body = readBody?.(event, context);
    const { input, cursor } = await validateRequest(deps, { operation, event, body, principal, table });

    const request = { operation, principal, input, cursor };
    const selected = resolveScope(request);

    const paging = bindPaging(
      { ring: deps.cursorKeys, nowMs: deps.clock.nowMs() },
      {
        operation,
        principal,
        scope: selected,
        query: input.query,
        cursor,
        readable: readableDigest(readable),
        defaultPageSize: operation.paging?.defaultSize ?? 0,
      },
    );

    const allowed = narrowToPlan(operation, selected, principal.key.kind, scopeOptionsOf(request));

    checkPermission(operation, principal, {
      parameters: sentParameters(event),
      keyInPath: keyInPath(input),
    });

    const followed = await followScope({ table, nowMs: deps.clock.nowMs() }, request, allowed);
    const scope = locate ? await narrowScope(locate, { scope: followed, input, table }) : followed;

    return await runOperation(deps, requestContext, run, {
      principal,
      scope,
      readable,
      input,
      paging,
      prefetched,
    });
  };
}

type Resolved<Op extends Operation> = Pick<
  OperationContext<Op>,
  "principal" | "scope" | "readable" | "input" | "paging" | "prefetched"
>;

/** The limiter's write runs in parallel with the operation's first reads. The operation's writes wait for it. */
async function runOperation<Op extends Operation>(
  deps: Dependencies,
  requestContext: RequestContext,
  run: RunOperation<Op>,
  resolved: Resolved<Op>,
): Promise<OperationResult> {
  const { operation, table, deadline } = requestContext;
  const { principal, scope } = resolved;
  const owner = bucketOwner(operation, principal, scope);
  deps.limiter.refuseKnownFull(operation.rateLimit, owner);
  const admitted = admit({ limiter: deps.limiter, table }, operation, owner, () => {
    requestContext.limiterFailed = true;
  });
  const answer = run({
    ...resolved,
    table: gatedTable(table, admitted),
    clock: deps.clock,
    random: deps.random,
    retentionDays: deps.retentionDays,
    actor: actorOf(principal),
    requestId: requestContext.requestId,
    gatewayRequestId: gatewayRequestIdOf(requestContext.event),
    ipAddress: sourceIpOf(requestContext.event),
    signal: deadline.softDeadline,
  });
  answer.catch(() => {});
  try {
    const admission = await admitted;
    if (admission) requestContext.admission = admission;
  } catch (refusal) {
    deadline.stop(refusal);
    throw refusal;
  }
  // Only an admitted call counts as a use. It is written before the answer is sent: a frozen function may never write
  // it.
  const used = touchLastUsed(table, principal.key, deps.clock.nowMs()).catch(() => {});
  try {
    return await answer;
  } finally {
    await used;
  }
}
