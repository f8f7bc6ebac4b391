import middy, { type MiddlewareObj } from "@middy/core";
import { executionModeStreamifyResponse } from "@middy/core/StreamifyResponse";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import type { Operation } from "../contract/operation.ts";
import { certain } from "../runtime/certain.ts";
import { beginInvocation } from "../runtime/invocation.ts";
import { boundedTable } from "../store/bounded.ts";
import { StoreMeter } from "../store/meter.ts";
import { openDeadline, workTimeOf } from "./deadline.ts";
import { type Dependencies, dependencies } from "./dependencies.ts";
import type { Exchange, Verb } from "./exchange.ts";
import { gatewayRequestIdOf, requestIdOf } from "./headers.ts";
import { logOutcome } from "./outcome.ts";
import { auditRefusal } from "./refusals.ts";
import { createRequestPath, type RequestPathOptions } from "./request-path.ts";
import { fail, type Result, succeed } from "./respond.ts";

/** Lambda's context. `openRequest` puts the state of the request on it, which handler and hooks share. */
type RequestState = Context & { exchange?: Exchange };

/**
 * Makes the handler of a Lambda function from a contract entry and a verb. middy opens the request, answers errors and
 * writes the log line; everything between is in `request-path.ts`.
 */
export function lambda<Op extends Operation>(
  operation: Op,
  verb: Verb<Op>,
  options?: RequestPathOptions<Op>,
) {
  const followPath = createRequestPath(operation, verb, options);
  return middy<APIGatewayProxyEvent, Result, Error, RequestState>({
    // middy's own deadline covers the handler only and fires once; ours also ends reads that are under way.
    timeoutEarlyInMillis: 0,
    ...(operation.streaming && { executionMode: executionModeStreamifyResponse }),
  })
    .use(requestLifecycle(operation))
    .handler(async function answerRequest(_event, context) {
      const exchange = exchangeOf(context);
      const reply = await exchange.deadline.within(followPath(dependencies(), exchange, context));
      exchange.deadline.letGo();
      return await succeed(exchange, reply);
    });
}

const exchangeOf = ({ exchange }: RequestState): Exchange => certain(exchange, "state of the request");

/** A hook throws or returns nothing: middy would send a returned value as the answer. */
function requestLifecycle(
  operation: Operation,
): MiddlewareObj<APIGatewayProxyEvent, Result, Error, RequestState> {
  return {
    before: function openRequest({ event, context }) {
      beginInvocation(context, gatewayRequestIdOf(event) ?? undefined);
      const remainingMs = context.getRemainingTimeInMillis();
      context.exchange = openExchange(dependencies(), operation, event, remainingMs);
    },
    after: function logSuccess({ context }) {
      logOutcome(dependencies().clock, exchangeOf(context), operation.answer.status);
    },
    onError: async function answerError(request) {
      const exchange = exchangeOf(request.context);
      const { result, fault } = await fail(exchange, request.error);
      request.response = result;
      // Auditing may run out of time; the answer is decided all the same.
      await exchange.deadline.within(auditRefusal(dependencies(), exchange, fault)).catch(() => {});
      exchange.deadline.letGo();
      logOutcome(dependencies().clock, exchange, result.statusCode, fault);
    },
  };
}

function openExchange(
  deps: Dependencies,
  operation: Operation,
  event: APIGatewayProxyEvent,
  remainingMs: number,
): Exchange {
  const meter = new StoreMeter();
  const deadline = openDeadline(deps.clock, workTimeOf(operation), remainingMs);
  const until = { signal: deadline.over, isOver: deadline.isOver };
  return {
    operation,
    event,
    meter,
    requestId: requestIdOf(event, deps.chance),
    startedAtMs: deps.clock.nowMs(),
    deadline,
    // After the deadline the caller has an answer, so no call of the store begins.
    table: boundedTable(deps.table.metered(meter), until),
  };
}
