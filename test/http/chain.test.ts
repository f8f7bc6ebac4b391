import middy from "@middy/core";
import type httpJsonBodyParser from "@middy/http-json-body-parser";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { describe, expect, expectTypeOf, test } from "vitest";
import type { OperationContext } from "../../lib/access/operation-context.ts";
import type { setSeatAssignment } from "../../lib/contract/operations/users.ts";
import { type BodyIsRead, type Chain, type ChainHandler, chain } from "../../lib/http/chain.ts";
import type { acceptBody } from "../../lib/http/middleware/accept-body.ts";
import type { Authenticated, authenticateKey } from "../../lib/http/middleware/authenticate-key.ts";
import type { Limited, limitRate } from "../../lib/http/middleware/limit-rate.ts";
import { adds, type Middleware } from "../../lib/http/middleware/middleware.ts";
import type { Opened, requestLifecycle } from "../../lib/http/middleware/request-lifecycle.ts";
import type { Scoped, scopeKey } from "../../lib/http/middleware/scope-key.ts";
import type { Validated, validateInput } from "../../lib/http/middleware/validate-input.ts";
import type { OperationResult } from "../../lib/http/operation-result.ts";
import { lambdaContext } from "../../lib/local/lambda.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { gatewayEvent } from "../support/gateway-event.ts";

type Op = typeof setSeatAssignment;
type Input = Validated<Op>;
/** True if `chain.use(step)` compiles after steps that have added `Has`. */
type Fits<Has, Step> = Chain<Has> extends { use: (step: Step) => unknown } ? true : false;

type Accept = ReturnType<typeof acceptBody>;
type Parse = ReturnType<typeof httpJsonBodyParser>;
type Validate = ReturnType<typeof validateInput<Op>>;
type Scope = ReturnType<typeof scopeKey<Op>>;
type Limit = ReturnType<typeof limitRate>;

type Run = (event: APIGatewayProxyEvent, context: OperationContext<Op>) => Promise<OperationResult>;
type Runs<Has> = Chain<Has> extends { handler: (run: Run) => unknown } ? true : false;

describe("the compiler", () => {
  test("the compiler accepts each step after the steps that it needs", () => {
    expectTypeOf<Fits<unknown, ReturnType<typeof requestLifecycle>>>().toEqualTypeOf<true>();
    expectTypeOf<Fits<Opened, ReturnType<typeof authenticateKey>>>().toEqualTypeOf<true>();
    expectTypeOf<Fits<Opened & Authenticated, [Accept, Parse]>>().toEqualTypeOf<true>();
    expectTypeOf<Fits<Opened & Authenticated, []>>().toEqualTypeOf<true>();
    expectTypeOf<Fits<Opened & Authenticated & BodyIsRead, Validate>>().toEqualTypeOf<true>();
    expectTypeOf<Fits<Opened & Authenticated & Input, Scope>>().toEqualTypeOf<true>();
    expectTypeOf<Fits<Opened & Authenticated & Scoped, Limit>>().toEqualTypeOf<true>();
    expectTypeOf<Runs<Opened & Authenticated & Input & Scoped & Limited>>().toEqualTypeOf<true>();
  });

  test("the compiler refuses a step before a step that it needs", () => {
    expectTypeOf<Fits<unknown, ReturnType<typeof authenticateKey>>>().toEqualTypeOf<false>();
    expectTypeOf<Fits<Opened, [Accept, Parse]>>().toEqualTypeOf<false>();
    expectTypeOf<Fits<Opened & Authenticated, [Parse, Accept]>>().toEqualTypeOf<false>();
    expectTypeOf<Fits<Opened & Authenticated, Validate>>().toEqualTypeOf<false>();
    expectTypeOf<Fits<Opened & Authenticated & BodyIsRead, Scope>>().toEqualTypeOf<false>();
    expectTypeOf<Fits<Opened & Authenticated & BodyIsRead & Input, Limit>>().toEqualTypeOf<false>();
  });

  test("the compiler refuses a chain without one of its steps", () => {
    expectTypeOf<Fits<Authenticated & BodyIsRead, Validate>>().toEqualTypeOf<false>();
    expectTypeOf<Fits<Opened & BodyIsRead, Validate>>().toEqualTypeOf<false>();
    expectTypeOf<Fits<Opened & Authenticated, [Accept]>>().toEqualTypeOf<false>();
    expectTypeOf<Fits<Opened & Authenticated, [Parse]>>().toEqualTypeOf<false>();
    expectTypeOf<Runs<Opened & Authenticated & Scoped & Limited>>().toEqualTypeOf<false>();
    expectTypeOf<Runs<Opened & Authenticated & Input & Limited>>().toEqualTypeOf<false>();
    expectTypeOf<Runs<Opened & Authenticated & Input & Scoped>>().toEqualTypeOf<false>();
  });
});

test("what a hook adds is in the context of the later steps, and is not sent as the answer", async () => {
  const seen: unknown[] = [];
  const handler: ChainHandler = middy();
  const addSecond: Middleware<{ first: number }, { second: number }> = {
    before: adds(async ({ context }) => ({ second: context.first + 1 })),
    after: async ({ context, response }) => void seen.push(context.second, response),
  };
  chain(handler)
    .use({ before: adds(() => ({ first: 1 })) })
    .use(addSecond)
    .handler(async (_event, { first, second }) => ({ json: { first, second } }));
  const about = { functionName: "f", timeoutMs: 1_000, clock: systemClock, random: systemRandom };
  const answer = await handler(gatewayEvent({ target: "/v1/whoami" }), lambdaContext(about));
  expect([seen, answer]).toEqual([[2, { json: { first: 1, second: 2 } }], { json: { first: 1, second: 2 } }]);
});
