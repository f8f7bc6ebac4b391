import { onTestFinished } from "vitest";
import { identityOf, type Key, type Table, type TransactionWrite } from "../../lib/store/table.ts";

/** Matches transactions that put this item. */
export const putOf =
  (key: Key) =>
  (write: TransactionWrite): boolean =>
    "put" in write && identityOf(write.put) === identityOf(key);

type Call = "transact" | "transactGet" | "write";

/**
 * Runs something once after the caller has decided: before its first transaction, its first call of another kind, or
 * its first transaction with a write that matches.
 */
export function overtakenBy(
  table: Table,
  other: () => Promise<unknown>,
  before: Call | ((write: TransactionWrite) => boolean) = "transact",
): Table {
  let isOvertaken = false;
  onTestFinished(() => {
    if (!isOvertaken) throw new Error("Nobody was overtaken.");
  });
  const overtake = async (isHit: boolean) => {
    if (isOvertaken || !isHit) return;
    isOvertaken = true;
    await other();
  };
  return {
    ...table,
    transactGet: async (...given) => {
      await overtake(before === "transactGet");
      return await table.transactGet(...given);
    },
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
