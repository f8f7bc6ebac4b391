import { hash } from "node:crypto";
import {
  ConditionFailed,
  type Item,
  type ItemPage,
  type Key,
  type Table,
  TransactionRefused,
  type TransactionWrite,
  type Write,
} from "../../lib/store/table.ts";
import { changed, holds } from "../proofs/simulation/model/conditions.ts";
import { SortedItems } from "../proofs/simulation/model/sorted-items.ts";

const keyOf = (write: TransactionWrite): Key => {
  if ("put" in write) return write.put;
  if ("update" in write) return write.update;
  return "delete" in write ? write.delete : write.check;
};

/** The simulation's table without its random faults: for tests in which one call must come before another. */
export function memoryTable(scanItemsMax = 1000) {
  const shelf = new SortedItems();
  /** Every call in order, with the name of the method. */
  const calls: Array<readonly [keyof Table, ...unknown[]]> = [];
  const all = (): Item[] => [...shelf.partitions.values()].flatMap((each) => [...each.values()]);
  const apply = (write: Write): void => {
    const key = keyOf(write);
    if ("put" in write) shelf.set(key, write.put);
    else shelf.set(key, "update" in write ? changed(key, shelf.get(key), write.change) : undefined);
  };
  const getAll = async (keys: readonly Key[]) => keys.map((key) => shelf.get(key));
  const real: Table = {
    get: async (key) => shelf.get(key),
    getMany: getAll,
    transactGet: getAll,
    queryPage: async (range, resume) => {
      const left = shelf.range(resume ? { ...range, after: resume.sk } : range);
      const items = left.slice(0, range.pageItems ?? left.length);
      const last = items.at(-1);
      return last && items.length === range.pageItems ? { items, resume: last } : { items };
    },
    scanPage: async ({ segment }, resume): Promise<ItemPage> => {
      const { index, of } = segment ?? { index: 0, of: 1 };
      const items = all().filter(({ pk }) => hash("sha256", pk, "buffer").readUInt16BE() % of === index);
      const first = resume ? items.findIndex(({ pk, sk }) => pk === resume.pk && sk === resume.sk) + 1 : 0;
      const page = items.slice(first, first + scanItemsMax);
      const last = page.at(-1);
      return last && first + page.length < items.length ? { items: page, resume: last } : { items: page };
    },
    write: async (write) => {
      const before = shelf.get(keyOf(write));
      if (write.when && !holds(write.when, before)) throw new ConditionFailed(before);
      apply(write);
      return undefined;
    },
    transact: async (writes) => {
      const refusals = writes.map((write) => ({
        refused: write.when !== undefined && !holds(write.when, shelf.get(keyOf(write))),
      }));
      if (refusals.some(({ refused }) => refused)) throw new TransactionRefused(refusals);
      for (const write of writes) if (!("check" in write)) apply(write);
    },
    writeMany: async (writes) => writes.forEach(apply),
  };
  const recorded =
    <Args extends unknown[], Answer>(name: keyof Table, run: (...args: Args) => Answer) =>
    (...args: Args): Answer => {
      calls.push([name, ...args]);
      return run(...args);
    };
  const table: Table = {
    get: recorded("get", real.get),
    getMany: recorded("getMany", real.getMany),
    transactGet: recorded("transactGet", real.transactGet),
    queryPage: recorded("queryPage", real.queryPage),
    scanPage: recorded("scanPage", real.scanPage),
    write: recorded("write", real.write),
    transact: recorded("transact", real.transact),
    writeMany: recorded("writeMany", real.writeMany),
  };
  return {
    table,
    calls,
    all,
    /** Names of the calls since the last time that this was called. */
    called: (): Array<keyof Table> => calls.splice(0).map(([name]) => name),
  };
}
