import * as z from "zod";

export type Schema = Readonly<Record<string, unknown>>;

const part = z.record(z.string(), z.unknown());
const schemaParts = z.object({
  type: z.unknown().optional(),
  description: z.string().optional(),
  maxItems: z.number().optional(),
  required: z.array(z.string()).optional(),
  enum: z.array(z.unknown()).optional(),
  anyOf: z.array(part).optional(),
  items: part.optional(),
  properties: z.record(z.string(), part).optional(),
});

/**
 * The schema of an argument for a model, which reads the whole list of tools every time: the API checks lengths and forms
 * itself, and its error says what is allowed. `wordsOf` has shorter words for a name.
 */
export function shortInput(
  name: string,
  schema: Schema,
  wordsOf: (name: string) => string | undefined,
): Schema {
  const short = (each: Schema) => shortInput(name, each, wordsOf);
  const {
    type,
    enum: values,
    anyOf,
    items,
    properties,
    description,
    maxItems,
    required,
  } = schemaParts.parse(schema);
  const words = wordsOf(name) ?? description;
  if (anyOf && type === undefined)
    return { ...shortUnion(anyOf.map(short)), ...(words && { description: words }) };
  return {
    type,
    enum: values,
    maxItems,
    required,
    ...(words && { description: words }),
    ...(items && { items: { ...short(items), description: undefined } }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([each, property]) => [each, shortInput(each, property, wordsOf)]),
      ),
    }),
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
