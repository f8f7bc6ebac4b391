import { expect, test } from "vitest";
import { unchanged } from "../../lib/store/items/unchanged.ts";
import { type Item, writeIf } from "../../lib/store/table.ts";
import { useStore } from "../support/engine.ts";

const store = useStore();

/** What is stored; what another writer makes of it, or of nothing. */
const cases: ReadonlyArray<readonly [string, Partial<Item> | undefined, Partial<Item>]> = [
  ["appeared", undefined, { a: 1 }],
  ["changed its attribute", { a: 1 }, { a: 2 }],
  ["changed the last of its attributes", { a: 1, b: 1 }, { a: 1, b: 2 }],
  ["got an attribute", { a: 1 }, { a: 1, b: 2 }],
  ["lost an attribute", { a: 1, b: 1 }, { a: 1 }],
];

test.each(cases)("nothing is written over an item that %s meanwhile", async (name, before, after) => {
  const { table } = store();
  const key = { pk: `UNCHANGED#${name}`, sk: "ITEM" };
  if (before) await table.write({ put: { ...before, ...key } });
  const when = unchanged(await table.get(key), ["a", "b"]);
  await table.write({ put: { ...after, ...key } });
  expect(await writeIf(table, { put: { ...key, late: true }, when })).toBe(false);
  expect(await table.get(key)).toEqual({ ...after, ...key });
});

test("an item that is as it was read is written over, also if there was none", async () => {
  const { table } = store();
  const key = { pk: "UNCHANGED#same", sk: "ITEM" };
  for (const a of [1, 2]) {
    const when = unchanged(await table.get(key), ["a", "b"]);
    expect(await writeIf(table, { put: { ...key, a }, when })).toBe(true);
  }
  expect(await table.get(key)).toEqual({ ...key, a: 2 });
});
