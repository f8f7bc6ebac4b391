import { identityOf, type Key, type Table, type TransactionWrite } from "../../lib/store/table.ts";

/** Matches transactions that put this item. */
export const putOf =
  (key: Key) =>
  (write: TransactionWrite): boolean =>
    "put" in write && identityOf(write.put) === identityOf(key);

/** Runs something after the caller has decided and before its first transaction that matches, or its first single write. */
export function overtakenBy(
  table: Table,
  other: () => Promise<unknown>,
  before: "transact" | "write" | ((write: TransactionWrite) => boolean) = "transact",
): Table {
  let isOvertaken = false;
  const overtake = async (isHit: boolean) => {
    if (isOvertaken || !isHit) return;
    isOvertaken = true;
    await other();
  };
  return {
    ...table,
    write: async (...given) => {
      await overtake(before === "write");
      return await table.write(...given);
    },
    transact: async (...given) => {
      await overtake(typeof before === "function" ? given[0].some(before) : before === "transact");
      return await table.transact(...given);
    },
  };
}
