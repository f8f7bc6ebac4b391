import * as z from "zod";
import { type ErrorCode, errorCodes } from "./errors.ts";
import { errorShapeOf, type Operation } from "./operation.ts";
import { possibleErrors } from "./possible-errors.ts";

/** OpenAPI 3.1, made from the contract and nothing else. */
export type OpenApiDocument = {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
  readonly [field: string]: unknown;
};

export function openApiDocument(operations: readonly Operation[], version: string): OpenApiDocument {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    const methods = paths[operation.path] ?? {};
    paths[operation.path] = { ...methods, [operation.method.toLowerCase()]: describeOperation(operation) };
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Review Metrics, Learnings and Administration API",
      version,
      description:
        "Review metrics that can be exported without missing a pull request, Learnings, organization inventory, " +
        "seats, roles, audit logs and security findings, for Enterprise customers.",
    },
    servers: [{ url: "/", description: "This service" }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name })),
    security: [{ key: [] }],
    paths,
    components: {
      securitySchemes: {
        key: {
          type: "apiKey",
          in: "header",
          name: "x-service-api-key",
          description: "An API key of any of the six kinds.",
        },
      },
      schemas: {
        Error: objectOf({ error: problem }),
        Errors: objectOf({ errors: { type: "array", minItems: 1, items: problem } }),
      },
      headers: sharedHeaders,
    },
  };
}

const objectOf = (properties: Record<string, object>) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const problem = objectOf({
  code: { type: "string", description: "One of a closed list; each has its page in the documentation." },
  message: { type: "string", description: "A sentence for people: what is wrong and what to do." },
});

const integerHeader = (description: string) => ({ description, schema: { type: "integer" } });
const textHeader = (description: string) => ({ description, schema: { type: "string" } });
const sharedHeaders = {
  RequestId: textHeader("The id of this request; a caller's own is kept if it is 1 to 128 of A-Za-z0-9_-."),
  RetryAfter: integerHeader("Whole seconds to wait before the same request is sent again."),
  RateLimitPolicy: textHeader('The limit, as "bucket";q=requests;w=seconds.'),
  RateLimit: textHeader('What is left of it, as "bucket";r=remaining;t=seconds.'),
  NextCursor: textHeader("The cursor of the next page, for CSV and NDJSON."),
  ResumeCursor: textHeader("On the last page: the cursor that later reads only what was written since."),
};
const headerReference = (name: keyof typeof sharedHeaders) => ({ $ref: `#/components/headers/${name}` });

function describeOperation(operation: Operation): object {
  const { id, tag, summary, description, body } = operation;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: `${description}\n\n${describePolicy(operation)}`,
    parameters: [
      ...parametersIn("path", operation.pathParameters),
      ...parametersIn("query", operation.query),
    ],
    ...(body && {
      requestBody: { required: true, content: { "application/json": { schema: jsonSchema(body, "input") } } },
    }),
    responses: { ...successResponse(operation), ...errorResponses(operation) },
  };
}

function describePolicy({ keys, needs, plan, rateLimit, organization }: Operation): string {
  const accepted = Object.entries(keys).filter(([, verdict]) => verdict === "accepted");
  const selector = {
    optional: "may narrow to one organization with `org_id`",
    required: "must name one organization with `org_id`",
    refused: "must not send `org_id`",
    ignored: "need no `org_id`",
  };
  return [
    `Keys: ${accepted.map(([kind]) => kind).join(", ")}.`,
    keys.workspace === "accepted" ? `Workspace tokens ${selector[organization]}.` : "",
    plan === "any" ? "Every plan." : "Enterprise plan.",
    needs ? `Needs ${needs === "admin" ? "the Admin role" : `\`${needs}\``}.` : "",
    `Limit: ${rateLimit.requestsMax} requests in ${rateLimit.windowSeconds} seconds.`,
  ]
    .filter((sentence) => sentence !== "")
    .join(" ");
}

function parametersIn(place: "path" | "query", schema: z.ZodObject | undefined): object[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = objectSchema.parse(jsonSchema(schema, "input"));
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    schema: property,
  }));
}

const objectSchema = z.object({
  properties: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
  required: z.array(z.string()).optional(),
});

function successResponse(operation: Operation): Record<string, object> {
  const { answer, paging, query } = operation;
  const otherFormats = "format" in query.shape ? formatContent(query) : {};
  const content = answer.schema && {
    content: { "application/json": { schema: jsonSchema(answer.schema, "output") }, ...otherFormats },
  };
  const headers = {
    "x-request-id": headerReference("RequestId"),
    "RateLimit-Policy": headerReference("RateLimitPolicy"),
    RateLimit: headerReference("RateLimit"),
    ...(Object.keys(otherFormats).length > 0 && paging && { "x-next-cursor": headerReference("NextCursor") }),
    ...(paging?.resumable && { "x-resume-cursor": headerReference("ResumeCursor") }),
  };
  return { [answer.status]: { description: answer.description, headers, ...content } };
}

const mediaTypes: Readonly<Record<string, string>> = {
  csv: "text/csv",
  ndjson: "application/x-ndjson",
  sarif: "application/sarif+json",
};

function formatContent(query: z.ZodObject): Record<string, object> {
  const format = formatSchema.safeParse(jsonSchema(query, "input"));
  const formats = format.success ? format.data.properties.format.enum : [];
  const types = formats.map((name) => mediaTypes[name]).filter((type) => type !== undefined);
  return Object.fromEntries(types.map((type) => [type, { schema: { type: "string" } }]));
}
const formatSchema = z.object({ properties: z.object({ format: z.object({ enum: z.array(z.string()) }) }) });

function errorResponses(operation: Operation): Record<string, object> {
  const shape = errorShapeOf(operation.path) === "errors" ? "Errors" : "Error";
  const byStatus = Map.groupBy(possibleErrors(operation), (code) => errorCodes[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map((code: ErrorCode) => `\`${code}\`: ${errorCodes[code].meaning}`).join("\n\n"),
        headers: {
          "x-request-id": headerReference("RequestId"),
          ...((status === 429 || status === 503) && { "Retry-After": headerReference("RetryAfter") }),
        },
        content: { "application/json": { schema: { $ref: `#/components/schemas/${shape}` } } },
      },
    ]),
  );
}

/** A schema whose text form hides its meaning (digits that are an integer) says in its meta what to show instead. */
function jsonSchema(schema: z.ZodType, io: "input" | "output"): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema: made }) => {
      const shown = z.globalRegistry.get(zodSchema)?.override;
      if (typeof shown !== "object" || shown === null) return;
      for (const name of Object.keys(made)) Reflect.deleteProperty(made, name);
      Object.assign(made, shown);
    },
  });
  return rest;
}
