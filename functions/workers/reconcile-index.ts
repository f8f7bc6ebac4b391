import { indexMetrics } from "../../lib/contract/telemetry.ts";
import { configuredEmbedder } from "../../lib/index/configured-embedder.ts";
import { measureLag } from "../../lib/index/lag.ts";
import { reconcileSome } from "../../lib/index/reconcile.ts";
import { log } from "../../lib/runtime/log.ts";
import { embedMetrics } from "../../lib/runtime/metrics.ts";
import { worker } from "../../lib/runtime/worker.ts";
import { openStore } from "../../lib/store/open.ts";

/** Behind the clock, every minute: lets the review index follow the Learnings where a writer did not. */
export const handler = worker("reconcileIndex", async (): Promise<void> => {
  const store = openStore();
  const report = await reconcileSome({ ...store, embedder: configuredEmbedder() });
  // Measured when the run is over: what it could not mend is what somebody must look at.
  log(report.failed > 0 ? "error" : "info", "index", {
    ...report,
    index_failures: report.failed,
    ...(await measureLag(store)),
    ...embedMetrics(store.clock, [indexMetrics]),
  });
});
