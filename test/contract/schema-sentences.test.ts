import { expect, test } from "vitest";
import * as z from "zod";
import { requestLimits } from "../../lib/contract/limits.ts";
import { createRole } from "../../lib/contract/operations/roles.ts";
import { firstProblemsOf, sentencesOf } from "../../lib/contract/schema-sentences.ts";
import { readTakesAlone, takesAlone } from "../../lib/contract/sentences.ts";

/** The messages about a value that the schema rejects. */
function saidOf(schema: z.ZodObject, value: unknown): string[] {
  const { error } = schema.safeParse(value);
  return sentencesOf({ issues: error?.issues ?? [], schema, value, whole: "body" });
}

test("an unknown name is reported with the known names; inside a list, with its index", () => {
  expect(saidOf(createRole.body, { name: "a", color: "red" })).toEqual([
    `color: is unknown. Known names: ${Object.keys(createRole.body.shape).join(", ")}.`,
  ]);
  const permissions = [{ resource_id: "learning", access_type: "read", color: "red" }];
  expect(saidOf(createRole.body, { name: "a", permissions })).toEqual([
    'permissions[0].color: is unknown. permissions[0] must be an object such as {"resource_id": "learning", "access_type": "read"}.',
  ]);
});

test("a value that should be an object is reported in our own words", () => {
  expect(saidOf(createRole.body, { name: "a", permissions: ["text"] })).toEqual([
    'permissions[0]: must be an object such as {"resource_id": "learning", "access_type": "read"}.',
  ]);
});

test("a problem of the whole value is reported for the whole value", () => {
  const schema = z
    .strictObject({ a: z.number(), b: z.number() })
    .refine(({ a, b }) => a < b, "a is less than b.");
  expect(saidOf(schema, { a: 2, b: 1 })).toEqual(["body: a is less than b."]);
  expect(saidOf(schema, [])).toEqual(["body: must be a JSON object."]);
});

test("a list of problems that is too long ends with the number of the others", () => {
  const { problemsMax } = requestLimits;
  const problemsOf = (count: number) => Array.from({ length: count }, (_, index) => `problem ${index}`);
  const listed = problemsOf(problemsMax);
  expect(firstProblemsOf(listed)).toEqual(listed);
  expect(firstProblemsOf(problemsOf(problemsMax + 1))).toEqual([...listed, "There is 1 more problem."]);
  expect(firstProblemsOf(problemsOf(problemsMax + 2))).toEqual([...listed, "There are 2 more problems."]);
});

test("a 413 response for a single pull request names it, so that a client can read the name", () => {
  const pullRequest = { pr_url: "https://github.com/a/b/pull/1", provider: "github", organization_id: "1" };
  expect(readTakesAlone(`${takesAlone(pullRequest, 9)}.`)).toEqual(pullRequest);
  expect(takesAlone(undefined, 9)).toBe("The pull request alone takes 9 bytes");
  expect(readTakesAlone(takesAlone(undefined, 9))).toBeUndefined();
});
