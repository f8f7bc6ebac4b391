import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, test } from "vitest";
import { useDev } from "../../cli/support.ts";
import { timeoutMs, volume } from "../../support/volume.ts";

const dev = useDev();
const program = fileURLToPath(new URL("./parquet-run.ts", import.meta.url));
/** A million takes a gigabyte of disk and minutes: `LONG=1`. */
const rows = volume(60_000, 1_000_000);
const heapMb = 256;

test("Parquet of any number of records fits a heap of 256 MB, and DuckDB counts them all", {
  timeout: timeoutMs,
}, async () => {
  const folder = await dev.folder();
  const options = ["--disable-warning=ExperimentalWarning", `--max-old-space-size=${heapMb}`];
  const words = [...options, program, folder, String(rows)];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  console.info(`Parquet of ${rows} records: ${stdout}`);
  const connection = await (await DuckDBInstance.create()).connect();
  const counted = await connection.runAndReadAll(
    `SELECT count(DISTINCT pr_url)::INTEGER AS n FROM '${join(folder, "rows.parquet")}'`,
  );
  expect(counted.getRowObjectsJson()).toEqual([{ n: rows }]);
});
