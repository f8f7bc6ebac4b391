import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleFunctions, everyFunction } from "../../infra/bundle.ts";
import { bundleBareClient, coldStartRatioMax, measureColdStarts } from "../support/cold-start.ts";

/**
 * The short form, small enough for every run: the smallest operation, the largest one and the largest worker. All of
 * them, with the median of 20: node test/bench/cold-start.ts
 */
const sources = ["keys/whoami", "learnings/create", "workers/ingest"];
const rounds = 7;
const directory = mkdtempSync(join(tmpdir(), "cold-start-"));
const bare = join(directory, "bare.mjs");
const fileOf = (source: string) => join(directory, "functions", source, "index.mjs");

beforeAll(async () => {
  await bundleFunctions({ ...everyFunction, sources, outputDirectory: join(directory, "functions") });
  await bundleBareClient(bare);
}, 60_000);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test("importing a function takes no longer than 1.15 times the bare DynamoDB client", async () => {
  const measured = await measureColdStarts([bare, ...sources.map(fileOf)], rounds);
  const [base, ...functions] = measured;
  const rows = measured.map(({ file, medianMs, leastMs }) => {
    const name = file === bare ? "bare DynamoDB client" : file.slice(directory.length + 11, -10);
    const size = `${(statSync(file).size / 1000).toFixed(1).padStart(6)} KB`;
    return `${name.padEnd(22)} ${size}  median ${medianMs.toFixed(1).padStart(6)} ms  least ${leastMs.toFixed(1).padStart(6)} ms`;
  });
  console.log(rows.join("\n"));
  for (const { file, medianMs, leastMs } of functions) {
    // Another program may disturb either number, not both in every round.
    const ratio = Math.min(medianMs / (base?.medianMs ?? 0), leastMs / (base?.leastMs ?? 0));
    expect(ratio, file).toBeLessThanOrEqual(coldStartRatioMax);
  }
}, 120_000);
