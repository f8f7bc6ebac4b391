import * as z from "zod";

export type Schema = Readonly<Record<string, unknown>>;

const part = z.record(z.string(), z.unknown());
const schemaParts = z.looseObject({
  type: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  anyOf: z.array(part).optional(),
  items: part.optional(),
  properties: z.record(z.string(), part).optional(),
  additionalProperties: z.union([z.boolean(), part]).optional(),
});

/**
 * The schema of an answer for a model, which reads the whole list of tools every time: names and types. It is open,
 * because an answer may get more fields and values.
 */
export function shortAnswer(schema: Schema): Schema {
  const { type, anyOf, items, properties, additionalProperties } = schemaParts.parse(schema);
  if (anyOf) return shortUnion(anyOf.map(shortAnswer));
  return {
    ...(type !== undefined && { type }),
    ...(items && { items: shortAnswer(items) }),
    ...(properties && { properties: mapValues(properties, shortAnswer) }),
    ...(typeof additionalProperties === "object" &&
      Object.keys(additionalProperties).length > 0 && {
        additionalProperties: shortAnswer(additionalProperties),
      }),
  };
}

/** The schema of an argument: the API checks lengths and forms itself, and its error says what is allowed. */
export function shortInput(schema: Schema): Schema {
  const { minLength: _1, maxLength: _2, pattern: _3, default: _4, ...kept } = schemaParts.parse(schema);
  const { anyOf, items, properties, ...rest } = kept;
  if (anyOf && rest.type === undefined) return { ...shortUnion(anyOf.map(shortInput)), ...rest };
  return {
    ...rest,
    ...(anyOf && { anyOf }),
    ...(items && { items: shortInput(items) }),
    ...(properties && { properties: mapValues(properties, shortInput) }),
  };
}

/** Most unions are a value or null: two types in one schema. */
function shortUnion(parts: readonly Schema[]): Schema {
  const [one, other] = parts;
  if (parts.length !== 2 || !one || other?.type !== "null" || typeof one.type !== "string")
    return { anyOf: parts };
  return {
    ...one,
    type: [one.type, "null"],
    ...(Array.isArray(one.enum) && { enum: [...one.enum, null] }),
  };
}

const mapValues = (properties: Readonly<Record<string, Schema>>, make: (schema: Schema) => Schema) =>
  Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, make(property)]));
