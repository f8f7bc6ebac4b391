import { rotateCursorKeys } from "../../lib/http/cursor-keys.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { answerDeployment } from "../../lib/runtime/custom-resource.ts";
import { log } from "../../lib/runtime/log.ts";
import { worker } from "../../lib/runtime/worker.ts";
import { openStore } from "../../lib/store/open.ts";

/** A deployment ends when this has run: until the first cursor key exists, every operation with pages answers 503. */
export const handler = worker("rotateCursorKeys", (event?: unknown) =>
  answerDeployment(event, systemClock, async () => {
    const outcome = await rotateCursorKeys(openStore());
    if (outcome !== "young") log("info", "cursor keys", { outcome });
  }),
);
