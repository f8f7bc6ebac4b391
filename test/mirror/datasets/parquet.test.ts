import { mkdtemp, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, test } from "vitest";
import { datasetNames } from "../../../lib/mirror/datasets/datasets.ts";
import { writeParquet } from "../../../lib/mirror/datasets/parquet.ts";
import { systemDisk } from "../../../lib/mirror/disk.ts";
import { ndjson, recordsOf } from "./support.ts";

async function written(name: (typeof datasetNames)[number], records: readonly object[]) {
  const folder = await mkdtemp(join(tmpdir(), "parquet-"));
  const [rows, file] = [join(folder, "rows.ndjson"), join(folder, "it.parquet")];
  await writeFile(rows, ndjson(records));
  const { bytes } = await writeParquet(systemDisk, rows, file, recordsOf(name).dataset.columns);
  const { size, mode } = await stat(file);
  expect([size, mode & 0o777]).toEqual([bytes, 0o600]);
  const connection = await (await DuckDBInstance.create()).connect();
  await connection.run("SET TimeZone = 'UTC'");
  const query = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJson();
  return {
    types: (await query(`DESCRIBE SELECT * FROM '${file}'`)).map(({ column_name, column_type }) => [
      column_name,
      column_type,
    ]),
    rows: (await query(`SELECT to_json(t)::VARCHAR AS row FROM '${file}' AS t`)).map(({ row }) =>
      JSON.parse(String(row)),
    ),
    codecs: (await query(`SELECT DISTINCT compression FROM parquet_metadata('${file}')`)).map(
      ({ compression }) => compression,
    ),
  };
}

const instant = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})(\.\d+)?\+00$/;
const plain = (value: unknown): unknown => {
  if (typeof value === "string") {
    const [, day, time, rest = ""] = instant.exec(value) ?? [];
    return day === undefined ? value : new Date(`${day}T${time}${rest}Z`).toISOString();
  }
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
};

test.each(datasetNames)(
  "DuckDB reads every record of %s back from Parquet, nested where it is nested",
  async (name) => {
    const { records } = recordsOf(name);
    const { rows, types, codecs } = await written(name, records);
    expect(rows.map(plain)).toEqual(records);
    expect(codecs).toEqual(["SNAPPY"]);
    const empty = await written(name, []);
    expect([empty.rows, empty.types]).toEqual([[], types]);
    expect(
      types
        .filter(([column]) => /_at$/.test(String(column)))
        .every(([, type]) => type === "TIMESTAMP WITH TIME ZONE"),
    ).toBe(true);
  },
);

test("a file of several row groups keeps every record in its order", async () => {
  const { records } = recordsOf("learnings");
  const many = Array.from({ length: 25_000 }, (_, index) => ({ ...records[0], id: `learning ${index}` }));
  const { rows } = await written("learnings", many);
  expect(rows.map(({ id }) => id)).toEqual(many.map(({ id }) => id));
});
