import { appendFileSync } from "node:fs";

/**
 * Loaded into the service by the load test. Garbage that is not collected yet counts as resident and shows nothing, so
 * this collects it from time to time and records the remaining memory.
 */
const file = process.env.LIVE_MEMORY_FILE;
if (file !== undefined) {
  setInterval(() => {
    globalThis.gc?.();
    const { heapUsed, rss } = process.memoryUsage();
    appendFileSync(file, `${JSON.stringify({ atMs: performance.now(), heapUsed, rss })}\n`);
  }, 5_000).unref();
}
