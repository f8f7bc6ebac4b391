import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, test } from "vitest";
import * as z from "zod";
import { timeoutMs, volume } from "../../support/volume.ts";

const program = fileURLToPath(new URL("./memory-run.ts", import.meta.url));
const measured = z.object({ bytes: z.number(), seconds: z.number(), rssMb: z.number() });

/** A million takes more than a gigabyte of disk and minutes: `LONG=1`. Fewer rows get a smaller heap. */
const rows = volume(60_000, 1_000_000);
const heapMb = volume(96, 256);

test(`${rows.toLocaleString("en-US")} reviews become Parquet in a heap of ${heapMb} MB`, {
  timeout: timeoutMs,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), "parquet-memory-"));
  const options = ["--disable-warning=ExperimentalWarning", `--max-old-space-size=${heapMb}`];
  const { stdout } = await promisify(execFile)(process.execPath, [...options, program, folder, String(rows)]);
  console.info(`Parquet of ${rows} reviews: ${stdout}`);
  const { bytes } = measured.parse(JSON.parse(stdout));
  const connection = await (await DuckDBInstance.create()).connect();
  const file = join(folder, "reviews.parquet");
  const found = await connection.runAndReadAll(
    `SELECT count(DISTINCT pr_url)::INTEGER AS found FROM '${file}'`,
  );
  expect([found.getRowObjectsJson(), bytes > 0]).toEqual([[{ found: rows }], true]);
  await rm(folder, { recursive: true });
});
