/**
 * All sections in order, or those named:
 *
 *   node test/measure/bench/run.ts [--quick | --page | --resume] [section …]
 *
 * Each runs in a process of its own and leaves docs/reports/benchmarks/results/<section>.json; the page
 * docs/reports/benchmarks.md is made from all of these. `--quick` takes tiny sizes and writes beside the system's
 * temporary files instead. `--page` measures nothing: it writes the page again from the stored results. `--resume` goes on
 * after a stop: sections that have a result of this commit on this processor are not measured again. Exits non-zero when a
 * section failed or a target was missed.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { documentFile, writeDocument } from "./document.ts";
import { thisMachine } from "./machine.ts";
import { isDone, measuredCommit, readResult } from "./results.ts";
import { sectionNames } from "./section.ts";

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    page: { type: "boolean", default: false },
    resume: { type: "boolean", default: false },
  },
});
const unknown = positionals.filter((name) => !sectionNames.some((known) => known === name));
if (unknown.length > 0)
  throw new Error(`No such section: ${unknown.join(", ")}. There are ${sectionNames.join(", ")}.`);
const isChosen = (name: string): boolean =>
  !values.page && (positionals.length === 0 || positionals.includes(name));
const chosen = sectionNames.filter(isChosen);
const directory = values.quick
  ? join(tmpdir(), "review-api-bench", "benchmarks")
  : here("../../../docs/reports/benchmarks");

const commit = measuredCommit();
const startedAt = performance.now();
const failed: string[] = [];
for (const [index, name] of chosen.entries()) {
  const minutes = Math.round((performance.now() - startedAt) / 60_000);
  const progress = `${index + 1} of ${chosen.length}: ${name}, after ${minutes} minutes`;
  if (values.resume && isDone(await readResult(directory, name), commit, thisMachine().processor)) {
    console.log(`\n${progress}: there is a result of ${commit}`);
    continue;
  }
  console.log(`\n${progress}`);
  if (!existsSync(here(`./${name}/section.ts`)) || !(await runs(name))) failed.push(name);
}

const results = [];
for (const name of sectionNames) {
  const result = await readResult(directory, name);
  if (result) results.push(result);
}
await writeDocument(directory, results);
console.log(`\nWritten: ${documentFile(directory)}`);

const missed = results
  .filter(({ name }) => chosen.some((each) => each === name))
  .flatMap(({ name, section }) =>
    section.targets.filter(({ met }) => !met).map((target) => ({ section: name, ...target })),
  );
for (const { section, name, value, target } of missed)
  console.log(`MISSED ${section}: ${name}: ${value} (target: ${target})`);
for (const name of failed) console.log(`FAILED ${name}`);
if (missed.length + failed.length > 0) process.exitCode = 1;

/** A separate process: if a section crashes, the figures of the others are not lost. */
async function runs(name: string): Promise<boolean> {
  const child = spawn(
    process.execPath,
    ["--expose-gc", here("./run-section.ts"), name, directory, ...(values.quick ? ["--quick"] : [])],
    { stdio: "inherit" },
  );
  const [code] = await once(child, "exit");
  return code === 0;
}
