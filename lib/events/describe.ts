import * as z from "zod";
import { eventLimits } from "../contract/limits.ts";
import { eventTypes } from "./event-types.ts";
import { envelopeDescriptions, eventDescriptions } from "./words.ts";

/** Events as JSON Schema and as rows of a table, made from the schemas that the worker uses for validation. */

type Schema = z.core.JSONSchema.BaseSchema;

export type FieldRow = {
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  readonly meaning: string;
};

export function meaningOf(type: string): string {
  const words = eventDescriptions[type];
  if (!words) throw new Error(`The event type ${type} has no words.`);
  return words.meaning;
}

/** The schema of a whole event; every property is described. */
export function eventJsonSchema(type: string): object {
  const known = eventTypes[type];
  const words = eventDescriptions[type];
  if (!known || !words) throw new Error(`The event type ${type} has no schema or no words.`);
  const data = inputSchema(known.schema);
  const left = new Set(Object.keys(words.fields));
  describeFields(data, "", (path) => {
    const meaning = words.fields[path];
    if (meaning === undefined) throw new Error(`The field ${path} of ${type} has no words.`);
    left.delete(path);
    return meaning;
  });
  if (left.size > 0) throw new Error(`${type} has no field ${[...left].join(", ")}.`);
  const { id, type: name, occurred_at, data: whole } = envelopeDescriptions;
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: type,
    description: words.meaning,
    type: "object",
    properties: {
      id: { type: "string", format: "uuid", description: id },
      type: { const: type, description: name },
      occurred_at: {
        type: "string",
        format: "date-time",
        maxLength: eventLimits.occurredAtCharactersMax,
        description: occurred_at,
      },
      data: { ...data, description: whole },
    },
    required: ["id", "type", "occurred_at", "data"],
  };
}

function inputSchema(schema: z.ZodType): Schema {
  const { $schema: _, ...made } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return made;
}

/** Adds the description to every field, and removes what only a program would read. */
function describeFields(schema: Schema, prefix: string, wordsOf: (path: string) => string): void {
  for (const branch of branchesOf(schema)) {
    // `format` says the same in one word.
    if (branch.format === "date-time") delete branch.pattern;
    if (isSchema(branch.items)) describeFields(branch.items, `${prefix}[]`, wordsOf);
    for (const [name, property] of Object.entries(branch.properties ?? {})) {
      if (!isSchema(property)) continue;
      const path = prefix === "" ? name : `${prefix}.${name}`;
      for (const each of branchesOf(property)) delete each.description;
      property.description = wordsOf(path);
      describeFields(property, path, wordsOf);
    }
  }
}

/** A schema and its alternatives. */
const branchesOf = (schema: Schema): Schema[] => [
  schema,
  ...(schema.anyOf ?? []).filter(isSchema).flatMap(branchesOf),
];

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null;

/** The fields of `data`, outer ones before inner ones. */
export function eventFieldsOf(type: string): FieldRow[] {
  const rows: FieldRow[] = [];
  const known = eventTypes[type];
  if (!known) throw new Error(`There is no event type ${type}.`);
  const visit = (schema: Schema, prefix: string) => {
    for (const branch of branchesOf(schema)) {
      if (isSchema(branch.items)) visit(branch.items, `${prefix}[]`);
      for (const [name, property] of Object.entries(branch.properties ?? {})) {
        if (!isSchema(property)) continue;
        const path = prefix === "" ? name : `${prefix}.${name}`;
        rows.push({
          path,
          type: typeWords(property),
          required: branch.required?.includes(name) ?? false,
          meaning: eventDescriptions[type]?.fields[path] ?? "",
        });
        visit(property, path);
      }
    }
  };
  visit(inputSchema(known.schema), "");
  return rows;
}

/** A type in readable words: `string or null`, `one of a, b`. */
function typeWords(schema: Schema): string {
  if (schema.enum) return `one of ${schema.enum.map((value) => `\`${value}\``).join(", ")}`;
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.anyOf)
    return [...new Set(schema.anyOf.filter(isSchema).map(typeWords))].toSorted(nullLast).join(" or ");
  if (schema.type === "array") return "list";
  if (schema.format === "date-time") return "date-time";
  const { type } = schema;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type ?? "any"];
  return types.join(" or ");
}

const nullLast = (one: string, other: string): number => Number(one === "null") - Number(other === "null");
