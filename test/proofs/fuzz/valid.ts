import { toBase32 } from "../../../lib/access/base32.ts";
import type { Random } from "../../../lib/runtime/random.ts";
import type { Documented, Schema } from "./document.ts";
import { closedLists, type Draft, isFor, kindsOf, listsMax, listValues, searchBody } from "./draft.ts";
import { type OrganizationChoice, withOrganization } from "./selector.ts";
import { digits, maybe, oneOf, textOf, validObject, validValue } from "./values.ts";
import {
  emailOf,
  type FuzzHome,
  type FuzzKind,
  type FuzzWorld,
  members,
  repositories,
  repositoryName,
} from "./world.ts";

export function validDraft(operation: Documented, world: FuzzWorld, random: Random): Draft {
  const kind = oneOf(random, kindsOf(operation));
  const home = world.homes[kind];
  const body = operation.body && tidyBody(operation, validObject(operation.body, random), kind, random);
  const draft = {
    operation,
    kind,
    path: Object.fromEntries(
      operation.parameters
        .filter((parameter) => parameter.in === "path")
        .map(({ name, schema }) => [name, pathValue(operation, name, schema, home, random)]),
    ),
    query: validQuery(operation, home, kind, random),
    body,
  };
  return tidyQuery(withOrganization(draft, home, (choice) => organizationOf(choice, random)));
}

/** Half of the time if it is optional. */
function organizationOf({ isRequired, values }: OrganizationChoice, random: Random): string | undefined {
  if (!isRequired && maybe(random, 50)) return undefined;
  const value = oneOf(random, values);
  return typeof value === "string" ? value : String(validValue(value, random));
}

function pathValue({ id }: Documented, name: string, schema: Schema, home: FuzzHome, random: Random): string {
  if (name === "organization_id" && maybe(random, 70)) return home.uuid;
  // A resource that one request deletes would be missing for another.
  if (name === "learning_id" && id !== "deleteLearning" && maybe(random, 70))
    return oneOf(random, home.learningIds);
  if (name === "role_id") return oneOf(random, ["cr_admin", "cr_member", "cr_billing_admin", random.uuid()]);
  if (name === "key_id") return `k${toBase32(random.bytes(10))}`;
  return String(validValue(schema, random));
}

function validQuery(
  { parameters }: Documented,
  home: FuzzHome,
  kind: FuzzKind,
  random: Random,
): Array<[string, string]> {
  const query: Array<[string, string]> = [];
  for (const { name, schema, required, in: place } of parameters) {
    if (place !== "query" || name === "cursor" || name === "org_id" || (!required && maybe(random, 60)))
      continue;
    if (!isFor(name, kind)) continue;
    if (schema.type === "array") {
      const count = oneOf(random, [1, 2, schema.maxItems ?? 1]);
      for (let index = 0; index < count; index++)
        query.push([name, String(validValue(schema.items ?? {}, random))]);
    } else query.push([name, queryValue(name, schema, home, random)]);
  }
  return query;
}

function queryValue(name: string, schema: Schema, home: FuzzHome, random: Random): string {
  const valuesMax = listsMax[name];
  if (schema.type === "integer") return digits(random, schema.minimum ?? 0, schema.maximum ?? 1);
  if (name === "repository_name" && maybe(random, 50)) return repositoryName;
  if (valuesMax === undefined) return String(validValue(schema, random));
  const values = listValues(name, home);
  const element = () =>
    closedLists.includes(name) || maybe(random, 50)
      ? oneOf(random, values)
      : textOf(random, 1, 20).replaceAll(",", "");
  const count = oneOf(random, [1, 2, valuesMax]);
  return Array.from({ length: count }, () => `${maybe(random, 10) ? " " : ""}${element() || "x"}`).join(",");
}

/** Rules between parameters, which no schema of a single parameter can express. */
export function tidyQuery(draft: Draft): Draft {
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
  if (draft.operation.id === "listSecurityFindings" && format !== undefined && format !== "json")
    query = query.filter(([name]) => name !== "limit");
  return { ...draft, query };
}

const realPermissions = [
  ["learning", "read"],
  ["learning", "write"],
  ["organization_management", "read"],
  ["role_management", "read"],
  ["security", "read"],
] as const;

/** Rules between the fields of a body, and names that exist. */
function tidyBody(
  operation: Documented,
  body: Record<string, unknown>,
  kind: FuzzKind,
  random: Random,
): Record<string, unknown> {
  const { org_id: _, ...tidy } = body;
  const isWorkspace = kind === "workspace";
  if (operation.id === "assignSeats") {
    delete tidy.user_ids;
    delete tidy.emails;
    const field = isWorkspace ? "emails" : "user_ids";
    tidy[field] = validValue(operation.body?.properties?.[field] ?? {}, random);
  }
  for (const [field, known] of [
    ["user_ids", members],
    ["emails", members.map(emailOf)],
  ] as const) {
    const people = tidy[field];
    if (Array.isArray(people))
      tidy[field] = people.map((person) => (maybe(random, 50) ? oneOf(random, known) : person));
  }
  if (Array.isArray(tidy.data))
    tidy.data = tidy.data.map((item) =>
      maybe(random, 80) ? { ...item, repository_id: oneOf(random, repositories) } : item,
    );
  if (tidy.permissions !== undefined)
    tidy.permissions = Array.from({ length: random.below(4) }, () => oneOf(random, realPermissions)).map(
      ([resource_id, access_type]) => ({ resource_id, access_type }),
    );
  if (tidy.duplicate_from !== undefined) {
    tidy.duplicate_from = oneOf(random, ["cr_member", random.uuid()]);
    delete tidy.permissions;
  }
  return searchBody(tidy, kind);
}
