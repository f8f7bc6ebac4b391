import { listOldKeys } from "../../lib/access/key-rows.ts";
import { listOldPending } from "../../lib/learnings/approval.ts";
import { ErrorCollector } from "../../lib/runtime/error-collector.ts";
import { log } from "../../lib/runtime/log.ts";
import { worker } from "../../lib/runtime/worker.ts";
import { openStore } from "../../lib/store/open.ts";
import { sweepSome } from "../../lib/stream/sweep-some.ts";

/** Runs once a day: work that nobody waits for, but that must not pile up. */
export const handler = worker("housekeeping", async (): Promise<void> => {
  const store = openStore();
  const pieces = new ErrorCollector();
  const done = { keys_listed: 0, pending_listed: 0, parts_dropped: 0 };
  await pieces.run(async () => {
    done.keys_listed = await listOldKeys(store);
  });
  await pieces.run(async () => {
    done.pending_listed = await listOldPending(store);
  });
  await pieces.run(async () => {
    done.parts_dropped = (await sweepSome(store, pieces)).dropped;
  });
  log("info", "housekeeping", done);
  pieces.end();
});
