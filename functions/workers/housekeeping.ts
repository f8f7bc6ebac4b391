import { noteKeys } from "../../lib/access/key-notes.ts";
import { ErrorCollector } from "../../lib/runtime/error-collector.ts";
import { log } from "../../lib/runtime/log.ts";
import { worker } from "../../lib/runtime/worker.ts";
import { openStore } from "../../lib/store/open.ts";
import { sweepSome } from "../../lib/stream/sweep-some.ts";

/** Runs once a day: work that nobody waits for, but that must not pile up. */
export const handler = worker("housekeeping", async (): Promise<void> => {
  const store = openStore();
  const pieces = new ErrorCollector();
  const { dropped } = await sweepSome(store, pieces);
  await pieces.run(async () => log("info", "housekeeping", { keys_noted: await noteKeys(store) }));
  log("info", "housekeeping", { parts_dropped: dropped });
  pieces.end();
});
