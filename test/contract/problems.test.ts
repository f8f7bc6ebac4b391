import { expect, test } from "vitest";
import * as z from "zod";
import { createRole } from "../../lib/contract/operations/roles.ts";
import { sentencesOf } from "../../lib/contract/problems.ts";

/** What is said about a value that the schema refuses. */
function saidOf(schema: z.ZodObject, value: unknown): string[] {
  const { error } = schema.safeParse(value);
  return sentencesOf({ issues: error?.issues ?? [], schema, value, whole: "body" });
}

test("a name that is not known is told with those that are; inside a list, by its place", () => {
  expect(saidOf(createRole.body, { name: "a", color: "red" })).toEqual([
    `color: is not known here. Known are: ${Object.keys(createRole.body.shape).join(", ")}.`,
  ]);
  const permissions = [{ resource_id: "learning", access_type: "read", color: "red" }];
  expect(saidOf(createRole.body, { name: "a", permissions })).toEqual([
    "permissions[0].color: is not known here.",
  ]);
});

test("what should be an object and is not is told in words of our own", () => {
  expect(saidOf(createRole.body, { name: "a", permissions: ["text"] })).toEqual([
    "permissions[0]: must be a JSON object.",
  ]);
});

test("what is wrong with all of it is said of the whole", () => {
  const schema = z
    .strictObject({ a: z.number(), b: z.number() })
    .refine(({ a, b }) => a < b, "a is less than b.");
  expect(saidOf(schema, { a: 2, b: 1 })).toEqual(["body: a is less than b."]);
  expect(saidOf(schema, [])).toEqual(["body: must be a JSON object."]);
});
