import { expect, test } from "vitest";
import { streamNumberKey } from "../../lib/store/layout.ts";
import type { Item, ItemPage, Range } from "../../lib/store/table.ts";
import { MergedPartitions } from "../../lib/stream/merge.ts";
import { tableWith } from "../support/partial-table.ts";

type Asked = { readonly pk: string; readonly from: number; readonly upTo: number; readonly items: number };

/** Partitions that answer with `answer`, and the recorded queries. */
function askedOf(answer: (range: Range) => ItemPage) {
  const asked: Asked[] = [];
  const table = tableWith({
    queryPage: async (range) => {
      const { pk, from, upTo, pageItems } = range;
      asked.push({ pk, from: Number(from), upTo: Number(upTo), items: Number(pageItems) });
      return answer(range);
    },
  });
  return { asked, table };
}

const item = (pk: string, number: number): Item => ({ pk, sk: streamNumberKey(number) });

/** Every number of the range, up to the requested count. */
function full({ pk, from, upTo, pageItems = 1 }: Range): ItemPage {
  const first = Number(from);
  const count = Math.min(pageItems, Number(upTo) - first + 1);
  const items = Array.from({ length: count }, (_, index) => item(pk, first + index));
  const last = items.at(-1);
  return last && count === pageItems ? { items, resume: last } : { items };
}

const partition = (pk: string, floor: number, ceiling: number) => ({ pk, floor, ceiling });

test("a single partition is queried for everything that is wanted", async () => {
  const { table, asked } = askedOf(full);
  await new MergedPartitions(table, [partition("a", 1, 1000)], 1000).next(100);
  expect(asked).toEqual([{ pk: "a", from: 1, upTo: 1000, items: 100 }]);
});

test("partitions that hold no more numbers than wanted are queried for exactly those", async () => {
  const { table, asked } = askedOf(full);
  await new MergedPartitions(table, [partition("a", 1, 50), partition("b", 51, 100)], 100).next(50);
  expect(asked.map(({ items }) => items)).toEqual([50, 50]);
});

test("the first query of a large partition is small, and each later one at least twice as large", async () => {
  const { table, asked } = askedOf(full);
  const merge = new MergedPartitions(
    table,
    [partition("a", 1, 10_000), partition("b", 9_000, 10_000)],
    10_000,
  );
  for (let count = 0; count < 4 + 8 + 1; count++) await merge.next(1);
  expect(asked.filter(({ pk }) => pk === "a").map(({ items }) => items)).toEqual([4, 8, 16]);
  const wide = askedOf(full);
  await new MergedPartitions(wide.table, [partition("a", 1, 10_000), partition("b", 2, 10_000)], 10_000).next(
    1000,
  );
  expect(wide.asked.map(({ items }) => items)).toEqual([125, 125]);
});

test("a partition that begins beyond the bound is never queried, one that ends there only once", async () => {
  const { table, asked } = askedOf(full);
  const merge = new MergedPartitions(table, [partition("a", 1, 8), partition("b", 11, 20)], 10);
  for (let count = 0; count < 8; count++) expect(await merge.next(8)).toBeDefined();
  expect(await merge.next(8)).toBeUndefined();
  expect(asked).toEqual([{ pk: "a", from: 1, upTo: 8, items: 8 }]);
});

test("a partition that turns out to be empty ends, and an empty page is not the end", async () => {
  const none = askedOf(() => ({ items: [] }));
  expect(await new MergedPartitions(none.table, [partition("a", 1, 9)], 9).next(5)).toBeUndefined();
  expect(none.asked).toHaveLength(1);
  const gap = askedOf((range) =>
    Number(range.from) === 1 ? { items: [], resume: item("a", 5) } : { items: [item("a", 6)] },
  );
  expect(await new MergedPartitions(gap.table, [partition("a", 1, 9)], 9).next(5)).toEqual(item("a", 6));
  expect(gap.asked.map(({ from }) => from)).toEqual([1, 6]);
});

test("items of several partitions with the same number are returned together, without any other number", async () => {
  const numbers: Readonly<Record<string, readonly number[]>> = { a: [1, 3], b: [1, 4] };
  const { table } = askedOf(({ pk }) => ({ items: (numbers[pk] ?? []).map((number) => item(pk, number)) }));
  const merge = new MergedPartitions(table, [partition("a", 1, 4), partition("b", 1, 4)], 4);
  expect([await merge.next(4), merge.nextUnder(1), merge.nextUnder(1)]).toEqual([
    item("a", 1),
    item("b", 1),
    undefined,
  ]);
  expect([await merge.next(4), merge.nextUnder(3)]).toEqual([item("a", 3), undefined]);
  expect([await merge.next(4), merge.nextUnder(4)]).toEqual([item("b", 4), undefined]);
});
