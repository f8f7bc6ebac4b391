import { describe, expect, test } from "vitest";
import { walkLimits } from "../../lib/contract/limits.ts";
import type { Item } from "../../lib/store/table.ts";
import { type PartitionPosition, walkPartitions } from "../../lib/store/walk.ts";
import { memoryTable } from "../stream/memory-table.ts";
import fc from "../support/property.ts";

const prefix = "T#";
const rangeOf = (pk: string, pageItems: number) => ({ pk, beginsWith: prefix, pageItems });
const shown = async (items: readonly Item[]) => items.filter(({ hidden }) => hidden !== true);

/** All pages of a walk over partitions that are named after their partition keys. */
async function walkAll(
  { table }: ReturnType<typeof memoryTable>,
  names: readonly string[],
  {
    limit,
    pageItems = limit + 1,
    partitionsAtOnce = 3,
  }: { limit: number; pageItems?: number; partitionsAtOnce?: number },
) {
  const pages: string[][] = [];
  let after: PartitionPosition | null = null;
  do {
    const partitions = names.map((name) => ({ name, range: rangeOf(name, pageItems) }));
    const page: Awaited<ReturnType<typeof walkPartitions<Item, (typeof partitions)[number]>>> =
      await walkPartitions(table, partitions, { after, limit, partitionsAtOnce }, shown);
    pages.push(page.found.map(({ pk, sk }) => `${pk}/${sk}`));
    after = page.next;
  } while (after !== null);
  return pages;
}

describe("a walk over several partitions", () => {
  test("a walk over partitions finds every shown item once, in the order of partitions and sort keys", async () => {
    const partition = fc.array(fc.record({ id: fc.nat(30), hidden: fc.boolean() }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(partition, { maxLength: 9 }),
        fc.record({
          limit: fc.integer({ min: 1, max: 5 }),
          pageItems: fc.integer({ min: 1, max: 6 }),
          partitionsAtOnce: fc.integer({ min: 1, max: 4 }),
        }),
        async (contents, sizes) => {
          const memory = memoryTable();
          const items = contents.flatMap((content, index) =>
            content.map(({ id, hidden }) => ({ pk: `p${index}`, sk: `${prefix}${id}`, hidden })),
          );
          for (const put of items) await memory.table.write({ put });
          const names = contents.map((_, index) => `p${index}`);
          const pages = await walkAll(memory, names.toReversed(), sizes);
          const stored = new Map(items.map((item) => [`${item.pk}/${item.sk}`, item]));
          const expected = [...stored].filter(([, { hidden }]) => !hidden).map(([name]) => name);
          expect(pages.flat()).toEqual(expected.toSorted());
          expect(pages).toHaveLength(Math.max(1, Math.ceil(expected.length / sizes.limit)));
          for (const page of pages.slice(0, -1)) expect(page).toHaveLength(sizes.limit);
        },
      ),
      { numRuns: 200 },
    );
  });

  test("a page reads a limited number of partitions, and the next page goes on with the next one", async () => {
    const memory = memoryTable();
    const names = Array.from({ length: 2 * walkLimits.partitionsPerPageMax + 1 }, (_, index) =>
      String(index).padStart(4, "0"),
    );
    const first = names[0] ?? "";
    const last = names.at(-1) ?? "";
    for (const pk of [first, last]) await memory.table.write({ put: { pk, sk: `${prefix}1` } });
    expect(await walkAll(memory, names, { limit: 5 })).toEqual([[`${first}/T#1`], [], [`${last}/T#1`]]);
  });

  test("a page skips a limited number of items, and the next page goes on after them", async () => {
    const memory = memoryTable();
    const hidden = Array.from({ length: walkLimits.passedOverMax + 1 }, (_, index) =>
      String(index).padStart(5, "0"),
    );
    await memory.table.writeMany(
      hidden.map((id) => ({ put: { pk: "a", sk: `${prefix}${id}`, hidden: true } })),
    );
    await memory.table.write({ put: { pk: "b", sk: `${prefix}1` } });
    expect(await walkAll(memory, ["a", "b"], { limit: 5, pageItems: 100 })).toEqual([[], ["b/T#1"]]);
  });

  test("a walk goes on behind a partition that is gone since the last page", async () => {
    const memory = memoryTable();
    for (const pk of ["a", "b", "c"]) await memory.table.write({ put: { pk, sk: `${prefix}1` } });
    const partitions = ["a", "c"].map((name) => ({ name, range: rangeOf(name, 2) }));
    const page = { after: ["b", `${prefix}1`] as const, limit: 5, partitionsAtOnce: 1 };
    expect(await walkPartitions(memory.table, partitions, page, shown)).toMatchObject({
      found: [{ pk: "c" }],
      next: null,
    });
  });
});
