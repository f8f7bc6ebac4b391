// Makes small changes, one at a time, and expects a named test to fail: one of the room, of its handlers or of its
// proofs. `conditions:ROOM` drops each condition of a write; `ROOM` makes a number of changes that a seed draws. With
// `--everything` it may also be any other test that reaches the place. `since:REVISION` takes both for each room that
// changed since then, and makes no change after some minutes: CI runs it.
import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import offerEngines from "../../support/offer-engines.ts";
import { equivalents } from "../equivalents.ts";
import { drawnRooms, oneLine } from "../parts.ts";
import type { Change } from "./change.ts";
import { findConditions } from "./conditions.ts";
import { drawChanges } from "./draw.ts";
import { Tester, type TestFile } from "./run-tests.ts";
import { openWorkplace } from "./workplace.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
/** Folders that need more than the code of `lib`, or have separate configurations. */
const notReaching = ["measure", "system", "deploy", "pages", "ric", "mutation", "redaction", "architecture"];
/** Few, so that one can wait for them; another seed draws others. */
const { SEED: seed = "1", CHANGES: count = "8" } = process.env;

const rooms = readdirSync(join(root, "lib"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** The tests of folders, and of files with the same names. */
const testsBelow = (folders: string): readonly string[] =>
  globSync([`test/${folders}/**/*.test.ts`, `test/${folders}.test.ts`], { cwd: root }).sort();

/** Each step only for changes that the steps before do not notice: the quickest tests come first. */
const stepsOf = (room: string, isEverything: boolean): ReadonlyArray<readonly string[]> => {
  // The tests of lib/security are in `test/security-findings`.
  const folders = `{${room},${room}-*}`;
  const near = [testsBelow(folders), testsBelow("functions"), testsBelow(`proofs/${folders}`)];
  const others = [testsBelow(`!(${["proofs", ...notReaching].join("|")})`), testsBelow("proofs")];
  const known = new Set(near.flat());
  return isEverything ? [...near, ...others.map((step) => step.filter((file) => !known.has(file)))] : near;
};

const testers = Array.from({ length: availableParallelism() }, (_, seat) => new Tester(String(seat)));
const explored = new Map<string, Promise<readonly TestFile[]>>();
/** The rooms share the tests of the handlers and, with `--everything`, all others. */
function exploreOnce(files: readonly string[]): Promise<readonly TestFile[]> {
  const name = files.join();
  const known = explored.get(name) ?? testers[0]?.explore(files) ?? Promise.resolve([]);
  explored.set(name, known);
  return known;
}

/** The rooms of lib that a change touches. */
const roomsSince = (revision: string): readonly string[] => {
  const named = execFileSync("git", ["diff", "--name-only", revision, "--", "lib"], {
    cwd: root,
    encoding: "utf8",
  });
  return rooms.filter((room) => named.split("\n").some((file) => file.startsWith(`lib/${room}/`)));
};

const isBounded = process.argv.some((word) => word.startsWith("since:"));
/** Long enough for some rooms; a run of CI that touches all of them must end too. */
const endMs = isBounded ? Date.now() + 20 * 60_000 : Number.POSITIVE_INFINITY;

type Part = { readonly name: string; readonly room: string; readonly changes: readonly Change[] };

function partOf(word: string): Part {
  const room = word.replace(/^conditions:/, "");
  if (room !== word)
    return { name: `conditions of ${room}`, room, changes: findConditions(`lib/${room}/**/*.ts`) };
  return { name: `${room}, seed ${seed}`, room, changes: drawChanges(room, seed, Number(count)) };
}

/** Prints the test that notices each change; answers whether every change is accounted for. */
async function measure({ name, room, changes }: Part, isEverything: boolean): Promise<boolean> {
  const beganAt = Date.now();
  let left = changes;
  const unmade: Change[] = [];
  for (const files of stepsOf(room, isEverything)) {
    if (left.length === 0 || files.length === 0) continue;
    if (Date.now() > endMs) {
      unmade.push(...left);
      left = [];
      break;
    }
    const tests = await exploreOnce(files);
    const unnoticed: Change[] = [];
    const next = left.values();
    const runs = testers.map(async (tester) => {
      for (const change of next) {
        if (Date.now() > endMs) {
          unmade.push(change);
          continue;
        }
        const test = await tester.notice(change, tests);
        if (test === undefined) unnoticed.push(change);
        else console.log(`${change.id}  instead of  ${change.code}\n    ${test}`);
      }
    });
    await Promise.all(runs);
    left = unnoticed;
  }
  const unexplained = left.filter(
    (change) => !equivalents.has({ ...change, becomes: oneLine(change.becomes) }),
  );
  for (const { id, code } of unexplained) console.log(`not noticed: ${id}  instead of  ${code}`);
  const noticed = changes.length - left.length - unmade.length;
  const seconds = Math.round((Date.now() - beganAt) / 1000);
  const others = [
    `${left.length - unexplained.length} more cannot be`,
    ...(unmade.length > 0 ? [`${unmade.length} not made in time`] : []),
  ];
  console.log(`${name}: ${noticed} of ${changes.length} noticed; ${others.join("; ")}; ${seconds} s`);
  return unexplained.length === 0;
}

const words = process.argv.slice(2);
const parts = words
  .filter((word) => !word.startsWith("--"))
  .flatMap((word) => {
    if (word === "conditions") return rooms.map((room) => `conditions:${room}`);
    const [, revision] = /^since:(.+)$/.exec(word) ?? [];
    if (revision === undefined) return [word];
    const touched = roomsSince(revision);
    return [
      ...touched.map((room) => `conditions:${room}`),
      ...drawnRooms.filter((room) => touched.includes(room)),
    ];
  })
  .map(partOf)
  .filter(({ changes }) => changes.length > 0);
if (isBounded) parts.sort((one, next) => one.changes.length - next.changes.length);
const workplace = mkdtempSync(join(tmpdir(), "review-api-changes-"));
openWorkplace(
  workplace,
  parts.flatMap(({ changes }) => changes),
);
const stopEngines = await offerEngines();
try {
  let isComplete = true;
  for (const part of parts) isComplete = (await measure(part, words.includes("--everything"))) && isComplete;
  process.exitCode = isComplete ? 0 : 1;
} finally {
  for (const tester of testers) tester.stop();
  await stopEngines?.();
  rmSync(workplace, { recursive: true, force: true });
}
