import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleFunctions, everyFunction, functionSources } from "../../infra/bundle.ts";
import { bundleBareClient, coldStartRatioMax, measureColdStarts } from "../support/cold-start.ts";

/** Size and import time of every bundle, median of 20 in one run: node test/bench/cold-start.ts [rounds] */
const rounds = Number(process.argv[2] ?? 20);
const directory = await mkdtemp(join(tmpdir(), "cold-start-"));
try {
  const sizes = await bundleFunctions({ ...everyFunction, outputDirectory: join(directory, "functions") });
  const bare = join(directory, "bare.mjs");
  await bundleBareClient(bare);
  const fileOf = (source: string) => join(directory, "functions", source, "index.mjs");
  const measured = await measureColdStarts([bare, ...functionSources.map(fileOf)], rounds);
  const base = measured.find(({ file }) => file === bare)?.medianMs ?? Number.NaN;
  console.log(`${"bare DynamoDB client".padEnd(28)} ${" ".repeat(10)} ${base.toFixed(1).padStart(7)} ms`);
  for (const { source, bytes } of sizes) {
    const ms = measured.find(({ file }) => file === fileOf(source))?.medianMs ?? Number.NaN;
    const ratio = ms / base;
    const verdict = ratio > coldStartRatioMax ? "  OVER BUDGET" : "";
    const size = `${(bytes / 1000).toFixed(1).padStart(7)} KB`;
    console.log(
      `${source.padEnd(28)} ${size} ${ms.toFixed(1).padStart(7)} ms  ${ratio.toFixed(2)}${verdict}`,
    );
    if (verdict) process.exitCode = 1;
  }
} finally {
  await rm(directory, { recursive: true, force: true });
}
