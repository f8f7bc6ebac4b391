import {
  type NotFoundError,
  RequestValidationError,
  Router,
} from "@aws-lambda-powertools/event-handler/http";
import type { Middleware } from "@aws-lambda-powertools/event-handler/types";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from "aws-lambda";
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
  type Query,
  querySchema,
} from "../peer-service.ts";

/** Our bundles leave zod's JSON Schema out, which its own Standard Schema face asks for; this is the part used here. */
const standardQuery: StandardSchemaV1<unknown, Query> = {
  "~standard": {
    version: 1,
    vendor: "zod",
    validate: (value) => {
      const { data, error } = querySchema.safeParse(value);
      return error ? { issues: error.issues } : { value: data };
    },
  },
};

type Environment = { store: { request: { principal: Principal } } };
const app = new Router<Environment>();

const identified: Middleware<Environment> = async ({ reqCtx, next }) => {
  const startedAtMs = nowMs();
  const requestId = requestIdOf(reqCtx);
  await next();
  for (const [name, value] of Object.entries(baseHeaders(requestId))) reqCtx.res.headers.set(name, value);
  logRequest(requestId, reqCtx.res.status, startedAtMs, reqCtx.get("principal"));
};

const authenticated: Middleware<Environment> = async ({ reqCtx, next }) => {
  const parameters = Object.keys(reqCtx.event.queryStringParameters ?? {});
  reqCtx.set("principal", await identify(reqCtx.req.headers.get(keyHeader) ?? undefined, parameters));
  await next();
};

const requestIdOf = ({ req, event }: { req: Request; event: object }): string => {
  const own = req.headers.get("x-request-id");
  const context: unknown = Reflect.get(event, "requestContext");
  const given: unknown =
    typeof context === "object" && context ? Reflect.get(context, "requestId") : undefined;
  return own ?? String(given ?? "");
};

app.use(identified);
app.get(
  "/v1/organizations",
  [authenticated],
  async (reqCtx) => {
    const principal = reqCtx.get("principal");
    if (!principal) throw new TypeError("The middleware comes first.");
    const { headers, json } = await organizationsPage(principal, reqCtx.valid.req.query);
    return {
      statusCode: 200,
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(json),
    };
  },
  { validation: { req: { query: standardQuery } } },
);

const answer = (error: unknown, requestId: string): APIGatewayProxyResult => {
  const { status, headers, json } = problemOf(error, requestId);
  return {
    statusCode: status,
    headers: { ...baseHeaders(requestId), ...headers, "content-type": "application/json" },
    body: JSON.stringify(json),
  };
};
app.errorHandler(RequestValidationError, async (error, reqCtx) =>
  answer(invalid([error.message]), requestIdOf(reqCtx)),
);
app.notFound(async (_: NotFoundError, reqCtx) => answer(notFound(), requestIdOf(reqCtx)));
app.errorHandler(Error, async (error, reqCtx) => answer(error, requestIdOf(reqCtx)));

export const handler = (event: APIGatewayProxyEvent, context: Context): Promise<APIGatewayProxyResult> =>
  app.resolve(event, context);
