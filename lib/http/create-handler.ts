import middy, { type MiddlewareObj } from "@middy/core";
import { executionModeStreamifyResponse } from "@middy/core/StreamifyResponse";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import type { Operation } from "../contract/operation.ts";
import { beginInvocation } from "../runtime/invocation.ts";
import { required } from "../runtime/required.ts";
import { boundedTable } from "../store/bounded.ts";
import { StoreMeter } from "../store/meter.ts";
import { openDeadline, workTimeOf } from "./deadline.ts";
import { type Dependencies, dependencies } from "./dependencies.ts";
import { requestIdOf } from "./headers.ts";
import { logOutcome } from "./outcome.ts";
import { auditRefusal } from "./refusals.ts";
import type { RequestContext, RunOperation } from "./request-context.ts";
import { createRequestPath, type RequestPathOptions } from "./request-path.ts";
import { fail, type HandlerResult, succeed } from "./respond.ts";

/** Lambda's context. `openRequest` adds the state of the request, which the handler and the hooks share. */
type RequestState = Context & { requestContext?: RequestContext };

/**
 * Makes the handler of a Lambda function from a contract entry and the function that runs the operation. middy opens
 * the request, answers errors and writes the log line; everything between is in `request-path.ts`.
 */
export function createHandler<Op extends Operation>(
  operation: Op,
  run: RunOperation<Op>,
  options?: RequestPathOptions<Op>,
) {
  const followPath = createRequestPath(operation, run, options);
  return middy<APIGatewayProxyEvent, HandlerResult, Error, RequestState>({
    // middy's own deadline covers the handler only and fires once; ours also ends reads that are in progress.
    timeoutEarlyInMillis: 0,
    ...(operation.streaming && { executionMode: executionModeStreamifyResponse }),
  })
    .use(requestLifecycle(operation))
    .handler(async function answerRequest(_event, context) {
      const requestContext = requestOf(context);
      const result = await requestContext.deadline.within(
        followPath(dependencies(), requestContext, context),
      );
      requestContext.deadline.dispose();
      return await succeed(requestContext, result);
    });
}

const requestOf = ({ requestContext }: RequestState): RequestContext =>
  required(requestContext, "state of the request");

/** A hook throws or returns nothing: middy would send a returned value as the answer. */
function requestLifecycle(
  operation: Operation,
): MiddlewareObj<APIGatewayProxyEvent, HandlerResult, Error, RequestState> {
  return {
    before: function openRequest({ event, context }) {
      beginInvocation(context, event.requestContext?.requestId);
      const remainingMs = context.getRemainingTimeInMillis();
      context.requestContext = openRequestContext(dependencies(), operation, event, remainingMs);
    },
    after: function logSuccess({ context }) {
      logOutcome(dependencies().clock, requestOf(context), operation.answer.status);
    },
    onError: async function answerError(request) {
      const requestContext = requestOf(request.context);
      const { result, apiError } = await fail(requestContext, request.error);
      request.response = result;
      // Auditing may run out of time. The answer stays the same.
      await requestContext.deadline
        .within(auditRefusal(dependencies(), requestContext, apiError))
        .catch(() => {});
      requestContext.deadline.dispose();
      logOutcome(dependencies().clock, requestContext, result.statusCode, apiError);
    },
  };
}

function openRequestContext(
  deps: Dependencies,
  operation: Operation,
  event: APIGatewayProxyEvent,
  remainingMs: number,
): RequestContext {
  const meter = new StoreMeter();
  const deadline = openDeadline(deps.clock, workTimeOf(operation), remainingMs);
  const until = { signal: deadline.hardDeadline, isOver: deadline.isOver };
  return {
    operation,
    event,
    meter,
    requestId: requestIdOf(event, deps.random),
    startedAtMs: deps.clock.nowMs(),
    deadline,
    // After the deadline the caller has an answer, so no new call to the store may begin.
    table: boundedTable(deps.table.metered(meter), until),
  };
}
