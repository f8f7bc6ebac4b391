import { parseArgs } from "node:util";
import { simulate } from "./simulate.ts";

/** `npm run simulate -- --seeds 30000 [--from 1]`: prints every seed that breaks the promise, and exits with 1. */
const { values } = parseArgs({
  options: { seeds: { type: "string", default: "1000" }, from: { type: "string", default: "1" } },
});
const from = Number(values.from);
const seeds = Number(values.seeds);
const began = performance.now();
let failures = 0;
let walks = 0;
let pages = 0;
let steps = 0;
for (let seed = from; seed < from + seeds; seed++) {
  const result = await simulate(seed);
  walks += result.walks;
  pages += result.pages;
  steps += result.steps;
  if (!result.failure) continue;
  failures++;
  console.log(`seed ${seed}: ${result.failure.stack}`);
}
const seconds = (performance.now() - began) / 1000;
console.log(
  `${seeds} seeds, ${walks} walks, ${pages} pages, ${steps} steps: ${failures} violations (${Math.round(seeds / seconds)} seeds/s)`,
);
process.exitCode = failures === 0 ? 0 : 1;
