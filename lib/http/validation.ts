import type { APIGatewayProxyEvent } from "aws-lambda";
import type * as z from "zod";
import type { OperationInput } from "../access/operation-context.ts";
import { textField } from "../access/request-scope.ts";
import { readsOrgId } from "../access/scope.ts";
import type { KeyKind } from "../contract/access.ts";
import { ApiError, type Problem } from "../contract/api-error.ts";
import type { Operation } from "../contract/operation.ts";
import { firstProblemsOf, sentencesOf, valueAt } from "../contract/schema-sentences.ts";
import { required } from "../runtime/required.ts";
import { pathValues } from "./parameters.ts";

/** For keys that read `org_id`, two different values are a mistake; the service does not guess which one counts. */
export function contradiction(
  operation: Operation,
  kind: KeyKind,
  input: OperationInput<Operation>,
): string | undefined {
  const [inQuery, inBody] = [textField(input.query, "org_id"), textField(input.body, "org_id")];
  if (!readsOrgId(operation, kind) || inQuery === undefined) return undefined;
  // Without a name an instance key acts on its home, and others on all: a name in the wrong place must do neither.
  if (inBody === undefined)
    return kind === "instance" || (operation.body && operation.organization === "optional")
      ? "org_id: is read from the body on this operation. Send it there."
      : undefined;
  return inQuery === inBody
    ? undefined
    : "org_id: the query and the body name different organizations. Send it in the body only.";
}

/** `input` is complete only if there are no problems. Without `keepsOrgId`, `org_id` is dropped unchecked. */
export function readInput<Op extends Operation>(
  operation: Op,
  event: APIGatewayProxyEvent,
  { keepsOrgId }: { readonly keepsOrgId: boolean },
) {
  const { values, problems: known } = queryValues(operation, event);
  const path = check(operation.pathParameters, pathValues(event), "path");
  const query = check(operation.query, keepsOrgId ? values : withoutOrgId(values), "query", known);
  const body = checkBody(operation, event.body, keepsOrgId);
  const sentences = [path, query, body].flatMap((checked) => checked.problems);
  return {
    problems: firstProblemsOf(sentences).map(invalid),
    input: inputOf<Op>(path, query, body),
    /** A well-formed cursor, also if other values have problems. */
    cursor: cursorOf(operation, values),
  };
}

const invalid = (message: string): Problem => ({ code: "INVALID_REQUEST", message });

type Checked = { readonly value: unknown; readonly problems: readonly string[] };
/** The chain's only cast: the type is derived from the schemas that parsed the values. */
const inputOf = <Op extends Operation>(path: Checked, query: Checked, body: Checked) =>
  ({ path: path.value, query: query.value, body: body.value }) as OperationInput<Op>;

const nothing: Checked = { value: undefined, problems: [] };

/** `known` are problems that were found before: their fields are not checked again. */
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

function queryValues(operation: Operation, event: APIGatewayProxyEvent) {
  const repeatable = new Set<string>(operation.repeatableParameters ?? []);
  const values: Record<string, unknown> = Object.create(null);
  const problems = new Map<string, string>();
  for (const [name, given] of Object.entries(event.multiValueQueryStringParameters ?? {})) {
    const all = required(given, "value of the parameter");
    if (!Object.hasOwn(operation.query.shape, name)) values[name] = all[0];
    else if (all.includes("")) problems.set(name, `${name}: must not be empty.`);
    else if (repeatable.has(name)) values[name] = all;
    else if (all.length > 1) problems.set(name, `${name}: must be given only once.`);
    else values[name] = all[0];
  }
  return { values, problems };
}

function checkBody(operation: Operation, body: unknown, keepsOrgId: boolean): Checked {
  checkBatch(operation, body);
  return check(operation.body, keepsOrgId ? body : withoutOrgId(body), "body");
}

/** Keeps an empty `org_id`: it is a mistake for every kind of key. */
function withoutOrgId(values: unknown): unknown {
  if (typeof values !== "object" || values === null || Array.isArray(values)) return values;
  const { org_id: orgId, ...others }: { readonly org_id?: unknown } = values;
  return orgId === "" ? values : others;
}

/** Reported before every other problem, and checked before repeated elements are dropped. */
function checkBatch({ batch }: Operation, body: unknown): void {
  for (const field of batch?.fields ?? []) {
    const elements = valueAt(body, [field]);
    if (batch && Array.isArray(elements) && elements.length > batch.elementsMax) {
      throw new ApiError(
        "BATCH_SIZE_EXCEEDED",
        `${field}: has ${elements.length} elements; at most ${batch.elementsMax} are taken in one request.`,
      );
    }
  }
}
