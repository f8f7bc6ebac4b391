import { expect, test } from "vitest";
import { root } from "./pages.ts";
import { isDone, problemOf, recipeSteps } from "./recipe.ts";

const steps = recipeSteps();
const edits = steps.filter((step) => step.kind !== "command");

/** Where the recipe was already followed, as test/system/docs/recipe.test.ts does in its copy, no step is left. */
const isFollowed = edits.every((step) => isDone(root, step));

test("every step of the recipe for a new operation fits the current files", () => {
  expect(isFollowed ? [] : steps.flatMap((step) => problemOf(root, step) ?? [])).toEqual([]);
});

test("a new operation takes at most eight edits by hand", () => {
  expect(edits.map(({ file }) => file)).toContain("lib/contract/requests.ts");
  expect(edits.length).toBeLessThanOrEqual(8);
});
