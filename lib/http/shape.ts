import jsonBodyParser from "@middy/http-json-body-parser";
import type { APIGatewayProxyEvent } from "aws-lambda";
import type * as z from "zod";
import { Fault } from "../contract/fault.ts";
import { requestLimits } from "../contract/limits.ts";
import type { Operation } from "../contract/operation.ts";
import type { Input } from "./exchange.ts";
import { headerValues } from "./headers.ts";

/** Step 4: size, type, then every problem of path, query and body in one answer. */
export function parseInput(operation: Operation, event: APIGatewayProxyEvent): Input<Operation> {
  const body = operation.body && readBody(operation, event);
  const query = queryValues(operation, event);
  const checks = {
    path: check(operation.pathParameters, pathValues(event), "path"),
    query: check(operation.query, query.values, "query", query.problems),
    body: check(operation.body, body, "body"),
  };
  const [first, ...more] = [...checks.path.problems, ...checks.query.problems, ...checks.body.problems];
  if (first !== undefined) throw new Fault("INVALID_REQUEST", first, { more });
  const input = { path: checks.path.value, query: checks.query.value, body: checks.body.value };
  // The schemas that parsed it are the ones the type is read from.
  return input as Input<Operation>;
}

type Checked = { readonly value: unknown; readonly problems: readonly string[] };

/** `known` are problems found before: their fields are not judged again. */
function check(
  schema: z.ZodType | undefined,
  value: unknown,
  whole: string,
  known = new Map<string, string>(),
): Checked {
  if (!schema) return { value: undefined, problems: [] };
  const parsed = schema.safeParse(value);
  if (parsed.success) return { value: parsed.data, problems: [...known.values()] };
  const issues = parsed.error.issues.filter((issue) => !known.has(String(issue.path[0])));
  const found = issues.flatMap((issue) => sentences(issue, schema, value, whole));
  return { value: undefined, problems: [...known.values(), ...found] };
}

function sentences(issue: z.core.$ZodIssue, schema: z.ZodType, value: unknown, whole: string): string[] {
  const field = issue.path.map((step) => (typeof step === "number" ? `[${step}]` : String(step))).join(".");
  if (issue.code === "unrecognized_keys") {
    const known = issue.path.length === 0 ? knownFields(schema) : "";
    return issue.keys.map((key) => `${field ? `${field}.` : ""}${key}: is not known here.${known}`);
  }
  if (issue.code === "invalid_type" && valueAt(value, issue.path) === undefined && issue.path.length > 0) {
    return [`${field}: is required.`];
  }
  if (issue.path.length === 0 && issue.code === "invalid_type") return [`${whole}: must be a JSON object.`];
  return [`${field || whole}: ${issue.message.replace(/\.$/, "")}.`];
}

function knownFields(schema: z.ZodType): string {
  const names = "shape" in schema && schema.shape ? Object.keys(schema.shape) : [];
  return names.length > 0 ? ` Known are: ${names.join(", ")}.` : "";
}

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (inner, step) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, step) : undefined),
    value,
  );

/** Path parameters arrive percent-encoded from a REST API. */
function pathValues(event: APIGatewayProxyEvent): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(event.pathParameters ?? {})) {
    values[name] = decoded(value ?? "");
  }
  return values;
}

/** A broken escape is no reason to fail: as it stands it matches no id, and the field's own message says so. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function queryValues(operation: Operation, event: APIGatewayProxyEvent) {
  const repeatable = new Set<string>(operation.repeatableParameters ?? []);
  const values: Record<string, unknown> = Object.create(null);
  const problems = new Map<string, string>();
  for (const [name, given] of Object.entries(event.multiValueQueryStringParameters ?? {})) {
    const all = given ?? [];
    if (!Object.hasOwn(operation.query.shape, name)) values[name] = all[0];
    else if (all.includes("")) problems.set(name, `${name}: must not be empty.`);
    else if (repeatable.has(name)) values[name] = all;
    else if (all.length > 1) problems.set(name, `${name}: must be given only once.`);
    else values[name] = all[0];
  }
  return { values, problems };
}

function readBody(operation: Operation, event: APIGatewayProxyEvent): unknown {
  const bytesMax = operation.bodyBytesMax ?? requestLimits.bodyBytesMax;
  const { body } = event;
  if (body === null || body === "")
    throw new Fault("INVALID_REQUEST", "body: is required and must be a JSON object.");
  const bytes = Buffer.byteLength(body, event.isBase64Encoded ? "base64" : "utf8");
  if (bytes > bytesMax) {
    throw new Fault(
      "PAYLOAD_TOO_LARGE",
      `The body has ${bytes} bytes; at most ${bytesMax} are taken. Send less at once.`,
    );
  }
  const [contentType = "", ...others] = headerValues(event, "content-type");
  if (others.length > 0 || !/^application\/json[ \t]*(?:;|$)/i.test(contentType.trim())) {
    throw new Fault("UNSUPPORTED_MEDIA_TYPE", "The body must be sent as content-type: application/json.");
  }
  const value = parseJson(event);
  checkBatch(operation, value);
  return value;
}

/** Before every other problem, and before repeated elements are dropped. */
function checkBatch({ batch }: Operation, body: unknown): void {
  for (const field of batch?.fields ?? []) {
    const elements = valueAt(body, [field]);
    if (batch && Array.isArray(elements) && elements.length > batch.elementsMax) {
      throw new Fault(
        "BATCH_SIZE_EXCEEDED",
        `${field}: has ${elements.length} elements; at most ${batch.elementsMax} are taken in one request.`,
      );
    }
  }
}

const parser = jsonBodyParser({ disableContentTypeCheck: true });

/** What the body says, for steps that come before it is judged; undefined when it says nothing sensible. */
export function peekBody(event: APIGatewayProxyEvent, field: string): unknown {
  try {
    return event.body ? valueAt(parseJson(event), [field]) : undefined;
  } catch {
    return undefined;
  }
}

function parseJson(event: APIGatewayProxyEvent): unknown {
  const copy = { ...event };
  try {
    parser.before?.({ event: copy } as Parameters<NonNullable<typeof parser.before>>[0]);
  } catch (cause) {
    throw new Fault("INVALID_REQUEST", "body: is not valid JSON.", { cause });
  }
  return copy.body;
}
