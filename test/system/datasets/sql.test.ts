import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { PGlite } from "@electric-sql/pglite";
import { beforeAll, describe, expect, test } from "vitest";
import { datasetNames } from "../../../lib/mirror/datasets/datasets.ts";
import { loadSql, warehouses } from "../../../lib/mirror/datasets/sql.ts";
import type { RecordFields } from "../../../lib/mirror/layout.ts";
import { ndjson, recordsOf } from "../../mirror/datasets/support.ts";
import { sorted } from "./rows.ts";

type Engine = {
  load(name: (typeof datasetNames)[number], changes: readonly object[]): Promise<void>;
  /** The rows as JSON, and the types of the columns. */
  read(table: string): Promise<{ readonly rows: unknown[]; readonly types: unknown[] }>;
};

/** As a command does: one statement after the other, to the first error, and the end of the connection after it. */
async function orRolledBack(execute: (statement: string) => Promise<unknown>, sql: string): Promise<void> {
  try {
    for (const statement of sql.split("\n\n").filter((each) => each.trim() !== "")) await execute(statement);
  } catch (error) {
    await execute("ROLLBACK").catch(() => {});
    throw error;
  }
}

async function duckdb(): Promise<Engine> {
  const file = join(await mkdtemp(join(tmpdir(), "duckdb-")), "changes.ndjson");
  const connection = await (await DuckDBInstance.create()).connect();
  await connection.run("SET TimeZone = 'UTC'");
  const query = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJson();
  return {
    async load(name, changes) {
      await writeFile(file, ndjson(changes));
      const sql = loadSql("duckdb", recordsOf(name).dataset, file);
      await orRolledBack((statement) => connection.run(statement), sql);
    },
    async read(table) {
      const rows = await query(`SELECT to_json(t)::VARCHAR AS row FROM ${table} AS t`);
      return {
        rows: rows.map(({ row }) => JSON.parse(String(row))),
        types: await query(`DESCRIBE ${table}`),
      };
    },
  };
}

async function postgres(): Promise<Engine> {
  const engine = new PGlite();
  await engine.exec("SET TimeZone = 'UTC'");
  return {
    async load(name, changes) {
      const sql = loadSql("postgres", recordsOf(name).dataset, "changes.ndjson");
      // psql's own commands: the first is for psql alone, the second as the server's statement behind it.
      const served = sql
        .replace(/^\\set ON_ERROR_STOP on$/m, "")
        .replace(/^\\copy (.*) FROM '.*?' (.*)$/m, "COPY $1 FROM '/dev/blob' $2;");
      expect(served).not.toMatch(/^\\/m);
      const blob = new Blob([ndjson(changes)]);
      await orRolledBack((statement) => engine.exec(statement, { blob }), served);
    },
    async read(table) {
      const rows = await engine.query<{ row: unknown }>(`SELECT to_jsonb(t) AS row FROM ${table} AS t`);
      const types = await engine.query(
        "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = $1 ORDER BY ordinal_position",
        [table],
      );
      return { rows: rows.rows.map(({ row }) => row), types: types.rows };
    },
  };
}

describe.each([
  ["DuckDB", duckdb],
  ["Postgres", postgres],
] as const)("the generated SQL on %s", (_, open) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await open();
  });

  test.each(datasetNames)("loads %s: nothing, new, changed and removed records, each once", async (name) => {
    const { dataset, records } = recordsOf(name);
    const [first, second] = records;
    if (!(first && second)) throw new Error("There are two records.");
    const rows = async () => sorted((await engine.read(dataset.table)).rows);

    await engine.load(name, []);
    const { rows: none, types } = await engine.read(dataset.table);
    expect(none).toEqual([]);
    expect(types).toHaveLength(dataset.columns.length);

    await engine.load(name, [first, second]);
    expect(await rows()).toEqual(sorted([first, second]));
    await engine.load(name, [first, second]);
    expect(await rows()).toEqual(sorted([first, second]));

    const [other = ""] = dataset.columns
      .map((column) => column.name)
      .filter((column) => !dataset.key.includes(column));
    const changed: RecordFields = { ...first, [other]: second[other] ?? "other" };
    const gone = Object.fromEntries(dataset.key.map((column) => [column, second[column]]));
    await engine.load(name, [
      changed,
      { ...gone, removed: true },
      { ...gone, ...unknownKey(dataset.key), removed: true },
    ]);
    expect(await rows()).toEqual(sorted([changed]));
    expect((await engine.read(dataset.table)).types).toEqual(types);
  });

  test("does all of it or nothing: a record that it cannot read leaves no table behind", async () => {
    const fresh = await open();
    const { dataset, records } = recordsOf("reviews");
    const unreadable = { ...records[0], review_iterations: "many" };
    await expect(fresh.load("reviews", [unreadable])).rejects.toThrow("many");
    await expect(fresh.read(dataset.table)).rejects.toThrow("does not exist");
  });
});

const unknownKey = (key: readonly string[]) => ({ [key.at(-1) ?? ""]: "never seen" });

test.each(warehouses)("the SQL for %s names every column of every dataset with a type", (warehouse) => {
  for (const name of datasetNames) {
    const { dataset } = recordsOf(name);
    const sql = loadSql(warehouse, dataset, "it's.ndjson");
    expect(sql).toContain("it''s.ndjson");
    for (const { name: column } of dataset.columns)
      expect(sql).toMatch(new RegExp(`^  ${column} [A-Za-z]`, "m"));
  }
});
