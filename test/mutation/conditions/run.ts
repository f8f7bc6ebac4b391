// Drops each condition of a write, one at a time, and expects a named test to fail: one of the room, of its handlers or
// of its proofs. With `--everything` it may also be any other test that reaches the condition.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import offerEngines from "../../support/offer-engines.ts";
import { equivalents } from "../equivalents.ts";
import { type Found, findConditions } from "./find.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const vitest = join(root, "node_modules/vitest/vitest.mjs");
/** Folders that need more than the code of `lib`, or have separate configurations. */
const notReaching = ["measure", "system", "deploy", "pages", "ric", "mutation", "redaction", "architecture"];
const config = "test/mutation/conditions/vitest.config.ts";

const resultsSchema = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      message: z.string(),
      startTime: z.number(),
      endTime: z.number(),
      assertionResults: z.array(z.object({ status: z.string(), fullName: z.string() })),
    }),
  ),
});
const reachedSchema = z.object({ file: z.string(), reached: z.array(z.string()) });
const readJson = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"));

type Run = {
  readonly hasEnded: boolean;
  readonly status: number | null;
  readonly results: z.output<typeof resultsSchema>["testResults"];
};

async function runTests(
  files: readonly string[],
  workplace: string,
  variables: Readonly<Record<string, string>>,
  options: readonly string[] = [],
  limitMs = 1_800_000,
): Promise<Run> {
  const report = join(workplace, "results.json");
  rmSync(report, { force: true });
  const words = [
    "run",
    "--config",
    config,
    "--reporter=json",
    `--outputFile=${report}`,
    ...options,
    ...files,
  ];
  const child = spawn(process.execPath, [vitest, ...words], {
    cwd: root,
    stdio: ["ignore", "ignore", "ignore"],
    env: { ...process.env, ...variables },
  });
  let hasEnded = true;
  const timer = setTimeout(() => {
    hasEnded = false;
    child.kill("SIGKILL");
  }, limitMs);
  const [status] = await once(child, "exit");
  clearTimeout(timer);
  const results = hasEnded ? resultsSchema.parse(readJson(report)).testResults : [];
  return { hasEnded, status, results };
}

type TestFile = { readonly file: string; readonly reached: ReadonlySet<string>; readonly ms: number };

const failuresOf = ({ results }: Run): readonly string[] =>
  results.flatMap(({ name, message, assertionResults }) => {
    const failed = assertionResults.filter(({ status }) => status === "failed");
    const file = relative(root, name);
    if (failed.length > 0) return failed.map(({ fullName }) => `${file}: ${fullName.trim()}`);
    return message === "" ? [] : [`${file}: ${message}`];
  });

/** Runs the tests with every condition in place, and answers which of them each file reaches. */
async function explore(files: readonly string[], workplace: string): Promise<readonly TestFile[]> {
  const folder = join(workplace, "reached");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const run = await runTests(files, workplace, { CONDITIONS_REACHED: folder });
  if (run.status !== 0) throw new Error(["Tests fail with every condition:", ...failuresOf(run)].join("\n"));
  const times = new Map(run.results.map(({ name, startTime, endTime }) => [name, endTime - startTime]));
  return readdirSync(folder)
    .map((name) => reachedSchema.parse(readJson(join(folder, name))))
    .map(({ file, reached }) => ({
      file: relative(root, file),
      reached: new Set(reached),
      ms: times.get(file) ?? 0,
    }));
}

/** The test that fails without the condition; undefined if none does. */
async function notice(
  { id }: Found,
  tests: readonly TestFile[],
  workplace: string,
): Promise<string | undefined> {
  const files = tests.filter(({ reached }) => reached.has(id)).sort((one, other) => one.ms - other.ms);
  // A few quick files mostly notice it; then all others.
  for (const some of [files.slice(0, 4), files.slice(4)]) {
    if (some.length === 0) continue;
    const names = some.map(({ file }) => file);
    // As on the same machine before, and far more: a dropped condition can make a loop endless.
    const limitMs = 30_000 + 10 * some.reduce((sum, { ms }) => sum + ms, 0);
    const run = await runTests(names, workplace, { CONDITION_DROPPED: id }, ["--bail=1"], limitMs);
    if (!run.hasEnded) return `${names.join(", ")}: do not end`;
    if (run.status !== 0) return failuresOf(run)[0] ?? `vitest ended with ${run.status}`;
  }
  return undefined;
}

const testsBelow = (folders: string): readonly string[] =>
  globSync(`test/${folders}/**/*.test.ts`, { cwd: root }).sort();

/** Each step only for conditions that the steps before do not notice: the quickest tests come first. */
const stepsOf = (room: string, isEverything: boolean): ReadonlyArray<readonly string[]> => {
  const near = [testsBelow(room), testsBelow(`proofs/${room}`), testsBelow("functions")];
  const others = [testsBelow(`!(${["proofs", ...notReaching].join("|")})`), testsBelow("proofs")];
  const known = new Set(near.flat());
  return isEverything ? [...near, ...others.map((step) => step.filter((file) => !known.has(file)))] : near;
};

const explored = new Map<string, Promise<readonly TestFile[]>>();
/** The rooms share the tests of the handlers and, with `--everything`, all others. */
function exploreOnce(files: readonly string[], workplace: string): Promise<readonly TestFile[]> {
  const name = files.join();
  const known = explored.get(name) ?? explore(files, workplace);
  explored.set(name, known);
  return known;
}

/** Prints the test that notices each condition of a room of `lib`; answers whether every condition is accounted for. */
async function measure(room: string, isEverything: boolean, workplace: string): Promise<boolean> {
  const conditions = findConditions(`lib/${room}/**/*.ts`);
  if (conditions.length === 0) return true;
  let left: readonly Found[] = conditions;
  for (const files of stepsOf(room, isEverything)) {
    if (left.length === 0 || files.length === 0) continue;
    const tests = await exploreOnce(files, workplace);
    const unnoticed: Found[] = [];
    for (const condition of left) {
      const test = await notice(condition, tests, workplace);
      if (test === undefined) unnoticed.push(condition);
      else console.log(`${condition.id}  ${condition.code}\n    ${test}`);
    }
    left = unnoticed;
  }
  const unexplained = left.filter(({ file, code }) => !equivalents.has({ file, code, becomes: "always" }));
  for (const { id, code } of unexplained) console.log(`not noticed: ${id}  ${code}`);
  const noticed = conditions.length - left.length;
  console.log(
    `conditions of ${room}: ${noticed} of ${conditions.length} noticed; ${left.length - unexplained.length} more cannot be`,
  );
  return unexplained.length === 0;
}

const rooms = readdirSync(join(root, "lib"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => basename(name));

const words = process.argv.slice(2);
const chosen = words.filter((word) => !word.startsWith("--"));
const workplace = mkdtempSync(join(tmpdir(), "review-api-conditions-"));
const stopEngines = await offerEngines();
try {
  let isComplete = true;
  for (const room of chosen.length > 0 ? chosen : rooms)
    isComplete = (await measure(room, words.includes("--everything"), workplace)) && isComplete;
  process.exitCode = isComplete ? 0 : 1;
} finally {
  await stopEngines?.();
  rmSync(workplace, { recursive: true, force: true });
}
