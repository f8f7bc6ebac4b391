import { expect, test } from "vitest";
import { read, root } from "./pages.ts";
import { isDone, problemOf, recipeSteps, stepsIn } from "./recipe.ts";

const recipes = {
  "CONTRIBUTING.md": recipeSteps(),
  "test/system/docs/another-operation.md": stepsIn(read("test/system/docs/another-operation.md")),
};

test.each(Object.entries(recipes))("every step of the recipe in %s fits the current files", (_, steps) => {
  // Where the recipe was already followed, as the tests in test/system/docs do in their copies, no step is left.
  const isFollowed = steps.every((step) => step.kind === "command" || isDone(root, step));
  expect(isFollowed ? [] : steps.flatMap((step) => problemOf(root, step) ?? [])).toEqual([]);
});

test("a new operation takes at most seven edits by hand, each in a file of its own", () => {
  const edits = recipes["CONTRIBUTING.md"].filter((step) => step.kind !== "command");
  expect(edits.map(({ file }) => file)).toContain("lib/contract/requests.ts");
  expect(edits.length).toBeLessThanOrEqual(7);
  expect(new Set(edits.map(({ file }) => file)).size).toBe(edits.length);
});
