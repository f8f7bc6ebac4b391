import { appendFileSync } from "node:fs";

/**
 * Loaded into the service by the load test. What is not collected yet counts as resident and says nothing, so it is
 * collected now and then, and what is left is written down.
 */
const file = process.env.LIVE_MEMORY_FILE;
if (file !== undefined) {
  setInterval(() => {
    globalThis.gc?.();
    const { heapUsed, rss } = process.memoryUsage();
    appendFileSync(file, `${JSON.stringify({ atMs: performance.now(), heapUsed, rss })}\n`);
  }, 5_000).unref();
}
