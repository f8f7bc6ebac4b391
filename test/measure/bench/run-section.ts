/** One section in this process: node test/measure/bench/run-section.ts <name> <directory> [--quick] */
import * as z from "zod";
import { chooseEngine } from "../../../lib/local/engine/engine.ts";
import { thisMachine } from "./machine.ts";
import { printSection } from "./print.ts";
import { keepResult, measuredCommit } from "./results.ts";
import { type SectionModule, sectionNames } from "./section.ts";

const [given, directory = "", flag] = process.argv.slice(2);
const name = z.enum(sectionNames).parse(given);
const quick = flag === "--quick";

const moduleShape = z.object({
  section: z.object({
    title: z.string(),
    needs: z.literal("vectorIndex").optional(),
    run: z.custom<SectionModule["run"]>((value) => typeof value === "function"),
  }),
});
const { section } = moduleShape.parse(await import(new URL(`./${name}/section.ts`, import.meta.url).href));

console.log(`\n${section.title}${quick ? " (quick)" : ""}`);
const { needs } = section;
if (needs && !chooseEngine()[needs]) {
  console.log(`  not measured: the engine here, ${chooseEngine().name}, has no vector index.`);
  process.exit(0);
}
const commit = measuredCommit();
const startedAt = performance.now();
const say = (line: string): void => {
  process.stderr.write(`  [${((performance.now() - startedAt) / 1000).toFixed(0)} s] ${line}\n`);
};
const measured = await section.run({ quick, say });
const seconds = (performance.now() - startedAt) / 1000;
printSection(measured);
await keepResult(directory, {
  name,
  title: section.title,
  quick,
  measuredOn: new Date().toISOString().slice(0, 10),
  commit,
  seconds: Math.round(seconds),
  machine: thisMachine(),
  section: measured,
});
// A server or a timer that a peer left open must not hold up the run.
process.exit(0);
