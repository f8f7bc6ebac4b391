import type { Operation } from "../../../lib/contract/operation.ts";
import { operations } from "../../../lib/contract/operations.ts";
import type { Chance } from "../../../lib/runtime/chance.ts";
import type { Documented, Schema } from "./document.ts";
import { digits, maybe, oneOf, textOf, validObject, validValue } from "./values.ts";
import { type FuzzKind, type FuzzWorld, kinds } from "./world.ts";

/** A request in pieces, so that one of them can be spoiled. */
export type Draft = {
  readonly operation: Documented;
  readonly kind: FuzzKind;
  readonly path: Readonly<Record<string, string>>;
  /** In order; a name may occur several times. */
  readonly query: ReadonlyArray<readonly [name: string, value: string]>;
  readonly body: Readonly<Record<string, unknown>> | undefined;
};

export const targetOf = ({ operation, path, query }: Draft): string => {
  const filled = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => path[name] ?? "");
  const text = query.map((pair) => pair.map(encodeURIComponent).join("=")).join("&");
  return text === "" ? filled : `${filled}?${text}`;
};

/** What the document says in words and not in schemas: comma-separated lists, and how many values they take. */
export const listsMax: Readonly<Record<string, number>> = {
  repository_ids: 10,
  user_ids: 10,
  organization_ids: 10,
  actions: 50,
  resource_types: 50,
  severity: 10,
};

/** Parameters that only one kind of key may send. */
const kindsOfParameter: Readonly<Record<string, FuzzKind>> = {
  organization_ids: "instance",
  repository_name: "user",
};

export const isFor = (name: string, kind: FuzzKind): boolean => (kindsOfParameter[name] ?? kind) === kind;

export const policyOf = ({ id }: Documented): Operation => {
  const policy = operations.find((operation) => operation.id === id);
  if (!policy) throw new Error(`${id} is documented and does not exist.`);
  return policy;
};

export function validDraft(operation: Documented, world: FuzzWorld, chance: Chance): Draft {
  const policy = policyOf(operation);
  const kind = oneOf(
    chance,
    kinds.filter((each) => policy.keys[each] === "accepted"),
  );
  const body = operation.body && validObject(operation.body, chance);
  const draft = {
    operation,
    kind,
    path: Object.fromEntries(
      operation.parameters
        .filter((parameter) => parameter.in === "path")
        .map(({ name, schema }) => [name, pathValue(name, schema, world.organizationUuid[kind], chance)]),
    ),
    query: validQuery(operation, world.orgId[kind], kind, chance),
    body: body && tidyBody(operation, body, kind, world.orgId[kind], chance),
  };
  return tidyQuery(draft, world.orgId[kind]);
}

function pathValue(name: string, schema: Schema, organization: string, chance: Chance): string {
  if (name === "organization_id" && maybe(chance, 70)) return organization;
  if (name === "role_id") return oneOf(chance, ["cr_admin", "cr_member", "cr_billing_admin", chance.uuid()]);
  return String(validValue(schema, chance));
}

function validQuery(
  { parameters }: Documented,
  orgId: string,
  kind: FuzzKind,
  chance: Chance,
): Array<[string, string]> {
  const query: Array<[string, string]> = [];
  for (const { name, schema, required, in: place } of parameters) {
    if (place !== "query" || name === "cursor" || name === "org_id" || (!required && maybe(chance, 60)))
      continue;
    if (!isFor(name, kind)) continue;
    if (schema.type === "array") {
      const count = 1 + chance.below(Math.min(3, schema.maxItems ?? 1));
      for (let index = 0; index < count; index++)
        query.push([name, String(validValue(schema.items ?? {}, chance))]);
    } else query.push([name, queryValue(name, schema, orgId, chance)]);
  }
  return query;
}

function queryValue(name: string, schema: Schema, orgId: string, chance: Chance): string {
  const valuesMax = listsMax[name];
  if (schema.type === "integer") return digits(chance, schema.minimum ?? 0, schema.maximum ?? 1);
  if (valuesMax === undefined) return String(validValue(schema, chance));
  const known = {
    severity: ["critical", "high", "medium", "low"],
    organization_ids: [orgId],
    user_ids: ["u1"],
  };
  const values: readonly string[] = Object.entries(known).find(([each]) => each === name)?.[1] ?? ["9001"];
  const element = () =>
    name === "severity" || maybe(chance, 50)
      ? oneOf(chance, values)
      : textOf(chance, 1, 20).replaceAll(",", "");
  const count = oneOf(chance, [1, 2, valuesMax]);
  return Array.from({ length: count }, () => `${maybe(chance, 10) ? " " : ""}${element() || "x"}`).join(",");
}

/** Rules between parameters, which no schema of a single one can say. */
function tidyQuery(draft: Draft, orgId: string): Draft {
  const { operation, kind } = draft;
  let query = [...draft.query];
  const given = (name: string) => query.find(([each]) => each === name)?.[1];
  const set = (name: string, value: string) => {
    query = query.map(([each, old]) => [each, each === name ? value : old]);
  };
  for (const [from, to] of [
    ["start_date", "end_date"],
    ["date_from", "date_to"],
  ] as const) {
    const [first, last] = [given(from), given(to)];
    if (first === undefined || last === undefined) continue;
    const days = [first.slice(0, 10), last.slice(0, 10)].sort();
    set(from, days[0] ?? "");
    set(to, days[1] ?? "");
  }
  const format = given("format");
  if (operation.id === "listSecurityFindings" && format !== undefined && format !== "json")
    query = query.filter(([name]) => name !== "limit");
  const { organization } = policyOf(operation);
  if (kind === "workspace" && organization === "required" && operation.body === undefined)
    query.push(["org_id", orgId]);
  return { ...draft, query };
}

const realPermissions = [
  ["learning", "read"],
  ["learning", "write"],
  ["organization_management", "read"],
  ["role_management", "read"],
  ["security", "read"],
] as const;

function tidyBody(
  operation: Documented,
  body: Record<string, unknown>,
  kind: FuzzKind,
  orgId: string,
  chance: Chance,
): Record<string, unknown> {
  const { org_id: _, ...tidy } = body;
  const isWorkspace = kind === "workspace";
  if (isWorkspace && policyOf(operation).organization === "required") tidy.org_id = orgId;
  if (operation.id === "assignSeats") {
    delete tidy.user_ids;
    delete tidy.emails;
    const field = isWorkspace ? "emails" : "user_ids";
    tidy[field] = validValue(operation.body?.properties?.[field] ?? {}, chance);
  }
  if (tidy.permissions !== undefined)
    tidy.permissions = Array.from({ length: chance.below(4) }, () => oneOf(chance, realPermissions)).map(
      ([resource_id, access_type]) => ({ resource_id, access_type }),
    );
  if (tidy.duplicate_from !== undefined) {
    tidy.duplicate_from = oneOf(chance, ["cr_member", chance.uuid()]);
    delete tidy.permissions;
  }
  return tidy;
}
