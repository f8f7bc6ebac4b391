import { awsLambdaFastify } from "@fastify/aws-lambda";
import { fastify } from "fastify";
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
} from "../peer-service.ts";

declare module "fastify" {
  interface FastifyRequest {
    principal: Principal | null;
    startedAtMs: number;
  }
}

/** In JSON Schema, Fastify's own language, which it compiles into validators and serializers. */
const text = { type: "string", minLength: 1 } as const;
const querystring = {
  type: "object",
  additionalProperties: false,
  properties: {
    limit: { type: "string", pattern: "^(?:[1-9][0-9]?|100)$" },
    cursor: { ...text, maxLength: 1024 },
    org_id: text,
    organization_ids: text,
  },
} as const;
const organizations = {
  type: "object",
  required: ["organizations", "next_cursor"],
  properties: {
    organizations: {
      type: "array",
      items: {
        type: "object",
        required: ["id", "name", "provider", "provider_organization_id"],
        properties: {
          id: { type: "string" },
          name: { type: "string" },
          provider: { type: "string" },
          provider_organization_id: { type: "string" },
        },
      },
    },
    next_cursor: { type: "string", nullable: true },
  },
} as const;

type Strings = { readonly [Name in keyof typeof querystring.properties]?: string };

/** JSON Schema checks text; lists and numbers are made of it here. */
const queryOf = ({ limit, organization_ids: ids, ...rest }: Strings): Query => ({
  ...rest,
  limit: limit === undefined ? undefined : Number(limit),
  organization_ids: ids?.split(",").map((id) => id.trim()),
});

const app = fastify({
  // The adapter puts API Gateway's own id there when the caller sends none.
  requestIdHeader: "x-request-id",
  ajv: { customOptions: { removeAdditional: false, coerceTypes: false, allErrors: false } },
});
app.decorateRequest("principal", null);
app.decorateRequest("startedAtMs", 0);
app.addHook("onRequest", async (request, reply) => {
  request.startedAtMs = nowMs();
  reply.headers(baseHeaders(request.id));
});
app.addHook("onResponse", async (request, reply) => {
  logRequest(request.id, reply.statusCode, request.startedAtMs, request.principal);
});
app.get<{ Querystring: Strings }>(
  "/v1/organizations",
  {
    schema: { querystring, response: { 200: organizations } },
    onRequest: async (request) => {
      const { [keyHeader]: key } = request.headers;
      const sent = typeof key === "string" ? key : undefined;
      request.principal = await identify(sent, Object.keys(request.query));
    },
  },
  async (request, reply) => {
    if (!request.principal) throw new TypeError("The hook comes first.");
    const { headers, json } = await organizationsPage(request.principal, queryOf(request.query));
    reply.headers(headers);
    return json;
  },
);
app.setErrorHandler<Error & { validation?: unknown }>((error, request, reply) => {
  const cause = error.validation ? invalid([error.message]) : error;
  const { status, headers, json } = problemOf(cause, request.id);
  return reply.code(status).headers(headers).send(json);
});
app.setNotFoundHandler(() => {
  throw notFound();
});

export const handler = awsLambdaFastify(app, { decorateRequest: false });
await app.ready();
