import { StoreUnavailable, type Table } from "../../lib/store/table.ts";

/**
 * unanswered: the call is executed, but its answer never arrives · refused: the call is not executed ·
 * crash: the call is not executed, and the process makes no further call.
 */
export type FaultKind = "unanswered" | "refused" | "crash";

/** A table whose `at`-th call (from 0) fails; after a crash all later calls fail too. */
export function faultyTable(table: Table, at: number, kind: FaultKind): { table: Table; calls(): number } {
  let calls = 0;
  const call = async <Answer>(run: () => Promise<Answer>): Promise<Answer> => {
    const index = calls++;
    const isHit = kind === "crash" ? index >= at : index === at;
    if (!isHit) return run();
    if (kind === "unanswered") await run();
    throw new StoreUnavailable(kind === "crash" ? "the process is gone" : "injected", false);
  };
  return {
    calls: () => calls,
    table: {
      get: (...given) => call(() => table.get(...given)),
      getMany: (...given) => call(() => table.getMany(...given)),
      transactGet: (...given) => call(() => table.transactGet(...given)),
      queryPage: (...given) => call(() => table.queryPage(...given)),
      scanPage: (...given) => call(() => table.scanPage(...given)),
      write: (...given) => call(() => table.write(...given)),
      transact: (...given) => call(() => table.transact(...given)),
      writeMany: (...given) => call(() => table.writeMany(...given)),
    },
  };
}
