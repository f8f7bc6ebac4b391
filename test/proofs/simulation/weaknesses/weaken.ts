import type { Item, Key, Table, TransactionWrite, Update, Write } from "../../../../lib/store/table.ts";
import type { Role } from "../world.ts";

/** Tools that disable a rule of the stream between its code and the store; the code itself is unchanged. */

/** The calls of a table that behave differently. */
type Rules = Partial<Table>;

export const isHead = (key: Key): boolean => key.sk === "HEAD";

export const isHeadUpdate = (write: TransactionWrite): write is Update =>
  "update" in write && isHead(write.update);

export const sets = (update: Update, name: string): boolean =>
  update.change.set?.some(([path]) => path === name) ?? false;

export function without(write: Write): Write {
  if ("put" in write) return { put: write.put };
  return "update" in write ? { update: write.update, change: write.change } : { delete: write.delete };
}

export const isPublish = (write: Write): write is Update => isHeadUpdate(write) && sets(write, "p");

export const isEmptying = (write: Write): boolean =>
  isHeadUpdate(write) && !sets(write, "p") && (write.change.remove?.includes("q") ?? false);

export const isPointer = (write: TransactionWrite): boolean =>
  ("put" in write && write.put.pk.startsWith("PR#")) ||
  ("update" in write && write.update.pk.startsWith("PR#"));

/** The same table except for a few calls, for some of the roles. */
export const bend =
  (roles: readonly Role[], rules: (table: Table) => Rules) =>
  (table: Table, role: Role): Table =>
    roles.includes(role) ? { ...table, ...rules(table) } : table;

export const writers: readonly Role[] = ["writer", "mover"];

export const writesAs = (change: (write: Write) => Write) => (table: Table) => ({
  write: (write: Write) => table.write(change(write)),
});

export const transactsAs =
  (change: (writes: readonly TransactionWrite[]) => TransactionWrite[]) => (table: Table) => ({
    transact: (writes: readonly TransactionWrite[]) => table.transact(change(writes)),
  });

export const headReadAs = (change: (item: Item) => Item) => (table: Table) => ({
  get: async (key: Key) => {
    const item = await table.get(key);
    return item && isHead(key) ? change(item) : item;
  },
});

export const readsApart =
  (applies: (keys: readonly Key[], table: Table) => boolean) =>
  (table: Table): Rules => ({
    transactGet: (keys) => (applies(keys, table) ? table.getMany(keys) : table.transactGet(keys)),
  });
