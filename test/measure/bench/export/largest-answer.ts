/** One function in its own process, as on Lambda: the memory that the largest answer takes above the idle function's. */
import { readFileSync } from "node:fs";
import { installLambdaRuntime, invokeStreaming } from "../../../../lib/local/lambda.ts";
import { systemClock } from "../../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../../lib/runtime/random.ts";
import { peakMemoryBytes } from "../../../support/peak-memory.ts";
import { argumentOf, report } from "../frame/child.ts";
import { eventText, loadHandler } from "../frame/invoke.ts";
import { itemsSchema, stubHttp } from "../frame/stubbed-http.ts";
import { largestArgument } from "./report.ts";

const { bundle, itemsFile, target, key, coding } = argumentOf(largestArgument);
installLambdaRuntime();
stubHttp(itemsSchema.parse(JSON.parse(readFileSync(itemsFile, "utf8"))));
const handler = await loadHandler(bundle);

/** Sent data is dropped. Returns how many bytes were sent. */
async function answer(asked: string): Promise<number> {
  const headers = ["x-service-api-key", key, "accept-encoding", coding];
  const invocation = { functionName: "bench", timeoutMs: 240_000, clock: systemClock, random: systemRandom };
  const { bytes, finished } = invokeStreaming(handler, JSON.parse(eventText(asked, headers)), invocation);
  let sent = 0;
  for await (const chunk of bytes) sent += chunk.length;
  await finished;
  return sent;
}

// Warm, and without leftovers of the warm-up.
await answer(`${target}&limit=1`);
globalThis.gc?.();
const idleBytes = process.memoryUsage().rss;
const sentBytes = await answer(target);
await report({ idleBytes, peakBytes: peakMemoryBytes(), sentBytes });
