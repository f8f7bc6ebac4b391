import { rotateCursorKeys } from "../../lib/http/cursor-keys.ts";
import { log } from "../../lib/runtime/log.ts";
import { worker } from "../../lib/runtime/worker.ts";
import { organizationDirectoryPartition } from "../../lib/store/layout.ts";
import { openStore } from "../../lib/store/open.ts";
import { queryAll } from "../../lib/store/table.ts";
import { sweepParts } from "../../lib/stream/sweep.ts";

/** Behind the clock, once a day: what nobody waits for, but what must not pile up. */
export const handler = worker("housekeeping", async (): Promise<void> => {
  const store = openStore();
  const cursorKeys = await rotateCursorKeys(store);
  let partsDropped = 0;
  for await (const row of queryAll(store.table, { pk: organizationDirectoryPartition })) {
    partsDropped += (await sweepParts(store, String(row.uuid))).dropped;
  }
  log("info", "housekeeping", { cursor_keys: cursorKeys, parts_dropped: partsDropped });
});
