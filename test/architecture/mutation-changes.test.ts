import { describe, expect, test } from "vitest";
import { type Change, instrument } from "../mutation/changes/change.ts";
import { conditionsIn, findConditions } from "../mutation/changes/conditions.ts";
import { drawChanges, smallChangesIn } from "../mutation/changes/draw.ts";

const parts = (changes: readonly Change[]) => changes.map(({ id, code }) => [id, code]);

describe("conditions of writes", () => {
  const source = [
    "const when: Condition = make();",
    'export const one = { put, when: { all: [{ absent: "pk" } as const, ...more, isOwn] } };',
    "export const two = [{ put, when }, { all: [each] }];",
    "function plan(when: boolean) {}",
  ].join("\n");

  test("every condition of a write is found, and each of several that must all hold", () => {
    expect(parts(conditionsIn("lib/a.ts", source))).toEqual([
      ["lib/a.ts:2:33 => always", '{ all: [{ absent: "pk" } as const, ...more, isOwn] }'],
      ["lib/a.ts:2:41 => always", '{ absent: "pk" } as const'],
      ["lib/a.ts:2:77 => always", "isOwn"],
      ["lib/a.ts:3:28 => always", "when"],
    ]);
    const written = findConditions("lib/{people,organizations}/**/*.ts");
    expect(written.length).toBeGreaterThan(50);
    expect(new Set(written.map(({ id }) => id)).size).toBe(written.length);
  });

  test("the instrumented code passes each condition on", () => {
    const code = instrument(source, conditionsIn("lib/a.ts", source));
    expect(code).toContain(
      '[{ put, when: globalThis.conditionOf("lib/a.ts:3:28 => always", (when)) }, { all: [each] }]',
    );
    expect(code.match(/conditionOf/g)).toHaveLength(4);
  });
});

describe("small changes that a seed draws", () => {
  const source = [
    "if (a >= b && !c) await save(one, two);",
    "const found = all.filter((each) => each).length - 1;",
    "const name = given ?? other;",
  ].join("\n");

  test("decisions, bounds and steps are changed", () => {
    expect(smallChangesIn("lib/a.ts", source).map(({ code, becomes }) => [code, becomes])).toEqual([
      ["a >= b && !c", "!(a >= b && !c)"],
      ["a >= b && !c", "((a >= b) || (!c))"],
      ["a >= b", "(a > b)"],
      ["await save(one, two);", ";"],
      ["save(one, two)", "save(two, one)"],
      ["all.filter((each) => each).length - 1", "(all.filter((each) => each).length)"],
      ["all.filter((each) => each)", "(all)"],
      ["given ?? other", "(given)"],
    ]);
  });

  test("code with changes in it parses, also where one is inside another", () => {
    const changes = smallChangesIn("lib/a.ts", source);
    const code = instrument(source, changes);
    for (const { id } of changes) expect(code).toContain(`globalThis.isMade(${JSON.stringify(id)})`);
    expect(conditionsIn("lib/a.ts", code)).toEqual([]);
  });

  test("a seed draws the same changes again, and another seed others", () => {
    const drawn = parts(drawChanges("webhooks", "1", 8));
    expect(drawn).toHaveLength(8);
    expect(parts(drawChanges("webhooks", "1", 8))).toEqual(drawn);
    expect(parts(drawChanges("webhooks", "2", 8))).not.toEqual(drawn);
  });
});
