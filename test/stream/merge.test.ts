import fc from "fast-check";
import { expect, test } from "vitest";
import { streamNumberKey } from "../../lib/store/layout.ts";
import type { Item, Table } from "../../lib/store/table.ts";
import { mergeLanes } from "../../lib/stream/merge.ts";

const unused = () => {
  throw new Error("The merge only queries.");
};

/** Partitions in memory; pages are cut short at random, as at 1 MiB. */
function partitions(items: readonly Item[], pageMax: number): Table {
  return {
    get: unused,
    getMany: unused,
    getTogether: unused,
    write: unused,
    transact: unused,
    writeMany: unused,
    scanPage: unused,
    queryPage: async ({ pk, from = "", upTo = "~", pageItems = 1000 }) => {
      const found = items.filter((item) => item.pk === pk && item.sk >= from && item.sk <= upTo);
      const page = found.slice(0, Math.min(pageItems, pageMax));
      const last = page.at(-1);
      return last && page.length < found.length ? { items: page, resume: last } : { items: page };
    },
  };
}

test("whatever the partitions and pages, everything up to the bound comes out once, in order", async () => {
  const laneOf = fc.array(fc.integer({ min: 0, max: 7 }), { minLength: 1, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(
      laneOf,
      fc.nat(80),
      fc.integer({ min: 1, max: 9 }),
      fc.nat(10),
      async (lanes, upTo, pageMax, wanted) => {
        const items = lanes.map((lane, index) => ({ pk: `lane-${lane}`, sk: streamNumberKey(index + 1) }));
        const starts = [...new Set(lanes)].map((lane) => ({
          pk: `lane-${lane}`,
          floor: lanes.indexOf(lane) + 1,
        }));
        const merge = mergeLanes(partitions(items, pageMax), starts, upTo);

        const found: number[] = [];
        for (let item = await merge.next(wanted); item; item = await merge.next(wanted))
          found.push(Number(item.sk));

        expect(found).toEqual(items.map(({ sk }) => Number(sk)).filter((number) => number <= upTo));
      },
    ),
  );
});
