import type { Context } from "aws-lambda";
import { writeOldOwed } from "../../lib/audit/owed.ts";
import { eventLimits } from "../../lib/contract/limits.ts";
import { resumeMoves } from "../../lib/organizations/move.ts";
import { moveLogs } from "../../lib/organizations/move-log.ts";
import { ErrorCollector } from "../../lib/runtime/error-collector.ts";
import { worker } from "../../lib/runtime/worker.ts";
import { openStore } from "../../lib/store/open.ts";
import { isTemporaryStoreError } from "../../lib/store/retry.ts";

/**
 * Runs every minute: continues the moves of organizations whose data is not yet complete at the new tenant, brings their
 * audit logs along, and writes copies of audit entries that the process that owed them could not write.
 */
export const handler = worker(
  "finishMoves",
  async (_event: unknown, context: Pick<Context, "getRemainingTimeInMillis">): Promise<void> => {
    const store = openStore();
    const pieces = new ErrorCollector();
    const timeBudget = () => ({
      timeBudgetMs: context.getRemainingTimeInMillis() - eventLimits.workerMarginMs,
    });
    const finishLogs = async (): Promise<void> => {
      let areCopiesLate = false;
      await pieces.run(() =>
        writeOldOwed(store).catch((error: unknown) => {
          areCopiesLate = isTemporaryStoreError(error);
          throw error;
        }),
      );
      // A log that moved before its late copies were written would lack them at its new tenant.
      if (!areCopiesLate) await pieces.run(() => moveLogs(store, timeBudget()));
    };
    await Promise.all([pieces.run(() => resumeMoves(store, timeBudget())), finishLogs()]);
    pieces.end();
  },
);
