import middy, { type MiddlewareObj } from "@middy/core";
import { executionModeStreamifyResponse } from "@middy/core/StreamifyResponse";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { touchLastUsed } from "../access/last-used.ts";
import { actorOf } from "../access/principal.ts";
import type { Operation } from "../contract/operation.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { StoreMeter } from "../store/meter.ts";
import { admit, bucketOwner, gatedTable } from "./admission.ts";
import { openDeadline, workTimeOf } from "./deadline.ts";
import { type Dependencies, dependencies } from "./dependencies.ts";
import type { Call, Exchange, Input, Verb } from "./exchange.ts";
import { requestIdOf } from "./headers.ts";
import { logOutcome } from "./outcome.ts";
import { auditRefusal } from "./refusals.ts";
import type { Reply } from "./reply.ts";
import { fail, type Result, succeed } from "./respond.ts";
import { type Alongside, authorize, identify, readShape, select } from "./steps.ts";

type Step = MiddlewareObj<APIGatewayProxyEvent, Result | Reply>;

export type LambdaOptions<Op extends Operation> = {
  /** Items to read in the round of authentication. */
  readonly alongside?: Alongside;
  /**
   * Finds the organization a request acts on where only the data tells: it is then the whole scope, and the
   * call counts in its window. Asked only when the scope has several.
   */
  readonly locate?: (
    call: Pick<Call<Op>, "scope" | "input" | "table">,
  ) => Promise<OrganizationItem | undefined>;
};

/** From a contract entry and a verb to the handler of a Lambda function: the chain, built here and only here. */
export function lambda<Op extends Operation>(operation: Op, verb: Verb<Op>, options: LambdaOptions<Op> = {}) {
  const { alongside = () => [], locate } = options;
  return middy<APIGatewayProxyEvent, Result | Reply>({
    // It would cover the handler only; our own deadline covers the steps before it too.
    timeoutEarlyInMillis: 0,
    ...(operation.streaming && { executionMode: executionModeStreamifyResponse }),
  })
    .use(frame(operation))
    .use(step((deps, exchange) => identify(deps, exchange, alongside)))
    .use(step(readShape))
    .use(step(select))
    .use(step((_, exchange) => authorize(exchange)))
    .use(step((_, exchange) => locate && narrow(exchange, locate)))
    .handler((event) => {
      const exchange = exchangeOf(event);
      return exchange.deadline.within(work(dependencies(), exchange, verb));
    });
}

/** One exchange per event; steps and handler share nothing else. */
const exchanges = new WeakMap<object, Exchange>();

function exchangeOf(event: object): Exchange {
  const exchange = exchanges.get(event);
  if (!exchange) throw new TypeError("The frame comes first in the chain.");
  return exchange;
}

/** A step throws or returns nothing: a value returned from a hook would end the chain as an answer. */
function step(check: (deps: Dependencies, exchange: Exchange) => undefined | void | Promise<void>): Step {
  return {
    before: async ({ event }) => {
      const exchange = exchangeOf(event);
      const checking = check(dependencies(), exchange);
      // What answers at once cannot be late.
      if (checking) await exchange.deadline.within(checking);
    },
  };
}

/** First in, last out: opens the exchange, and turns what came of it into the one answer. */
function frame(operation: Operation): Step {
  return {
    before: ({ event, context }) => {
      const remainingMs = context.getRemainingTimeInMillis();
      exchanges.set(event, openExchange(dependencies(), operation, event, remainingMs));
    },
    after: async (request) => {
      const exchange = exchangeOf(request.event);
      exchange.deadline.letGo();
      request.response = await succeed(exchange, replyOf(request.response));
      logOutcome(dependencies().clock, exchange, operation.answer.status);
    },
    onError: async (request) => {
      const exchange = exchangeOf(request.event);
      const { result, fault } = await fail(exchange, request.error);
      request.response = result;
      // Time may run out over it; the answer is decided all the same.
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
  return {
    operation,
    event,
    meter,
    requestId: requestIdOf(event, deps.chance),
    startedAtMs: deps.clock.nowMs(),
    deadline: openDeadline(deps.clock, workTimeOf(operation), remainingMs),
    table: deps.table.metered(meter),
  };
}

async function narrow<Op extends Operation>(
  exchange: Exchange,
  locate: NonNullable<LambdaOptions<Op>["locate"]>,
): Promise<void> {
  const { scope, input, table } = exchange;
  const [first, second] = scope?.organizations ?? [];
  if (!scope || !input || !first) return;
  // The operation whose schemas parsed it is the one that `locate` is typed from.
  const found = second ? await locate({ scope, input: input as Input<Op>, table }) : first;
  if (found) exchange.scope = { organizations: [found], selector: `one:${found.uuid}` };
}

/** Steps 8 and 9. The limiter's write runs beside the verb's first reads; the verb's writes wait for it. */
async function work<Op extends Operation>(
  deps: Dependencies,
  exchange: Exchange,
  verb: Verb<Op>,
): Promise<Reply> {
  const { operation, principal, scope, input, paging, table, deadline } = exchange;
  if (!principal || !scope || !input || !paging) throw new TypeError("The chain is not complete.");
  const owner = bucketOwner(operation, principal, scope);
  deps.limiter.refuseKnownFull(operation.rateLimit, owner);
  const admitted = admit(deps.limiter, table, operation, owner, () => {
    exchange.limiterFailed = true;
  });
  const call: Call<Op> = {
    principal,
    scope,
    // The operation whose schemas parsed it is the one the verb is typed from.
    input: input as Input<Op>,
    paging,
    table: gatedTable(table, admitted, deadline.over),
    clock: deps.clock,
    chance: deps.chance,
    alongside: exchange.alongside ?? [],
    retentionDays: deps.retentionDays,
    actor: actorOf(principal),
    requestId: exchange.requestId,
    ipAddress: exchange.event.requestContext?.identity?.sourceIp ?? null,
    signal: deadline.soon,
  };
  const used = touchLastUsed(table, principal.key, deps.clock.nowMs()).catch(() => {});
  const answer = verb(call);
  answer.catch(() => {});
  try {
    const admission = await admitted;
    if (admission) exchange.admission = admission;
  } catch (refusal) {
    deadline.stop(refusal);
    throw refusal;
  }
  const [reply] = await Promise.all([answer, used]);
  return reply;
}

/** After the handler the response is what the verb replied. */
function replyOf(response: Result | Reply | null | undefined): Reply {
  if (!response || "statusCode" in response) throw new TypeError("The verb did not reply.");
  return response;
}
