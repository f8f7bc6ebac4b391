import express, { type ErrorRequestHandler, type RequestHandler } from "express";
import serverless from "serverless-http";
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
  type Query,
  querySchema,
} from "../peer-service.ts";

/** The adapter puts API Gateway's own id there when the caller sends none. */
const requestIdHeader = "x-request-id";

type Locals = { requestId: string; principal: Principal; query: Query };
type Handler = RequestHandler<object, unknown, unknown, object, Locals>;

const identified: Handler = (request, response, next) => {
  const startedAtMs = nowMs();
  const requestId = request.get(requestIdHeader) ?? "";
  response.locals.requestId = requestId;
  response.set(baseHeaders(requestId));
  response.on("finish", () =>
    logRequest(requestId, response.statusCode, startedAtMs, response.locals.principal),
  );
  next();
};

const authenticated: Handler = async (request, response, next) => {
  response.locals.principal = await identify(request.get(keyHeader), Object.keys(request.query));
  next();
};

const validQuery: Handler = (request, response, next) => {
  const parsed = querySchema.safeParse(request.query);
  if (!parsed.success) throw invalid(problemsOf(parsed.error));
  response.locals.query = parsed.data;
  next();
};

const listOrganizations: Handler = async (_, response) => {
  const { principal, query } = response.locals;
  const { headers, json } = await organizationsPage(principal, query);
  response.set(headers).json(json);
};

const answerProblem: ErrorRequestHandler<object, unknown, unknown, object, Locals> = (
  error,
  _request,
  response,
  _next,
) => {
  const { status, headers, json } = problemOf(error, response.locals.requestId);
  response.status(status).set(headers).json(json);
};

const app = express();
app.disable("x-powered-by");
app.disable("etag");
app.use(identified);
app.get("/v1/organizations", authenticated, validQuery, listOrganizations);
app.use(() => {
  throw notFound();
});
app.use(answerProblem);

export const handler = serverless(app, { requestId: requestIdHeader });
