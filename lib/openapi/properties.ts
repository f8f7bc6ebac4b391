import * as z from "zod";
import type { Operation } from "../contract/operation.ts";
import { wordsOfName } from "../contract/records.ts";
import { describeSelector } from "./parameters.ts";

/**
 * JSON Schema from the contract's schemas. The words of a field stand beside it: `.describe()` says what it means, and
 * `limits` in its metadata what its value may be. A schema whose text form hides its meaning (digits that are an integer)
 * has another one to show: `override`, or `shows` for a whole schema.
 */
type Schema = z.core.JSONSchema.BaseSchema;

export const jsonSchema = (schema: z.ZodType, io: "input" | "output"): Schema =>
  joinWords(rawSchema(schema, io));

/** The same for a body or an answer. In a body the policy of the operation says what `org_id` does. */
export function describeSchema(operation: Operation, place: "body" | "answer", schema: z.ZodType): Schema {
  const made = rawSchema(schema, place === "body" ? "input" : "output");
  const selector = made.properties?.org_id;
  if (place === "body" && isSchema(selector)) selector.description ??= describeSelector(operation);
  return joinWords(made);
}

/** `description` has only the meaning, `limits` stands apart. */
export function rawSchema(schema: z.ZodType, io: "input" | "output"): Schema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema: made }) => {
      nameProperties(made);
      const { override, shows } = z.globalRegistry.get(zodSchema) ?? {};
      const shown = shows instanceof z.ZodType ? rawSchema(shows, io) : override;
      if (typeof shown !== "object" || shown === null) return;
      const { description } = made;
      for (const name of Object.keys(made)) Reflect.deleteProperty(made, name);
      Object.assign(made, shown, description !== undefined && { description });
    },
  });
  return rest;
}

/**
 * A record with a closed list of names becomes an object with these properties: for readers, linters and clients. The
 * description of the names is that of each property, with its name for `{name}`.
 */
function nameProperties(made: Schema): void {
  const { propertyNames, additionalProperties: value } = made;
  if (typeof propertyNames !== "object" || typeof value !== "object") return;
  const { enum: names, description } = propertyNames;
  if (!names) return;
  delete made.propertyNames;
  made.properties = Object.fromEntries(
    names
      .map(String)
      .map((name) => [name, description ? { ...value, description: wordsOfName(description, name) } : value]),
  );
  made.additionalProperties = false;
}

/** In place: what a field means and what its value may be become one description. */
export function joinWords(schema: Schema): Schema {
  const { description, limits } = schema;
  // The place of the limits in the object stays, so that the document does.
  if (limits !== undefined) {
    const entries = Object.entries(schema).filter(([name]) => name !== "description");
    for (const name of Object.keys(schema)) Reflect.deleteProperty(schema, name);
    const words = [description, limits].filter(Boolean).join(" ");
    Object.assign(
      schema,
      Object.fromEntries(entries.map((entry) => (entry[0] === "limits" ? ["description", words] : entry))),
    );
  } else if (description !== undefined) {
    delete schema.description;
    schema.description = description;
  }
  for (const part of partsOf(schema)) joinWords(part);
  for (const [, property] of propertiesOf(schema)) joinWords(property);
  return schema;
}

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null;
const partsOf = ({ items, additionalProperties, anyOf = [] }: Schema): Schema[] =>
  [items, additionalProperties, ...anyOf].filter(isSchema);
const propertiesOf = ({ properties = {} }: Schema): [string, Schema][] =>
  Object.entries(properties).filter((entry): entry is [string, Schema] => isSchema(entry[1]));
