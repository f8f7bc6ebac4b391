import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { functionSources } from "../../infra/bundle.ts";
import { bundleBudgetOf, bundleBudgets } from "../../lib/contract/platform.ts";
import { required } from "../../lib/runtime/required.ts";
import {
  bundleBareClient,
  type ColdStart,
  type ColdStartSamples,
  coldStartRatioMax,
  measureColdStarts,
} from "../support/cold-start.ts";
import { isLong, volume } from "../support/volume.ts";
import { builtOnce } from "../system/infra/build.ts";

/** All functions with the median of 20 take minutes (LONG=1); the largest of each budget shows most of it. */
const rounds = volume(5, 20);
/** While other programs use the machine, a few rounds do not reach a function's own time: then there are more. */
const triesMax = volume(8, 1);
const { sizes, bundleOf } = await builtOnce();
const bySize = sizes.toSorted((one, other) => other.bytes - one.bytes).map(({ source }) => source);
const largest = Object.keys(bundleBudgets).map((budget) =>
  required(
    bySize.find((source) => bundleBudgetOf(source) === budget),
    "function with this budget",
  ),
);
const sources = isLong ? functionSources : largest;

const directory = mkdtempSync(join(tmpdir(), "cold-start-"));
const bare = join(directory, "bare.mjs");
beforeAll(() => bundleBareClient(bare), 60_000);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test("importing a function takes no longer than its share of the bare DynamoDB client", async () => {
  const files = [bare, ...sources.map(bundleOf)];
  const samples: ColdStartSamples = new Map();
  for (let tries = 1; ; tries++) {
    const [base, ...functions] = await measureColdStarts(files, rounds, samples);
    if (!base) throw new Error("Nothing was measured.");
    const measured = functions.map((each, index) => ({ ...each, source: sources[index] ?? "" }));
    const rows = [{ ...base, source: "bare DynamoDB client" }, ...measured];
    console.log(rows.map((each) => row(each, base)).join("\n"));
    const slow = measured.filter((each) => ratioOf(each, base) > coldStartRatioMax(each.source) * tolerance);
    if (slow.length === 0 || tries === triesMax) return expect(slow).toEqual([]);
  }
}, 1_200_000);

/** A few rounds beside other tests are not a measurement: they detect growth. */
const tolerance = isLong ? 1 : 1.1;

/** The budget is for the time that a caller waits. A few rounds beside other tests compare the processor's time. */
const ratioOf = (own: ColdStart, base: ColdStart): number =>
  isLong ? own.medianMs / base.medianMs : own.processorMs / base.processorMs;

function row(
  { source, file, medianMs, processorMs }: ColdStart & { readonly source: string },
  base: ColdStart,
): string {
  const bytes = sizes.find((size) => size.source === source)?.bytes ?? statSync(file).size;
  const size = `${(bytes / 1000).toFixed(1).padStart(6)} KB`;
  const ratio = (medianMs / base.medianMs).toFixed(2);
  return `${source.padEnd(28)} ${size}  median ${medianMs.toFixed(1).padStart(6)} ms (${ratio})  processor ${processorMs.toFixed(1).padStart(6)} ms`;
}
