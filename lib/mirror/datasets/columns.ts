import * as z from "zod";
import { wordsOfName } from "../../contract/records.ts";

/** The type of a column, for every system that can hold one. */
export type ColumnType =
  | { readonly kind: "text" | "timestamp" | "integer" | "number" | "boolean" | "json" }
  | { readonly kind: "list"; readonly element: ColumnType }
  | { readonly kind: "struct"; readonly fields: readonly Column[] };

export type Column = {
  readonly name: string;
  readonly type: ColumnType;
  readonly isNullable: boolean;
  /** Only docs/use/schema.md shows it: the packed tool has no descriptions. */
  readonly meaning?: string | undefined;
};

/** The columns of a record, from the schema that the API checks its answers with. */
export const columnsOf = (record: z.ZodObject): readonly Column[] =>
  Object.entries(record.shape).map(([name, schema]) => columnOf(name, schema));

function columnOf(name: string, schema: z.core.$ZodType, meaning = descriptionOf(schema)): Column {
  const isNullable = schema instanceof z.ZodNullable;
  return { name, type: typeOf(isNullable ? schema.unwrap() : schema), isNullable, meaning };
}

const descriptionOf = (schema: z.core.$ZodType) => z.globalRegistry.get(schema)?.description;

function typeOf(schema: z.core.$ZodType): ColumnType {
  if (schema instanceof z.ZodObject) return { kind: "struct", fields: columnsOf(schema) };
  if (schema instanceof z.ZodArray) return { kind: "list", element: typeOf(schema.element) };
  if (schema instanceof z.ZodRecord) return recordType(schema);
  if (schema instanceof z.ZodBoolean) return { kind: "boolean" };
  if (schema instanceof z.ZodNumber) return { kind: schema.isInt ? "integer" : "number" };
  if (schema instanceof z.ZodEnum || schema instanceof z.ZodUUID) return { kind: "text" };
  if (schema instanceof z.ZodString)
    return { kind: schema.meta()?.format === "date-time" ? "timestamp" : "text" };
  throw new TypeError(`There is no column for a schema of type ${schema._zod.def.type}.`);
}

/** A field for each name of a closed list; otherwise any JSON. */
function recordType({ keyType, valueType }: z.ZodRecord): ColumnType {
  if (!(keyType instanceof z.ZodEnum)) return { kind: "json" };
  const words = descriptionOf(keyType) ?? "";
  return {
    kind: "struct",
    fields: keyType.options.map(String).map((name) => columnOf(name, valueType, wordsOfName(words, name))),
  };
}
