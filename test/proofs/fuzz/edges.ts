import type { Documented, Schema } from "./document.ts";
import { type Draft, isFor, listsMax, listValues, searchBody } from "./draft.ts";
import { type OrganizationChoice, withOrganization } from "./selector.ts";
import { tidyQuery } from "./valid.ts";
import { bytesMaxOf, charactersMaxOf } from "./values.ts";
import { emailOf, type FuzzHome, type FuzzKind, members, repositories, repositoryName } from "./world.ts";

export const edges = ["least", "most"] as const;
export type Edge = (typeof edges)[number];

/** Two bytes and one UTF-16 unit, and four bytes and two units: a limit that is counted wrongly shows. */
const twoBytes = "é";
const fourBytes = "🧪";

function edgeText(schema: Schema, edge: Edge): string {
  if (edge === "least") return "x".repeat(schema.minLength ?? 0);
  const bytesMax = bytesMaxOf(schema);
  return bytesMax === undefined
    ? fourBytes.repeat(charactersMaxOf(schema) ?? 30)
    : twoBytes.repeat(bytesMax / 2);
}

const uuidParts = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;

/** The smallest or the largest value that the schema allows. */
function edgeValue(schema: Schema, edge: Edge): unknown {
  if (schema.enum) return schema.enum.at(edge === "least" ? 0 : -1);
  if (schema.type === "integer" || schema.type === "number")
    return edge === "least" ? schema.minimum : schema.maximum;
  if (schema.type === "boolean") return edge === "most";
  if (schema.type === "array") return edgeArray(schema, edge);
  if (schema.type === "object") return edgeObject(schema, edge);
  if (schema.type === "null") return null;
  if (schema.format === "uuid")
    return (edge === "least" ? "0" : "F").repeat(32).replace(uuidParts, "$1-$2-$3-$4-$5");
  if (schema.format === "date") return edge === "least" ? "0001-01-01" : "9999-12-31";
  if (schema.format === "uri")
    return edge === "least" ? "http://a" : "https://a/".padEnd(charactersMaxOf(schema) ?? 0, "f");
  if (schema.anyOf?.some(({ format }) => format === "date-time"))
    return edge === "least" ? "0001-01-01" : "9999-12-31T23:59:59.999999999Z";
  if (schema.anyOf) return edgeValue(schema.anyOf.at(edge === "least" ? -1 : 0) ?? {}, edge);
  return edgeText(schema, edge);
}

/** The first element of a full array is as large as allowed; the others are small, so that a run stays short. */
function edgeArray({ items = {}, minItems = 0, maxItems = 3 }: Schema, edge: Edge): unknown[] {
  const length = edge === "least" ? minItems : maxItems;
  return Array.from({ length }, (_, index) => edgeValue(items, index === 0 ? edge : "least"));
}

function edgeObject({ properties = {}, required = [] }: Schema, edge: Edge): Record<string, unknown> {
  const chosen = Object.entries(properties).filter(([name]) => edge === "most" || required.includes(name));
  return Object.fromEntries(chosen.map(([name, schema]) => [name, edgeValue(schema, edge)]));
}

/** Only the required fields, as small as possible; or all fields, as large as possible. */
export function edgeDraft(operation: Documented, kind: FuzzKind, home: FuzzHome, edge: Edge): Draft {
  const parameters = operation.parameters.filter(
    ({ name, in: place, required }) =>
      place === "query" &&
      !["cursor", "org_id"].includes(name) &&
      isFor(name, kind) &&
      (required || edge === "most"),
  );
  const query = parameters.flatMap(({ name, schema }) => queryEdges(name, schema, home, edge));
  const body = operation.body && edgeBody(operation.body, operation.id, kind, edge);
  const [kept = ""] = home.learningIds;
  const learning_id = operation.method === "DELETE" ? home.spareLearningId : kept;
  const path = {
    organization_id: home.uuid,
    learning_id,
    role_id: "cr_member",
    key_id: `k${"a".repeat(16)}`,
    webhook_id: "3b241101-e2bb-4255-8caf-4136c566a962",
  };
  return tidyQuery(
    withOrganization({ operation, kind, path, query, body }, home, (choice) =>
      organizationEdge(choice, edge),
    ),
  );
}

function queryEdges(
  name: string,
  schema: Schema,
  home: FuzzHome,
  edge: Edge,
): Array<readonly [string, string]> {
  const valuesMax = listsMax[name];
  if (name === "repository_name") return [[name, repositoryName]];
  if (valuesMax !== undefined) {
    const values = listValues(name, home);
    const list = Array.from({ length: valuesMax }, (_, index) => values[index % values.length]);
    return [[name, list.join(",")]];
  }
  return [edgeValue(schema, edge)].flat().map((value) => [name, String(value)]);
}

function organizationEdge({ isRequired, values }: OrganizationChoice, edge: Edge): string | undefined {
  if (edge === "least" && !isRequired) return undefined;
  const value = values.at(edge === "least" ? 0 : -1);
  return value === undefined || typeof value === "string" ? value : edgeText(value, edge);
}

/** Rules between fields, as for other requests; the elements after the first are people and places that exist. */
function edgeBody(schema: Schema, id: string, kind: FuzzKind, edge: Edge): Record<string, unknown> {
  const { org_id: _, duplicate_from: _other, ...body } = edgeObject(schema, edge);
  const [people, others] =
    kind === "workspace" ? (["emails", "user_ids"] as const) : (["user_ids", "emails"] as const);
  if (id === "assignSeats") {
    delete body[others];
    body[people] = edgeValue(schema.properties?.[people] ?? {}, edge);
  }
  for (const field of ["user_ids", "emails"] as const) {
    const given = body[field];
    const name = (index: number) => members[index % members.length] ?? "";
    if (Array.isArray(given))
      body[field] = given.map((each, index) =>
        index === 0 ? each : field === "emails" ? emailOf(name(index)) : name(index),
      );
  }
  if (Array.isArray(body.data))
    body.data = body.data.map((item, index) => ({
      ...item,
      repository_id: repositories[1],
      ...(index > 0 && { learning: `Rule ${index}` }),
    }));
  // This world has no pending Learnings: only an already decided one can be decided again.
  if (id === "decideLearning") body.decision = "approve";
  if (Array.isArray(body.permissions)) body.permissions = [{ resource_id: "security", access_type: "read" }];
  return searchBody(body, kind);
}
