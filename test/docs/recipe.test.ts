import { execFile } from "node:child_process";
import { chmodSync, cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { isLong, timeoutMs } from "../support/volume.ts";
import { root } from "./pages.ts";
import { doStep, isDone, problemOf, recipeSteps } from "./recipe.ts";

const run = promisify(execFile);
const steps = recipeSteps();

/** Where the recipe was already followed, as the test below does in its copy, no step is left to check. */
const isFollowed = steps.every((step) => step.kind === "command" || isDone(root, step));

test("every step of the recipe for a new operation fits the current files", () => {
  expect(isFollowed ? [] : steps.flatMap((step) => problemOf(root, step) ?? [])).toEqual([]);
  const kinds = Map.groupBy(steps, ({ kind }) => kind);
  expect([...kinds].map(([kind, { length }]) => [kind, length])).toEqual([
    ["edit", expect.toSatisfy((count: number) => count > 10)],
    ["file", 2],
    ["command", 2],
  ]);
});

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
async function runIn(folder: string, line: string): Promise<string> {
  const options = { cwd: folder, env: environment(), maxBuffer: 256_000_000 };
  const endOf = (output: string, lines: number) => output.trimEnd().split("\n").slice(-lines).join("\n");
  const { stdout } = await run("bash", ["-c", `${line} 2>&1`], options).catch((error: { stdout: string }) => {
    throw new Error(`${line} failed in ${folder}:\n${endOf(error.stdout, 200)}`);
  });
  return `${line}\n${endOf(stdout, 6)}`;
}

test.skipIf(!isLong)(
  "following the recipe step by step on a copy of the project ends with all tests green",
  async () => {
    const folder = await copyProject();
    for (const step of steps)
      if (step.kind === "command") console.info(await runIn(folder, step.line));
      else doStep(folder, step);
    rmSync(folder, { recursive: true });
  },
  timeoutMs,
);
