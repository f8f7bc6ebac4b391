import { rotateCursorKeys } from "../../lib/http/cursor-keys.ts";
import { log } from "../../lib/runtime/log.ts";
import { worker } from "../../lib/runtime/worker.ts";
import { openStore } from "../../lib/store/open.ts";

/** Runs every minute: until the first cursor key exists, every operation with pages answers 503. */
export const handler = worker("rotateCursorKeys", async (): Promise<void> => {
  const outcome = await rotateCursorKeys(openStore());
  if (outcome !== "young") log("info", "cursor keys", { outcome });
});
