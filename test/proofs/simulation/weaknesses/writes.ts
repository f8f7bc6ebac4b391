import { parseRemovalPlace } from "../../../../lib/store/layout.ts";
import type { Item, Key, TransactionWrite } from "../../../../lib/store/table.ts";
import { isSettled, parseHead } from "../../../../lib/stream/head.ts";
import { entryKeys } from "../../../../lib/stream/pending.ts";
import { dropSpills } from "../../../../lib/stream/spill.ts";
import type { StreamDeps } from "../../../../lib/stream/stream.ts";
import type { Weakness } from "../world.ts";
import {
  bend,
  headReadAs,
  isEmptying,
  isHead,
  isHeadUpdate,
  isPointer,
  isPublish,
  readsApart,
  sets,
  transactsAs,
  without,
  writers,
  writesAs,
} from "./weaken.ts";

export const numberOutside: Weakness = {
  name: "number taken outside the transaction",
  breaks: ["missed"],
  seedsMax: 200,
  caughtAt: 9,
  table: bend(writers, (table) => ({
    transact: async (writes) => {
      for (const write of writes) if (isHeadUpdate(write)) await table.write(write);
      await table.transact(writes.filter((write) => !isHeadUpdate(write)));
    },
  })),
};

export const unconditionalPublish: Weakness = {
  name: "unconditional publish",
  breaks: ["unpublished", "missed", "unsettled", "orphan"],
  seedsMax: 500,
  caughtAt: 24,
  table: bend(
    writers,
    writesAs((write) => (isPublish(write) ? without(write) : write)),
  ),
};

export const retireFirst: Weakness = {
  name: "retire before publish",
  breaks: ["missed"],
  seedsMax: 200,
  caughtAt: 4,
  deps: (deps) => ({
    ...deps,
    table: {
      ...deps.table,
      write: async (write) => {
        if (isPublish(write)) await retireNow(deps, write.update);
        return deps.table.write(write);
      },
    },
  }),
};

async function retireNow(deps: StreamDeps, head: Key): Promise<void> {
  const { pending } = parseHead(await deps.table.get(head));
  if (!pending) return;
  await deps.table.writeMany(pending.dropped.flatMap(entryKeys).map((key) => ({ delete: key })));
  await dropSpills(deps, pending.spills);
}

export const pendingOverwritten: Weakness = {
  name: "pending changes overwritten",
  breaks: ["unpublished", "unsettled", "orphan", "missed"],
  seedsMax: 20,
  caughtAt: 1,
  table: bend(writers, (table) => ({
    ...headReadAs(({ q: _, ...item }) => ({ ...item, p: Number(item.n) - 1 }))(table),
    ...transactsAs((writes) =>
      writes.map((write) => {
        if (!isHeadUpdate(write) || !write.when || !("all" in write.when)) return write;
        const [nextIsSame] = write.when.all;
        return nextIsSame ? { ...write, when: nextIsSame } : write;
      }),
    )(table),
  })),
};

export const pendingEmptiedByZombie: Weakness = {
  name: "pending changes emptied by a delayed writer",
  breaks: ["orphan"],
  seedsMax: 300,
  caughtAt: 33,
  table: bend(
    writers,
    writesAs((write) => (isEmptying(write) ? without(write) : write)),
  ),
};

export const unconditionalPointer: Weakness = {
  name: "unconditional pointer",
  breaks: ["lost", "orphan", "missed"],
  seedsMax: 300,
  caughtAt: 29,
  table: bend(writers, (table) => ({
    ...writesAs((write) => (isPointer(write) ? without(write) : write))(table),
    ...transactsAs((writes) =>
      writes.map((write) => (isPointer(write) && !("check" in write) ? without(write) : write)),
    )(table),
  })),
};

/** The head that was read together with the pointers decides; it looks settled, so the duplicate is acknowledged. */
export const olderHeadRead: Weakness = {
  name: "duplicate acknowledged on an older head read",
  breaks: ["unpublished"],
  seedsMax: 100,
  caughtAt: 6,
  table: bend(["writer"], (table) => {
    let first: Item | undefined;
    return {
      getMany: async (keys) => {
        const items = await table.getMany(keys);
        first = items.find((item) => item && isHead(item)) ?? first;
        return items;
      },
      get: async (key) => {
        const isTrusted = isHead(key) && first && isSettled(parseHead(first));
        return isTrusted ? { ...key, n: 1_000_001, p: 1_000_000 } : table.get(key);
      },
    };
  }),
};

/** A removal sets `pending`, but does not change `next`, and gives the pointer the last possible number. */
export const removalWithoutNumber: Weakness = {
  name: "removal without a number",
  breaks: ["orphan"],
  seedsMax: 2000,
  caughtAt: 1,
  table: bend(["writer"], (table) => {
    let numberless: number | undefined;
    return {
      transact: async (writes) => {
        const isFirst = writes.some((write) => isHeadUpdate(write) && write.when && "absent" in write.when);
        const isRemoval =
          !isFirst &&
          !writes.some(
            (write) => "put" in write && write.put.pk.startsWith("S#") && !parseRemovalPlace(write.put),
          );
        const taken = writes.filter(isPointer).length;
        numberless = isRemoval ? taken : undefined;
        await table.transact(isRemoval ? writes.map((write) => keepNumber(write, taken)) : writes);
      },
      write: async (write) => {
        if (numberless === undefined || !isHeadUpdate(write)) return table.write(write);
        if (sets(write, "p")) return undefined;
        const next = write.when && "equals" in write.when ? Number(write.when.equals[1]) - numberless : 0;
        return table.write({ ...write, when: { equals: ["n", next] } });
      },
    };
  }),
};

function keepNumber(write: TransactionWrite, taken: number): TransactionWrite {
  if (isHeadUpdate(write)) {
    const set = (write.change.set ?? []).map(([path, value]) =>
      path === "n" ? ([path, Number(value) - taken] as const) : ([path, value] as const),
    );
    return { ...write, change: { ...write.change, set } };
  }
  if ("put" in write && isPointer(write))
    return { ...write, put: { ...write.put, n: Number(write.put.n) - taken } };
  return write;
}

export const noTenantCheck: Weakness = {
  name: "append without the tenant check",
  breaks: ["missed", "left-behind"],
  seedsMax: 1000,
  caughtAt: 407,
  table: bend(
    writers,
    transactsAs((writes) =>
      writes.filter((write) => !("check" in write && write.check.pk.startsWith("ORG#"))),
    ),
  ),
};

export const recoverApart: Weakness = {
  name: "recovery without TransactGetItems",
  breaks: ["missed"],
  seedsMax: 600,
  caughtAt: 85,
  table: bend(
    ["writer"],
    readsApart(() => true),
  ),
};
