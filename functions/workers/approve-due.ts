import { approveDue } from "../../lib/learnings/approval.ts";
import { relistMoved } from "../../lib/learnings/move-learnings.ts";
import { describeError, log } from "../../lib/runtime/log.ts";
import { worker } from "../../lib/runtime/worker.ts";
import { openStore } from "../../lib/store/open.ts";

/** Runs every minute: approves Learnings whose time is up, and lists those of organizations that moved. */
export const handler = worker("approveDue", async (): Promise<void> => {
  const store = openStore();
  const { approved } = await approveDue(store, (learning_id, error) =>
    log("error", "A Learning could not be approved at the end of its delay.", {
      learning_id,
      cause: describeError(error),
    }),
  );
  if (approved > 0) log("info", "Learnings were approved by their deadline.", { approved });
  await relistMoved(store);
});
