import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { read } from "../../docs/pages.ts";
import { doStep, recipeSteps, type Step, stepsIn } from "../../docs/recipe.ts";
import { timeoutMs } from "../../support/volume.ts";
import { copyProject, type ProjectCopy } from "./project-copy.ts";

const recipes = {
  getDefaultRole: recipeSteps(),
  listWebhookTypes: stepsIn(read("test/system/docs/another-operation.md")),
} as const;
const [one, other] = ["getDefaultRole", "listWebhookTypes"] as const;

let copy: ProjectCopy;
beforeAll(async () => {
  copy = await copyProject();
  await copy.run("git init --quiet --initial-branch base");
  appendFileSync(join(copy.folder, ".git/info/exclude"), "node_modules\n");
  await commit("everything");
});
afterAll(() => copy.remove());

const commit = (message: string): Promise<string> =>
  copy.run(
    `git add --all && git -c user.name=test -c user.email=test@example.com commit --quiet -m "${message}"`,
  );

/** The recipe, with commands that record only the new operation: its recordings are its own. */
async function addOperation(id: string, steps: readonly Step[]): Promise<void> {
  await copy.run(`git checkout --quiet -b ${id} base`);
  for (const step of steps) if (step.kind !== "command") doStep(copy.folder, step);
  await copy.run(
    `npx vitest run test/measure/bench/round-trips test/system/docs/examples.test.ts -t "^${id} " --update`,
  );
  await copy.run("node lib/generate/run.ts && node test/measure/bench/scale/run.ts");
  await commit(`feat: ${id}`);
}

test(
  "two branches that each add an operation merge without a conflict, and nothing is left to do",
  async () => {
    await addOperation(one, recipes[one]);
    await addOperation(other, recipes[other]);
    await copy.run(`git -c user.name=test -c user.email=test@example.com merge --quiet --no-edit ${one}`);
    await copy.run("npm run check");
    await copy.run(
      "npx vitest run test/contract test/docs test/openapi test/measure/bench/scale/pages.test.ts",
    );
    // Nothing is left to generate.
    await copy.run("node lib/generate/run.ts && git diff --exit-code");
  },
  timeoutMs,
);

test("a new operation adds lines to pages and recordings, and changes none of another operation", async () => {
  for (const id of [one, other]) {
    const changed = await copy.run(`git diff --numstat base ${id} -- docs test/measure | awk '$2 > 0'`);
    expect([id, changed.split("\n").slice(1).filter(Boolean)]).toEqual([id, []]);
  }
});
