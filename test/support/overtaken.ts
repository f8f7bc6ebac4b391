import type { Table } from "../../lib/store/table.ts";

/** Runs something after the caller has decided and before its first transaction, or its first single write. */
export function overtakenBy(
  table: Table,
  other: () => Promise<unknown>,
  before: "transact" | "write" = "transact",
): Table {
  let isOvertaken = false;
  const overtake = async (call: typeof before) => {
    if (isOvertaken || call !== before) return;
    isOvertaken = true;
    await other();
  };
  return {
    ...table,
    write: async (...given) => {
      await overtake("write");
      return await table.write(...given);
    },
    transact: async (...given) => {
      await overtake("transact");
      return await table.transact(...given);
    },
  };
}
