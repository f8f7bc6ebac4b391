// Changes the code in small ways and expects a test to notice each one. A change that survives must stand in
// equivalent.json with the reason why no test can tell; anything else fails the run.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import offerEngines from "../support/offer-engines.ts";
import { askMemoryEngine } from "../support/shared-engine.ts";
import { equivalents } from "./equivalents.ts";
import { drawnRooms, oneLine, parts, reportFile } from "./parts.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("../../", import.meta.url));
const stryker = `${here}node_modules/@stryker-mutator/core/bin/stryker.js`;
/** The folders of lib. The name of one is a part: a few changes of it, which a seed draws. */
const rooms = readdirSync(`${root}lib`);
/** Every condition of a write, or those of one room of lib: `conditions:webhooks`. */
const isOfConditions = (word) => word === "conditions" || rooms.some((room) => word === `conditions:${room}`);

/** The rooms of lib that changed since a revision, in a bounded time: `since:main`. */
const since = /^since:./;

function install() {
  if (existsSync(stryker)) return true;
  const { status } = spawnSync("npm", ["install", "--loglevel=error"], { cwd: here, stdio: "inherit" });
  return status === 0;
}

/** The text that a mutant replaces. */
function codeAt(source, { start, end }) {
  const lines = source.split("\n").slice(start.line - 1, end.line);
  lines[lines.length - 1] = lines.at(-1).slice(0, end.column - 1);
  lines[0] = lines[0].slice(start.column - 1);
  return oneLine(lines.join("\n"));
}

function mutantsOf(part) {
  const { files } = JSON.parse(readFileSync(reportFile(part), "utf8"));
  return Object.entries(files).flatMap(([file, { source, mutants }]) =>
    mutants.map(({ location, replacement, status }) => ({
      file,
      line: location.start.line,
      code: codeAt(source, location),
      becomes: oneLine(replacement),
      status,
    })),
  );
}

/** Prints the score of a part; answers whether every mutant is accounted for. */
function measure(part) {
  const mutants = mutantsOf(part);
  const survivors = mutants.filter(({ status }) => status === "Survived" || status === "NoCoverage");
  const unexplained = survivors.filter((mutant) => !equivalents.has(mutant));
  const reasoned = survivors.length - unexplained.length;
  const endless = mutants.filter(({ status }) => status === "Timeout").length;
  const killed = endless + mutants.filter(({ status }) => status === "Killed").length;
  const counted = killed + unexplained.length;
  // Stryker does not count them: a test file could not even be loaded.
  const broken = mutants.filter(({ status }) => status === "RuntimeError").length;
  for (const { file, line, code, becomes } of unexplained)
    console.log(`survived: ${file}:${line}  ${code}  =>  ${becomes}`);
  console.log(
    `${part}: ${((100 * killed) / counted).toFixed(1)} % (${killed} of ${counted} killed, ${endless} of them by running for ever; ${reasoned} more are equivalent, ${broken} more cannot be loaded)`,
  );
  return unexplained.length === 0;
}

/** Without the engine no test begins, and every mutant looks like one that cannot be loaded. */
async function engineAnswers() {
  const endpoint = await askMemoryEngine();
  if (endpoint === null) return true;
  return await fetch(endpoint).then(
    () => true,
    () => false,
  );
}

async function run(part) {
  console.log(`${part}: ${parts[part].mutate.join(", ")}`);
  // Started here and not by vitest: Stryker kills a vitest that hangs, and its engine would stay.
  const stopEngines = await offerEngines();
  const child = spawn(process.execPath, [stryker, "run", `${here}stryker.config.js`], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, MUTATION_PART: part },
  });
  const [status] = await once(child, "exit");
  const hadEngine = await engineAnswers();
  await stopEngines?.();
  if (status === 0 && hadEngine) return measure(part);
  console.error(
    hadEngine
      ? `${part}: Stryker ended with ${status}.`
      : `${part}: the engine ended before the tests did. Run this part again.`,
  );
  return false;
}

/** Needs no Stryker: see `changes/run.ts`. */
async function makeChanges(words) {
  const child = spawn(process.execPath, [`${here}changes/run.ts`, ...words], { cwd: root, stdio: "inherit" });
  const [status] = await once(child, "exit");
  return status === 0;
}

async function main(words) {
  const chosen = words.length > 0 ? words : [...Object.keys(parts), ...drawnRooms, "conditions"];
  const mutated = chosen.filter((word) => Object.hasOwn(parts, word));
  const changed = chosen.filter((word) => rooms.includes(word) || isOfConditions(word) || since.test(word));
  const unknown = chosen.filter((word) => !mutated.includes(word) && !changed.includes(word));
  if (unknown.length > 0) {
    const known = [...Object.keys(parts), ...rooms, "conditions", "conditions:ROOM", "since:REVISION"];
    console.error(`There is no part ${unknown.join(", ")}; there are ${known.join(", ")}.`);
    return 1;
  }
  if (mutated.length > 0 && !install()) return 1;
  let isComplete = true;
  for (const part of mutated) isComplete = (await run(part)) && isComplete;
  if (changed.length > 0) isComplete = (await makeChanges(changed)) && isComplete;
  return isComplete ? 0 : 1;
}

process.exit(await main(process.argv.slice(2)));
