import type { OpenApiDocument } from "./document.ts";
import { asList as list, asNode as record, type Node as Schema } from "./schema-changes.ts";

/**
 * Generates the client's types and routes from the OpenAPI document, so that users of the client need neither our
 * contract nor its schema library. `cli/products.js` runs it.
 */
export function generateClientTypes(document: OpenApiDocument): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => describe(method, path, operation)),
  );
  return [
    "// Made from the contract by `npm install`. Do not edit.",
    "",
    "/** Every operation: what it takes and what it answers. */",
    "export type Operations = {",
    // Editors show the summary where the client's method is called.
    ...operations.flatMap(({ id, summary, request, answer }) => [
      `  /** ${summary}. */`,
      `  ${id}: { request: ${request}; answer: ${answer} };`,
    ]),
    "};",
    "",
    "export const routes = {",
    ...operations.map(
      ({ id, method, path, flags }) =>
        `  ${id}: { method: "${method.toUpperCase()}", path: "${path}"${flags.map((flag) => `, ${flag}: true`).join("")} },`,
    ),
    "} as const satisfies Record<",
    "  keyof Operations,",
    "  { method: string; path: string; readOnly?: true; takesIdempotencyKey?: true }",
    ">;",
    "",
  ].join("\n");
}

function describe(method: string, path: string, operation: object) {
  const { operationId, summary, parameters, requestBody, responses } = record(operation);
  const inPlace = (place: string) =>
    list(parameters)
      .map(record)
      .filter((parameter) => parameter.in === place);
  const success = Object.entries(record(responses)).find(([status]) => status.startsWith("2"))?.[1];
  const body = jsonContent(requestBody);
  const parts = [
    ...part("path", parameterType(inPlace("path")), true),
    ...part(
      "query",
      parameterType(inPlace("query")),
      inPlace("query").some(({ required }) => required === true),
    ),
    ...(body ? part("body", typeOf(body), record(requestBody).required === true) : []),
  ];
  const answer = jsonContent(success);
  return {
    id: String(operationId),
    summary: String(summary),
    method,
    path,
    flags: [
      ...(record(operation)["x-read-only"] === true ? ["readOnly"] : []),
      ...("idempotency_key" in record(body?.properties) ? ["takesIdempotencyKey"] : []),
    ],
    request: `{ ${parts.join("; ")} }`,
    answer: answer ? typeOf(answer) : "undefined",
  };
}

const part = (name: string, type: string, required: boolean): string[] =>
  type === "{}" ? [] : [`${name}${required ? "" : "?"}: ${type}`];

function parameterType(parameters: readonly Schema[]): string {
  if (parameters.length === 0) return "{}";
  const fields = parameters.map(({ name, required, schema }) =>
    field(String(name), required === true, typeOf(record(schema))),
  );
  return `{ ${fields.join("; ")} }`;
}

function jsonContent(holder: unknown): Schema | undefined {
  const media = record(record(holder).content)["application/json"];
  return media === undefined ? undefined : record(record(media).schema);
}

const field = (name: string, required: boolean, type: string): string => {
  const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
  return required ? `${key}: ${type}` : `${key}?: ${type} | undefined`;
};

function typeOf(schema: Schema): string {
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if ("const" in schema) return JSON.stringify(schema.const);
  for (const union of [schema.oneOf, schema.anyOf]) {
    const types = list(union).map(record).map(typeOf);
    if (types.length > 0 && !types.includes("unknown")) return [...new Set(types)].join(" | ");
  }
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(" | ");
  switch (schema.type) {
    case "string":
      return "string";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "null":
      return "null";
    case "array":
      return `Array<${typeOf(record(schema.items))}>`;
    case "object":
      return objectType(schema);
    default:
      return "unknown";
  }
}

function objectType(schema: Schema): string {
  const properties = Object.entries(record(schema.properties));
  if (properties.length === 0) return `Record<string, ${typeOf(record(schema.additionalProperties))}>`;
  const required = new Set(list(schema.required));
  return `{ ${properties.map(([name, property]) => field(name, required.has(name), typeOf(record(property)))).join("; ")} }`;
}
