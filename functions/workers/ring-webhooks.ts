import { webhookMetrics } from "../../lib/contract/telemetry.ts";
import { log } from "../../lib/runtime/log.ts";
import { embedMetrics } from "../../lib/runtime/metrics.ts";
import { worker } from "../../lib/runtime/worker.ts";
import { openStore } from "../../lib/store/open.ts";
import { systemNetwork } from "../../lib/webhooks/addresses.ts";
import { emptyReport, ringWebhooks } from "../../lib/webhooks/ring.ts";

/** Of this process: a new one begins at the start. */
const places = new Map<number, string>();

/** Runs every minute: tells webhooks what is new. */
export const handler = worker("ringWebhooks", async (): Promise<void> => {
  const store = openStore();
  const report = emptyReport();
  try {
    await ringWebhooks({ ...store, network: systemNetwork(), places }, report);
  } finally {
    // Also if a part of the run failed: the others did their work.
    const { delivered, failed, disabled, postponed, unread } = report;
    if (Object.values(report).some((count) => count > 0))
      log("info", "webhooks", {
        rings_delivered: delivered,
        rings_failed: failed,
        rings_postponed: postponed,
        webhooks_unread: unread,
        webhooks_disabled: disabled,
        ...embedMetrics(store.clock, [webhookMetrics]),
      });
  }
});
