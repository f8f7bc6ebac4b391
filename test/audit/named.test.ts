import { expect, test } from "vitest";
import { named } from "../../lib/audit/named.ts";

test.each([
  [[], "nobody"],
  [["ann"], "ann"],
  [["ann", "ben", "cem"], "ann, ben, cem"],
  [["ann", "ben", "cem", "dan", "eva"], "ann, ben, cem and 2 more"],
])("a summary names up to three people, then counts: %j", (names, text) => {
  expect(named(names)).toBe(text);
});
