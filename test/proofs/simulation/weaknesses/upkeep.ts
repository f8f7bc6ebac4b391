import * as kinds from "../../../../lib/contract/items.ts";
import type { TransactionWrite } from "../../../../lib/store/table.ts";
import type { Weakness } from "../world.ts";
import { bend, isHead, readsApart } from "./weaken.ts";

export const moveReadsApart: Weakness = {
  name: "tenant change without reading the old head together",
  breaks: ["missed", "left-behind"],
  seedsMax: 7000,
  caughtAt: 6751,
  table: bend(
    ["mover"],
    readsApart((keys) => keys.some(isHead)),
  ),
};

export const moveLeavesUnpublished: Weakness = {
  name: "tenant change without settling the new stream",
  breaks: ["missed", "unsettled"],
  seedsMax: 2000,
  caughtAt: 572,
  table: bend(["mover"], (table) => {
    let isMoving = false;
    return {
      queryPage: (range, resume) => {
        isMoving = true;
        return table.queryPage(range, resume);
      },
      transactGet: async (keys) => {
        const items = await table.transactGet(keys);
        const [key] = keys;
        return isMoving && keys.length === 1 && key && isHead(key) ? [undefined] : items;
      },
    };
  }),
};

export const positionOfAnotherMove: Weakness = {
  name: "tenant change that begins where the one before it had stopped",
  breaks: ["missed", "left-behind"],
  seedsMax: 4000,
  caughtAt: 1411,
  table: bend(["flipper"], (table) => ({
    transact: async (writes, options) => {
      const bent = writes.map(async (write): Promise<TransactionWrite> => {
        if (!("put" in write) || write.put.pk !== kinds.moving.partition()) return write;
        const after = (await table.get({ pk: write.put.pk, sk: write.put.sk }))?.after;
        return after === undefined ? write : { put: { ...write.put, after } };
      });
      return await table.transact(await Promise.all(bent), options);
    },
  })),
};

export const sweepWithoutMark: Weakness = {
  name: "sweep without marking first",
  breaks: ["missed", "lost"],
  seedsMax: 3000,
  caughtAt: 137,
  table: bend(["sweeper"], (table) => ({
    write: async (write) =>
      "update" in write && write.update.pk.startsWith("SPILL#") ? undefined : table.write(write),
  })),
};
