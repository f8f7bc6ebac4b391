import type { Context } from "aws-lambda";
import { eventLimits } from "../../lib/contract/limits.ts";
import { approveDue } from "../../lib/learnings/approval.ts";
import { relistMoved } from "../../lib/learnings/move-learnings.ts";
import { ErrorCollector } from "../../lib/runtime/error-collector.ts";
import { describeError, log } from "../../lib/runtime/log.ts";
import { worker } from "../../lib/runtime/worker.ts";
import { openStore } from "../../lib/store/open.ts";

/**
 * Runs every minute: approves Learnings whose time is up, and lists those of organizations that moved. The two run at
 * the same time, so that neither waits for the other. The next run continues what this one has no time for.
 */
export const handler = worker(
  "approveDue",
  async (_event: unknown, context: Pick<Context, "getRemainingTimeInMillis">): Promise<void> => {
    const store = openStore();
    const pieces = new ErrorCollector();
    const endsMs = store.clock.nowMs() + context.getRemainingTimeInMillis() - eventLimits.workerMarginMs;
    const approve = async (): Promise<void> => {
      const onFault = (learning_id: string, error: unknown) =>
        log("error", "A Learning could not be approved at the end of its delay.", {
          learning_id,
          cause: describeError(error),
        });
      const { approved } = await approveDue(store, onFault, endsMs);
      if (approved > 0) log("info", "Learnings were approved by their deadline.", { approved });
    };
    await Promise.all([pieces.run(approve), pieces.run(() => relistMoved(store, endsMs))]);
    pieces.end();
  },
);
