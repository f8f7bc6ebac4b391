import type { Context } from "hono";
import { Hono } from "hono";
import { handle, type LambdaEvent } from "hono/aws-lambda";
import { createMiddleware } from "hono/factory";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { validator } from "hono/validator";
import type { Principal } from "../../../../lib/access/principal.ts";
import { baseHeaders } from "../../../../lib/http/headers.ts";
import {
  identify,
  invalid,
  keyHeader,
  logRequest,
  notFound,
  nowMs,
  organizationsPage,
  problemOf,
  problemsOf,
  querySchema,
} from "../peer-service.ts";

type Environment = {
  Bindings: { event: LambdaEvent & { requestContext: { requestId: string } } };
  Variables: { requestId: string; principal: Principal };
};

const identified = createMiddleware<Environment>(async (context, next) => {
  const startedAtMs = nowMs();
  const requestId = context.req.header("x-request-id") ?? context.env.event.requestContext.requestId;
  context.set("requestId", requestId);
  for (const [name, value] of Object.entries(baseHeaders(requestId))) context.header(name, value);
  await next();
  logRequest(requestId, context.res.status, startedAtMs, context.get("principal"));
});

const authenticated = createMiddleware<Environment>(async (context, next) => {
  context.set("principal", await identify(context.req.header(keyHeader), Object.keys(context.req.query())));
  await next();
});

const validQuery = validator("query", (values) => {
  const parsed = querySchema.safeParse(values);
  if (!parsed.success) throw invalid(problemsOf(parsed.error));
  return parsed.data;
});

function answerProblem(error: unknown, context: Context<Environment>): Response {
  const { status, headers, json } = problemOf(error, context.get("requestId"));
  // ApiError's statuses are a closed list of statuses with a body.
  return context.json(json, status as ContentfulStatusCode, headers);
}

const app = new Hono<Environment>();
app.use(identified);
app.get("/v1/organizations", authenticated, validQuery, async (context) => {
  const { headers, json } = await organizationsPage(context.get("principal"), context.req.valid("query"));
  return context.json(json, 200, headers);
});
app.notFound((context) => answerProblem(notFound(), context));
app.onError(answerProblem);

export const handler = handle(app);
