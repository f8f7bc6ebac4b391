import { afterAll, beforeAll, expect, test } from "vitest";
import { doStep, recipeSteps } from "../../docs/recipe.ts";
import { isLong, timeoutMs } from "../../support/volume.ts";
import { copyProject, type ProjectCopy } from "./project-copy.ts";

const steps = recipeSteps();
const edits = steps.filter((step) => step.kind !== "command");
/** Without `npm test`, which the long run adds. */
const generating = steps.flatMap((step) =>
  step.kind === "command" && step.line !== "npm test" ? step.line : [],
);

let copy: ProjectCopy;
beforeAll(async () => {
  copy = await copyProject();
});
afterAll(() => copy.remove());

const failureOf = (line: string): Promise<string> =>
  copy.run(line).then(
    () => "",
    (error: Error) => error.message,
  );

test(
  "an operation that is only in the contract does not compile; the compiler names the list of requests",
  async () => {
    for (const step of edits.slice(0, 2)) doStep(copy.folder, step);
    expect(await failureOf("npm run types")).toMatch(/lib\/contract\/requests\.ts.*getDefaultRole/);
  },
  timeoutMs,
);

test(
  "after the edits of the recipe only generated files are missing, and the operation keeps its promises",
  async () => {
    for (const step of edits.slice(2)) doStep(copy.folder, step);
    await copy.run("npm run types");
    const gaps = await failureOf("npx vitest run test/contract/new-operation.test.ts");
    expect(new Set(gaps.match(/getDefaultRole: [a-z ]+/g))).toEqual(
      new Set(["count its round trips", "record its examples"].map((gap) => `getDefaultRole: ${gap}`)),
    );
    await copy.run('npx vitest run test/functions -t "getDefaultRole|the default role is"');
    await copy.run("npx vitest run test/access/authorization-smoke.test.ts");
  },
  timeoutMs,
);

test(
  "the commands of the recipe pass on their first run, and leave nothing missing",
  async () => {
    for (const line of generating) console.info(await copy.run(line));
    await copy.run("npx vitest run test/contract/new-operation.test.ts test/docs");
  },
  timeoutMs,
);

test.skipIf(!isLong)(
  "all tests are green after the recipe",
  async () => {
    console.info(await copy.run("npm test"));
  },
  timeoutMs,
);
