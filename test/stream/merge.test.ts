import { expect, test } from "vitest";
import { streamNumberKey } from "../../lib/store/layout.ts";
import type { Item, Table } from "../../lib/store/table.ts";
import { MergedPartitions } from "../../lib/stream/merge.ts";
import fc from "../support/property.ts";

const unused = () => {
  throw new Error("The merge only queries.");
};

/** Partitions in memory; pages are cut short at random, as at 1 MiB. */
function tableOf(items: readonly Item[], pageMax: number): Table {
  return {
    get: unused,
    getMany: unused,
    transactGet: unused,
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

test("everything up to the bound is returned once, in order, with any partitions and pages", async () => {
  const partitionOf = fc.array(fc.integer({ min: 0, max: 7 }), { minLength: 1, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(
      partitionOf,
      fc.nat(80),
      fc.integer({ min: 1, max: 9 }),
      fc.nat(10),
      async (partitions, upTo, pageMax, wanted) => {
        const items = partitions.map((partition, index) => ({
          pk: `partition-${partition}`,
          sk: streamNumberKey(index + 1),
        }));
        const starts = [...new Set(partitions)].map((partition) => ({
          pk: `partition-${partition}`,
          floor: partitions.indexOf(partition) + 1,
          ceiling: partitions.lastIndexOf(partition) + 1,
        }));
        const merge = new MergedPartitions(tableOf(items, pageMax), starts, upTo);

        const found: number[] = [];
        for (let item = await merge.next(wanted); item; item = await merge.next(wanted))
          found.push(Number(item.sk));

        expect(found).toEqual(items.map(({ sk }) => Number(sk)).filter((number) => number <= upTo));
      },
    ),
  );
});

/** Reads a page of partitions whose bounds are rounded outwards to multiples of `scale`. */
async function cost(
  partitionOf: (number: number) => number,
  numbers: number,
  scale = numbers,
): Promise<{ items: number; rounds: number }> {
  const items = Array.from({ length: numbers }, (_, index) => ({
    pk: `partition-${partitionOf(index + 1)}`,
    sk: streamNumberKey(index + 1),
  }));
  const starts = [...Map.groupBy(items, ({ pk }) => pk)].map(([pk, own]) => ({
    pk,
    floor: Math.max(1, Math.floor(Number(own[0]?.sk) / scale) * scale),
    ceiling: (Math.floor(Number(own.at(-1)?.sk) / scale) + 1) * scale - 1,
  }));
  const seen = { items: 0, rounds: 0 };
  let underWay = 0;
  const table = tableOf(items, 2000);
  const merge = new MergedPartitions(
    {
      ...table,
      queryPage: async (range, resume) => {
        if (underWay++ === 0) seen.rounds++;
        const page = await table.queryPage(range, resume);
        underWay--;
        seen.items += page.items.length;
        return page;
      },
    },
    starts,
    numbers,
  );
  for (let wanted = 1001; wanted > 0; wanted--) await merge.next(wanted);
  return seen;
}

test("consecutive weeks cost hardly more than the page", async () => {
  const { items, rounds } = await cost((number) => Math.floor(number / 2000), 6000);
  expect(items).toBeLessThan(1001 * 1.3);
  expect(rounds).toBeLessThanOrEqual(2);
});

test("a page of many short consecutive weeks takes one round, not one per week", async () => {
  const { items, rounds } = await cost((number) => Math.floor(number / 20), 10_000, 64);
  expect(rounds).toBeLessThanOrEqual(2);
  expect(items).toBeLessThan(1001 * 1.3);
});

test("weeks that interleave cost hardly more than the page, in few rounds", async () => {
  const { items, rounds } = await cost((number) => number % 2, 6000);
  expect(items).toBeLessThan(1001 * 1.3);
  expect(rounds).toBeLessThanOrEqual(4);
});
