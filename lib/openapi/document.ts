import * as z from "zod";
import { type ErrorCode, errorCodes } from "../contract/errors.ts";
import { errorShapeOf, type Operation } from "../contract/operation.ts";
import { possibleErrors } from "../contract/possible-errors.ts";
import { errorHeaders, headerComponents, successHeaders } from "./headers.ts";
import { describeParameter } from "./parameters.ts";
import { describePolicy, parameterPolicy, policyFields } from "./policy.ts";
import { describeSchema, joinWords, jsonSchema, rawSchema } from "./properties.ts";

/** OpenAPI 3.1, generated from the contract. The examples are joined when it is served: lib/reference/examples.ts. */
export type OpenApiDocument = {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
  readonly [field: string]: unknown;
};

export function openApiDocument(operations: readonly Operation[], version: string): OpenApiDocument {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    const methods = paths[operation.path] ?? {};
    const described = describeOperation(operation);
    paths[operation.path] = { ...methods, [operation.method.toLowerCase()]: described };
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Review Metrics, Learnings and Administration API",
      version,
      description:
        "Exports review metrics without missing a pull request, and manages Learnings, organizations, seats, roles, audit " +
        "logs, security findings and keys, for Enterprise customers.",
    },
    servers: [{ url: "/", description: "This service" }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name, description: tags[name] })),
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
        Error: objectOf({ error: { ...problem, description: "What is wrong." } }),
        Errors: objectOf({
          errors: { type: "array", minItems: 1, items: problem, description: "Everything that is wrong." },
        }),
      },
      headers: headerComponents,
    },
  };
}

/** Descriptions of the sections of the reference. */
const tags: Readonly<Record<string, string>> = {
  Metrics: "What automated reviews found and what was accepted, in an order that misses nothing.",
  Learnings:
    "Guidance for future reviews: deduplicated, with found credentials removed, exported in write order.",
  Organizations: "The organizations that a key can see, and their repositories.",
  Users: "Members, seats, and changes of roles.",
  Roles: "Custom roles and their permissions.",
  "Audit logs": "Who changed what, and which keys were refused.",
  Security: "Findings of AI security scans: JSON, CSV, SARIF.",
  Keys: "The keys of a scope: list, make, rotate, revoke; and what a key may do.",
  Webhooks: "Deliveries that say that there is new data.",
};

const objectOf = (properties: Record<string, object>) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const problem = objectOf({
  code: {
    type: "string",
    enum: Object.keys(errorCodes),
    description: "Each has its page at `/docs/errors/{code}`. Treat an unknown code by its HTTP status.",
  },
  message: { type: "string", description: "A sentence for people: what is wrong and what to do." },
});

function describeOperation(operation: Operation): object {
  const { id, tag, summary, description, body } = operation;
  const parametersIn = (place: ParameterLocation) => describeParameters(operation, place);
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: `${description}\n\n${describePolicy(operation)}`,
    ...policyFields(operation),
    parameters: [...parametersIn("path"), ...parametersIn("query")],
    ...(body && {
      requestBody: {
        required: !operation.bodyOptional,
        content: { "application/json": { schema: describeSchema(operation, "body", body) } },
      },
    }),
    responses: { ...successResponse(operation), ...errorResponses(operation) },
  };
}

type ParameterLocation = "path" | "query";

export function describeParameters(operation: Operation, place: ParameterLocation) {
  const schema = place === "path" ? operation.pathParameters : operation.query;
  if (!schema) return [];
  const { properties = {}, required = [] } = objectSchema.parse(rawSchema(schema, "input"));
  return Object.entries(properties).map(([name, { description = "", ...property }]) => ({
    name,
    in: place,
    description: withDefault(
      describeParameter(operation, name, String(description)),
      defaultOf(operation, name, property),
    ),
    required: place === "path" || required.includes(name),
    ...parameterPolicy(operation, name),
    schema: joinWords(property),
  }));
}

/** The operation decides the default page size. Where the schema has no default format, it is JSON all the same. */
const defaultOf = (
  { paging }: Operation,
  name: string,
  property: Readonly<Record<string, unknown>>,
): unknown =>
  name === "limit" ? paging?.defaultSize : (property.default ?? (name === "format" ? "json" : undefined));

const withDefault = (description: string, value: unknown): string =>
  value === undefined ? description : `${description} Default \`${value}\`.`;

export const objectSchema = z.object({
  properties: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
  required: z.array(z.string()).optional(),
});

function successResponse(operation: Operation): Record<string, object> {
  const { answer, query } = operation;
  const otherFormats = "format" in query.shape ? formatContent(query) : {};
  const content = answer.schema && {
    content: {
      [jsonType]: { schema: describeSchema(operation, "answer", answer.schema) },
      ...otherFormats,
    },
  };
  const headers = successHeaders(operation, Object.keys(otherFormats).length > 0);
  return { [answer.status]: { description: answer.description, headers, ...content } };
}

const jsonType = "application/json";
/** Formats other than JSON: SARIF is an object with its own specification, the others are lines of text. */
const mediaTypes: Readonly<Record<string, { readonly type: string; readonly schema: object }>> = {
  csv: { type: "text/csv", schema: { type: "string" } },
  ndjson: { type: "application/x-ndjson", schema: { type: "string" } },
  sarif: { type: "application/sarif+json", schema: { type: "object", description: "SARIF 2.1.0" } },
};

function formatContent(query: z.ZodObject): Record<string, object> {
  const { format } = formatSchema.parse(jsonSchema(query, "input")).properties;
  const types = format.enum.map((name) => mediaTypes[name]).filter((type) => type !== undefined);
  return Object.fromEntries(types.map(({ type, schema }) => [type, { schema }]));
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
        "x-error-codes": codes,
        headers: errorHeaders(operation, status, codes),
        content: {
          [jsonType]: { schema: { $ref: `#/components/schemas/${shape}` } },
        },
      },
    ]),
  );
}
