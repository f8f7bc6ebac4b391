import type { Item, Key, Table } from "../../../../lib/store/table.ts";
import { readPage } from "../../../../lib/stream/read-page.ts";
import { organizations, type Weakness } from "../world.ts";
import { bend, headReadAs, isHead } from "./weaken.ts";

export const noPublish: Weakness = {
  name: "no publish step",
  breaks: ["missed"],
  seedsMax: 200,
  caughtAt: 6,
  table: bend(
    ["reader"],
    headReadAs((item) => ({ ...item, p: Number(item.n) - 1 })),
  ),
};

export const highestLookedAt: Weakness = {
  name: "cursor from the highest number that was read",
  breaks: ["missed"],
  seedsMax: 50,
  caughtAt: 1,
  read: async (table, request) => {
    let highest = 0;
    const watched: Table = {
      ...table,
      queryPage: async (range, resume) => {
        const page = await table.queryPage(range, resume);
        for (const { sk } of page.items) highest = Math.max(highest, Number(sk));
        return page;
      },
    };
    const result = await readPage(watched, request);
    if (result.outcome !== "page" || result.nextAfter === null) return result;
    return { ...result, nextAfter: Math.max(result.nextAfter, highest) };
  },
};

export const noSecondLook: Weakness = {
  name: "no second read of the head",
  breaks: ["missed"],
  seedsMax: 300,
  caughtAt: 9,
  table: bend(["reader"], (table) => {
    let first: Promise<Item | undefined> | undefined;
    return {
      get: (key) => {
        if (!isHead(key)) return table.get(key);
        first ??= table.get(key);
        return first;
      },
    };
  }),
};

export const weeksBeside: Weakness = {
  name: "weeks read separately from the head",
  breaks: ["missed"],
  seedsMax: 500,
  caughtAt: 24,
  table: bend(["reader"], (table) => ({
    get: async (key) => {
      if (!isHead(key)) return table.get(key);
      const [weeks, head] = await Promise.all([table.get(key), table.get(key)]);
      return head && { ...head, w: weeks?.w };
    },
  })),
};

export const eventuallyConsistent: Weakness = {
  name: "eventually consistent reads",
  breaks: ["missed"],
  seedsMax: 300,
  caughtAt: 4,
  table: bend(["reader"], (table) => ({
    get: (key) => table.get(key, { eventuallyConsistent: true }),
    queryPage: (range, resume) => table.queryPage({ ...range, eventuallyConsistent: true }, resume),
  })),
};

/** Cursors and numbers include the organization's turn, so that only the order differs. */
export const oneAfterAnother: Weakness = {
  name: "organizations read one after another",
  breaks: ["missed"],
  seedsMax: 50,
  caughtAt: 1,
  read: async (table, request) => {
    if (request.organization !== undefined || request.tenant.startsWith("o#"))
      return readPage(table, request);
    const turnSize = 1_000_000;
    const turn = Math.floor(request.after / turnSize);
    const organization = organizations[turn];
    const result = await readPage(table, { ...request, organization, after: request.after % turnSize });
    if (result.outcome !== "page") return result;
    const shift = turn * turnSize;
    const entries = result.entries.map((entry) => ({ ...entry, number: entry.number + shift }));
    const isLast = turn === organizations.length - 1;
    const nextAfter =
      result.nextAfter === null ? (isLast ? null : shift + turnSize) : result.nextAfter + shift;
    return { ...result, entries, nextAfter, readUpTo: result.readUpTo + shift };
  },
};

export const partsAfterSecondLook: Weakness = {
  name: "parts read after the second read of the head",
  breaks: ["missed"],
  seedsMax: 2000,
  caughtAt: 35,
  table: bend(["reader"], (table) => {
    let tenantHead: Key | undefined;
    let early: Promise<Item | undefined> | undefined;
    return {
      get: (key) => {
        if (isHead(key)) tenantHead = key;
        const known = isHead(key) ? early : undefined;
        early = undefined;
        return known ?? table.get(key);
      },
      getMany: async (keys, options) => {
        if (tenantHead && keys[0]?.pk.startsWith("PART#")) {
          early = table.get(tenantHead);
          await early;
        }
        return table.getMany(keys, options);
      },
    };
  }),
};
