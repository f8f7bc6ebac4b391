import { log } from "../../lib/runtime/log.ts";
import { worker } from "../../lib/runtime/worker.ts";
import { openStore } from "../../lib/store/open.ts";
import { systemNetwork } from "../../lib/webhooks/addresses.ts";
import { ringWebhooks } from "../../lib/webhooks/ring.ts";

/** Of this process: a new one begins at the start. */
const places = new Map<number, string>();

/** Runs every minute: tells webhooks what is new. */
export const handler = worker("ringWebhooks", async (): Promise<void> => {
  const report = await ringWebhooks({ ...openStore(), network: systemNetwork(), places });
  if (Object.values(report).some((count) => count > 0)) log("info", "webhooks", { ...report });
});
