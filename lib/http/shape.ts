import type { APIGatewayProxyEvent } from "aws-lambda";
import type * as z from "zod";
import { Fault, type Problem } from "../contract/fault.ts";
import type { Operation } from "../contract/operation.ts";
import { firstOf, sentencesOf, valueAt } from "../contract/problems.ts";
import { certain } from "../runtime/certain.ts";
import type { Input } from "./exchange.ts";
import type { JsonBody } from "./json-body.ts";

export type Shape = {
  /** Undefined when there is any problem. */
  readonly input: Input<Operation> | undefined;
  /** Of path, query and body. */
  readonly problems: readonly Problem[];
  /** A cursor that is well-formed, whatever else is not. */
  readonly cursor: string | undefined;
};

/**
 * Step 4, but for what only the cursor's signing key can tell. All that is wrong is a 400 and one list. Without
 * `readsOrgId` the value of `org_id` is dropped before it is judged.
 */
export function readInput(
  operation: Operation,
  event: APIGatewayProxyEvent,
  jsonBody: JsonBody | undefined,
  { readsOrgId = true }: { readonly readsOrgId?: boolean } = {},
): Shape {
  const { values, problems: known } = queryValues(operation, event);
  const path = check(operation.pathParameters, pathValues(event), "path");
  const query = check(operation.query, readsOrgId ? values : withoutOrgId(values), "query", known);
  const body = jsonBody ? checkBody(operation, jsonBody, readsOrgId) : nothing;
  const sentences = [path, query, body].flatMap((checked) => checked.problems);
  const problems = firstOf(sentences).map(invalid);
  const input = { path: path.value, query: query.value, body: body.value };
  return {
    // The schemas that parsed it are the ones the type is read from.
    input: problems.length === 0 ? (input as Input<Operation>) : undefined,
    problems,
    cursor: cursorOf(operation, values),
  };
}

const invalid = (message: string): Problem => ({ code: "INVALID_REQUEST", message });

type Checked = { readonly value: unknown; readonly problems: readonly string[] };
const nothing: Checked = { value: undefined, problems: [] };

/** `known` are problems found before: their fields are not judged again. */
function check(
  schema: z.ZodObject | undefined,
  value: unknown,
  whole: string,
  known = new Map<string, string>(),
): Checked {
  if (!schema) return nothing;
  const parsed = schema.safeParse(value);
  if (parsed.success) return { value: parsed.data, problems: [...known.values()] };
  const issues = parsed.error.issues.filter((issue) => !known.has(String(issue.path[0])));
  const found = sentencesOf({ issues, schema, value, whole });
  return { value: undefined, problems: [...known.values(), ...found] };
}

function cursorOf({ query }: Operation, values: Readonly<Record<string, unknown>>): string | undefined {
  const cursor = query.shape.cursor?.safeParse(values.cursor);
  return cursor?.success && typeof cursor.data === "string" ? cursor.data : undefined;
}

/** Path parameters arrive percent-encoded from a REST API. */
export const pathValues = ({ pathParameters }: APIGatewayProxyEvent): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(pathParameters ?? {}).map(([name, value]) => [name, decoded(value)]));

/** A broken escape is no reason to fail: as it stands it matches no id, and the field's own message says so. */
function decoded(text: string | undefined): string | undefined {
  try {
    return text && decodeURIComponent(text);
  } catch {
    return text;
  }
}

function queryValues(operation: Operation, event: APIGatewayProxyEvent) {
  const repeatable = new Set<string>(operation.repeatableParameters ?? []);
  const values: Record<string, unknown> = Object.create(null);
  const problems = new Map<string, string>();
  for (const [name, given] of Object.entries(event.multiValueQueryStringParameters ?? {})) {
    const all = certain(given, "value of the parameter");
    if (!Object.hasOwn(operation.query.shape, name)) values[name] = all[0];
    else if (all.includes("")) problems.set(name, `${name}: must not be empty.`);
    else if (repeatable.has(name)) values[name] = all;
    else if (all.length > 1) problems.set(name, `${name}: must be given only once.`);
    else values[name] = all[0];
  }
  return { values, problems };
}

function checkBody(operation: Operation, body: JsonBody, readsOrgId: boolean): Checked {
  if ("problem" in body) return { ...nothing, problems: [body.problem] };
  checkBatch(operation, body.value);
  return check(operation.body, readsOrgId ? body.value : withoutOrgId(body.value), "body");
}

/** An empty one stays: it is a mistake for every kind of key. */
function withoutOrgId(values: unknown): unknown {
  if (typeof values !== "object" || values === null || Array.isArray(values)) return values;
  const { org_id: orgId, ...others }: { readonly org_id?: unknown } = values;
  return orgId === "" ? values : others;
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
