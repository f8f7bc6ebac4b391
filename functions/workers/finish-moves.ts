import type { Context } from "aws-lambda";
import { settleOldOwed } from "../../lib/audit/owed.ts";
import { eventLimits } from "../../lib/contract/limits.ts";
import { resumeMoves } from "../../lib/organizations/move.ts";
import { moveLogs } from "../../lib/organizations/move-log.ts";
import { ErrorCollector } from "../../lib/runtime/error-collector.ts";
import { worker } from "../../lib/runtime/worker.ts";
import { openStore } from "../../lib/store/open.ts";

/**
 * Runs every minute: continues the moves of organizations whose data is not yet complete at the new tenant, brings their
 * audit logs along, and writes copies of audit entries that the process that owed them could not write.
 */
export const handler = worker(
  "finishMoves",
  async (_event: unknown, context: Pick<Context, "getRemainingTimeInMillis">): Promise<void> => {
    const store = openStore();
    const pieces = new ErrorCollector();
    await pieces.run(() => settleOldOwed(store));
    const timeBudgetMs = context.getRemainingTimeInMillis() - eventLimits.workerMarginMs;
    await pieces.run(() => resumeMoves(store, { timeBudgetMs }));
    const leftMs = context.getRemainingTimeInMillis() - eventLimits.workerMarginMs;
    await pieces.run(() => moveLogs(store, { timeBudgetMs: leftMs }));
    pieces.end();
  },
);
