import type { Table } from "../../lib/store/table.ts";

/** Runs something after the caller has decided and before its first transaction, or its first call of another kind. */
export function overtakenBy(
  table: Table,
  other: () => Promise<unknown>,
  before: "transact" | "write" | "transactGet" = "transact",
): Table {
  let isOvertaken = false;
  const overtake = async (call: typeof before) => {
    if (isOvertaken || call !== before) return;
    isOvertaken = true;
    await other();
  };
  return {
    ...table,
    transactGet: async (...given) => {
      await overtake("transactGet");
      return await table.transactGet(...given);
    },
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
