import { expect, test } from "vitest";
import { conditionsIn, findConditions, instrument } from "../mutation/conditions/find.ts";

const source = [
  "const when: Condition = make();",
  'export const one = { put, when: { all: [{ absent: "pk" } as const, ...more, isOwn] } };',
  "export const two = [{ put, when }, { all: [each] }];",
  "function plan(when: boolean) {}",
].join("\n");

test("every condition of a write is found, and each of several that must all hold", () => {
  expect(conditionsIn("lib/a.ts", source).map(({ id, code }) => [id, code])).toEqual([
    ["lib/a.ts:2:33", '{ all: [{ absent: "pk" } as const, ...more, isOwn] }'],
    ["lib/a.ts:2:41", '{ absent: "pk" } as const'],
    ["lib/a.ts:2:77", "isOwn"],
    ["lib/a.ts:3:28", "when"],
  ]);
  const written = findConditions("lib/**/*.ts");
  expect(written.length).toBeGreaterThan(100);
  expect(new Set(written.map(({ id }) => id)).size).toBe(written.length);
});

test("the instrumented code passes each condition on, and keeps its lines", () => {
  const code = instrument("lib/a.ts", source) ?? "";
  expect(code.split("\n")).toHaveLength(source.split("\n").length);
  expect(code).toContain('[{ put, when: globalThis.conditionOf("lib/a.ts:3:28", (when)) }, { all: [each] }]');
  expect(code.match(/conditionOf/g)).toHaveLength(4);
  expect(instrument("lib/b.ts", "export const none = 1;")).toBeUndefined();
});
