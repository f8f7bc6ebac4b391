import { eventMetrics } from "../../lib/contract/telemetry.ts";
import { workerDependencies } from "../../lib/events/dependencies.ts";
import { expireWaiting } from "../../lib/events/expire.ts";
import { EventTally } from "../../lib/events/tally.ts";
import { log } from "../../lib/runtime/log.ts";
import { embedMetrics } from "../../lib/runtime/metrics.ts";
import { worker } from "../../lib/runtime/worker.ts";

/** Runs on a schedule: expires events that waited too long for what they need. */
export const handler = worker("expireWaiting", async (): Promise<void> => {
  const deps = workerDependencies();
  const tally = new EventTally();
  try {
    await expireWaiting({ ...deps, onOutcome: tally.onOutcome });
  } finally {
    // Reports the work also if a part of it failed.
    log("info", "events", { ...tally.fields(0), ...embedMetrics(deps.clock, [eventMetrics]) });
  }
});
