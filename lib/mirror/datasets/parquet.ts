import { ByteWriter, ParquetWriter, type SchemaElement } from "hyparquet-writer";
import { type Disk, readFilePieces, readFileRows, statOf } from "../disk.ts";
import { parseRow, type RecordFields } from "../layout.ts";
import { replaceFile } from "../target-file.ts";
import type { Column, ColumnType } from "./columns.ts";

/** A row group is in memory as a whole, several times. */
const groupRowsMax = 10_000;
const groupBytesMax = 8 << 20;

/** Writes the records of an NDJSON file as Parquet, and replaces the output in one step. Also without any record. */
export async function writeParquet(
  disk: Disk,
  ndjson: string,
  output: string,
  columns: readonly Column[],
): Promise<{ readonly bytes: number }> {
  const { size = 0 } = (await statOf(ndjson)) ?? {};
  let bytes = 0;
  await replaceFile(disk, output, async (file) => {
    const buffer = new ByteWriter();
    const writer = new ParquetWriter({ writer: buffer, schema: schemaOf(columns), codec: "SNAPPY" });
    const flush = async () => {
      const piece = buffer.getBytes();
      bytes += piece.length;
      await file.write(piece);
      buffer.index = 0;
    };
    for await (const group of groupsOf(ndjson, size)) {
      const columnData = columns.map(({ name, type }) => ({
        name,
        data: group.map((record) => parquetValue(type, record[name])),
        offsetIndex: false,
      }));
      await writer.write({ columnData, rowGroupSize: group.length });
      await flush();
    }
    await writer.finish();
    await flush();
  });
  return { bytes };
}

async function* groupsOf(file: string, size: number): AsyncGenerator<RecordFields[]> {
  let group: RecordFields[] = [];
  let bytes = 0;
  for await (const { row } of readFileRows(readFilePieces(file, size), false)) {
    group.push(parseRow(row.toString()));
    bytes += row.length;
    if (group.length < groupRowsMax && bytes < groupBytesMax) continue;
    yield group;
    [group, bytes] = [[], 0];
  }
  if (group.length > 0) yield group;
}

const schemaOf = (columns: readonly Column[]): SchemaElement[] => [
  { name: "record", num_children: columns.length },
  ...columns.flatMap(({ name, type, isNullable }) => elementsOf(name, type, isNullable)),
];

const leaves = {
  text: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  json: { type: "BYTE_ARRAY", converted_type: "JSON" },
  timestamp: {
    type: "INT64",
    converted_type: "TIMESTAMP_MILLIS",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" },
  },
  integer: { type: "INT64" },
  number: { type: "DOUBLE" },
  boolean: { type: "BOOLEAN" },
} as const satisfies Readonly<Record<string, Partial<SchemaElement>>>;

/** A list is a group of a repeated group, as Parquet's format asks for. */
function elementsOf(name: string, type: ColumnType, isNullable: boolean): SchemaElement[] {
  const repetition_type = isNullable ? "OPTIONAL" : "REQUIRED";
  if (type.kind === "struct")
    return [
      { name, repetition_type, num_children: type.fields.length },
      ...type.fields.flatMap((field) => elementsOf(field.name, field.type, field.isNullable)),
    ];
  if (type.kind === "list")
    return [
      { name, repetition_type, num_children: 1, converted_type: "LIST" },
      { name: "list", repetition_type: "REPEATED", num_children: 1 },
      ...elementsOf("element", type.element, false),
    ];
  return [{ name, repetition_type, ...leaves[type.kind] }];
}

/** The value as the writer takes it: instants as dates, whole numbers as 64 bits. */
function parquetValue(type: ColumnType, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (type.kind === "timestamp") return new Date(String(value));
  if (type.kind === "integer") return BigInt(Number(value));
  if (type.kind === "list")
    return Array.isArray(value) ? value.map((each) => parquetValue(type.element, each)) : [];
  if (type.kind !== "struct") return value;
  return Object.fromEntries(
    type.fields.map((field) => [
      field.name,
      parquetValue(field.type, Reflect.get(Object(value), field.name)),
    ]),
  );
}
