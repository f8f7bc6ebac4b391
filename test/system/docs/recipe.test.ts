import { execFile } from "node:child_process";
import { chmodSync, cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root } from "../../docs/pages.ts";
import { doStep, recipeSteps } from "../../docs/recipe.ts";
import { isLong, timeoutMs } from "../../support/volume.ts";

const run = promisify(execFile);
const steps = recipeSteps();
const edits = steps.filter((step) => step.kind !== "command");

let folder: string;
beforeAll(async () => {
  folder = await copyProject();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Committed and new files, without those that git ignores; installed packages are shared. */
async function copyProject(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "review-api-recipe-"));
  // A test runs the tool as another user, who must be able to read the copy.
  chmodSync(folder, 0o755);
  const words = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
  const { stdout } = await run("git", words, { cwd: root, maxBuffer: 16_000_000 });
  for (const file of stdout.split("\0").filter(Boolean)) cpSync(join(root, file), join(folder, file));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** A separate run: from this run's environment it keeps only the paths of programs. */
const environment = () => ({
  PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  HOME: process.env.HOME,
  JAVA_HOME: process.env.JAVA_HOME,
  TMPDIR: tmpdir(),
});

/** Returns the end of a command's output; throws with more of it if the command fails. */
async function runThere(line: string): Promise<string> {
  const options = { cwd: folder, env: environment(), maxBuffer: 256_000_000 };
  const endOf = (output: string, lines: number) => output.trimEnd().split("\n").slice(-lines).join("\n");
  const { stdout } = await run("bash", ["-c", `${line} 2>&1`], options).catch((error: { stdout: string }) => {
    throw new Error(`${line} failed in ${folder}:\n${endOf(error.stdout, 200)}`);
  });
  return `${line}\n${endOf(stdout, 6)}`;
}

const failureOf = (line: string): Promise<string> =>
  runThere(line).then(
    () => "",
    (error: Error) => error.message,
  );

test(
  "an operation that is only in the contract does not compile; the compiler names the list of requests",
  async () => {
    for (const step of edits.slice(0, 2)) doStep(folder, step);
    expect(await failureOf("npx tsc --noEmit")).toMatch(/lib\/contract\/requests\.ts.*getDefaultRole/);
  },
  timeoutMs,
);

test(
  "after the edits of the recipe only generated files are missing, and the operation keeps its promises",
  async () => {
    for (const step of edits.slice(2)) doStep(folder, step);
    await runThere("npx tsc --noEmit");
    const gaps = await failureOf("npx vitest run test/contract/new-operation.test.ts");
    expect(new Set(gaps.match(/getDefaultRole: [a-z ]+/g))).toEqual(
      new Set(
        ["count its round trips", "record its examples", "add it to the client"].map(
          (gap) => `getDefaultRole: ${gap}`,
        ),
      ),
    );
    await runThere('npx vitest run test/functions -t "getDefaultRole|the default role is"');
    await runThere("npx vitest run test/access/authorization-smoke.test.ts");
  },
  timeoutMs,
);

test.skipIf(!isLong)(
  "the commands of the recipe end with all tests green",
  async () => {
    for (const step of steps) if (step.kind === "command") console.info(await runThere(step.line));
  },
  timeoutMs,
);
