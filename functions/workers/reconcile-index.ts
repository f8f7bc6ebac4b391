import { configuredEmbedder } from "../../lib/index/configured-embedder.ts";
import { reconcileSome } from "../../lib/index/reconcile.ts";
import { log } from "../../lib/runtime/log.ts";
import { openStore } from "../../lib/store/open.ts";

/** Behind the clock, every minute: lets the review index follow the Learnings where a writer did not. */
export async function handler(): Promise<void> {
  const report = await reconcileSome({ ...openStore(), embedder: configuredEmbedder() });
  if (report.failed > 0) log("error", "The review index could not follow some Learnings.", report);
  else if (report.looked_at > 0) log("info", "The review index was looked through.", report);
}
