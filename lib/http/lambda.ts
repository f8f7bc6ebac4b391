import middy, { type MiddlewareObj } from "@middy/core";
import { executionModeStreamifyResponse } from "@middy/core/StreamifyResponse";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { touchLastUsed } from "../access/last-used.ts";
import { actorOf } from "../access/principal.ts";
import type { Operation } from "../contract/operation.ts";
import { certain } from "../runtime/certain.ts";
import { beginInvocation } from "../runtime/invocation.ts";
import { boundedTable } from "../store/bounded.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { StoreMeter } from "../store/meter.ts";
import { admit, bucketOwner, gatedTable } from "./admission.ts";
import { openDeadline, workTimeOf } from "./deadline.ts";
import { type Dependencies, dependencies } from "./dependencies.ts";
import type { Call, Exchange, Input, Verb } from "./exchange.ts";
import { gatewayRequestIdOf, requestIdOf, sourceIpOf } from "./headers.ts";
import { createBodyReader } from "./json-body.ts";
import { logOutcome } from "./outcome.ts";
import { auditRefusal } from "./refusals.ts";
import type { Reply } from "./reply.ts";
import { fail, type Result, succeed } from "./respond.ts";
import { type Alongside, authorize, followScope, identify, readShape, select } from "./steps.ts";

type Step = MiddlewareObj<APIGatewayProxyEvent, Result>;

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
  return middy<APIGatewayProxyEvent, Result>({
    // It would cover the handler only; our own deadline covers the steps before it too.
    timeoutEarlyInMillis: 0,
    ...(operation.streaming && { executionMode: executionModeStreamifyResponse }),
  })
    .use(frame(operation))
    .use(step((deps, exchange) => identify(deps, exchange, alongside)))
    .use(operation.body ? [jsonBody(operation)] : [])
    .use(step(readShape))
    .use(step(select))
    .use(step((_, exchange) => authorize(exchange)))
    .use(step((deps, exchange) => followScope(deps, exchange)))
    .use(step((_, exchange) => locate && narrow(exchange, locate)))
    .handler(async (event) => {
      const exchange = exchangeOf(event);
      const reply = await exchange.deadline.within(work(dependencies(), exchange, verb));
      exchange.deadline.letGo();
      return await succeed(exchange, reply);
    });
}

/** One exchange per event; steps and handler share nothing else. */
const exchanges = new WeakMap<object, Exchange>();

const exchangeOf = (event: object): Exchange => certain(exchanges.get(event), "exchange of the event");

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

/** After authentication: nobody without a key has anything parsed. */
function jsonBody(operation: Operation): Step {
  const read = createBodyReader(operation);
  return {
    before: (request) => {
      exchangeOf(request.event).body = read(request);
    },
  };
}

/** First in, last out: opens the exchange, turns what failed into its answer, and leaves the line of either. */
function frame(operation: Operation): Step {
  return {
    before: ({ event, context }) => {
      beginInvocation(context, gatewayRequestIdOf(event) ?? undefined);
      const remainingMs = context.getRemainingTimeInMillis();
      exchanges.set(event, openExchange(dependencies(), operation, event, remainingMs));
    },
    after: ({ event }) => {
      logOutcome(dependencies().clock, exchangeOf(event), operation.answer.status);
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
  const deadline = openDeadline(deps.clock, workTimeOf(operation), remainingMs);
  const until = { signal: deadline.over, isOver: deadline.isOver };
  return {
    operation,
    event,
    meter,
    requestId: requestIdOf(event, deps.chance),
    startedAtMs: deps.clock.nowMs(),
    deadline,
    // Nothing is begun for a caller who has been told that the time is up.
    table: boundedTable(deps.table.metered(meter), until),
    alongside: [],
    readable: "*",
  };
}

async function narrow<Op extends Operation>(
  exchange: Exchange,
  locate: NonNullable<LambdaOptions<Op>["locate"]>,
): Promise<void> {
  const { table } = exchange;
  const scope = certain(exchange.scope, "scope");
  const input = certain(exchange.input, "input");
  const [first, second] = scope.organizations;
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
  const { operation, table, deadline } = exchange;
  const principal = certain(exchange.principal, "principal");
  const scope = certain(exchange.scope, "scope");
  const owner = bucketOwner(operation, principal, scope);
  deps.limiter.refuseKnownFull(operation.rateLimit, owner);
  const admitted = admit(deps.limiter, table, operation, owner, () => {
    exchange.limiterFailed = true;
  });
  const call: Call<Op> = {
    principal,
    scope,
    readable: exchange.readable,
    // The operation whose schemas parsed it is the one the verb is typed from.
    input: certain(exchange.input, "input") as Input<Op>,
    paging: certain(exchange.paging, "paging"),
    table: gatedTable(table, admitted),
    clock: deps.clock,
    chance: deps.chance,
    alongside: exchange.alongside,
    retentionDays: deps.retentionDays,
    actor: actorOf(principal),
    requestId: exchange.requestId,
    gatewayRequestId: gatewayRequestIdOf(exchange.event),
    ipAddress: sourceIpOf(exchange.event),
    signal: deadline.soon,
  };
  const answer = verb(call);
  answer.catch(() => {});
  try {
    const admission = await admitted;
    if (admission) exchange.admission = admission;
  } catch (refusal) {
    deadline.stop(refusal);
    throw refusal;
  }
  // Only an admitted call is a use. It is written before the answer goes: a frozen function may never write it.
  const used = touchLastUsed(table, principal.key, deps.clock.nowMs()).catch(() => {});
  try {
    return await answer;
  } finally {
    await used;
  }
}
