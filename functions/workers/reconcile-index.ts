import { indexLimits } from "../../lib/contract/limits.ts";
import { indexMetrics } from "../../lib/contract/telemetry.ts";
import { configuredEmbedder } from "../../lib/index/configured-embedder.ts";
import { measureLag } from "../../lib/index/lag.ts";
import { reconcileSome } from "../../lib/index/reconcile.ts";
import { log } from "../../lib/runtime/log.ts";
import { embedMetrics } from "../../lib/runtime/metrics.ts";
import { worker } from "../../lib/runtime/worker.ts";
import { openStore } from "../../lib/store/open.ts";

/** Runs every minute: updates the review index for Learnings whose writer did not update it. */
export const handler = worker("reconcileIndex", async (): Promise<void> => {
  const store = openStore();
  const endMs = store.clock.nowMs() + indexLimits.reconcilerRunMs;
  const report = await reconcileSome({ ...store, embedder: configuredEmbedder() }, endMs);
  // Measured after the run: what the run could not repair is what somebody must look at.
  log(report.failed > 0 ? "error" : "info", "index", {
    ...report,
    index_failures: report.failed,
    ...(await measureLag(store)),
    ...embedMetrics(store.clock, [indexMetrics]),
  });
});
