/**
 * One function in its own process, as on Lambda: the memory that the largest answer takes above the idle function's,
 * and its time compared with only rendering and compressing the same data.
 */
import { gunzipSync, gzipSync } from "node:zlib";
import * as z from "zod";
import { installLambdaRuntime, invokeStreaming } from "../../../../lib/local/lambda.ts";
import { systemClock } from "../../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../../lib/runtime/random.ts";
import { peakMemoryBytes } from "../../../support/peak-memory.ts";
import { argumentOf, report } from "../frame/child.ts";
import { eventText, loadHandler } from "../frame/invoke.ts";
import { largestArgument } from "./report.ts";

const { bundle, target, smallTarget, key, rounds } = argumentOf(largestArgument);
installLambdaRuntime();
const handler = await loadHandler(bundle);

async function answer(asked: string, keep: boolean): Promise<Buffer> {
  const event: unknown = JSON.parse(eventText(asked, ["x-service-api-key", key, "accept-encoding", "gzip"]));
  const invocation = { functionName: "bench", timeoutMs: 240_000, clock: systemClock, random: systemRandom };
  const { bytes, finished } = invokeStreaming(handler, event, invocation);
  const chunks: Buffer[] = [];
  // Sent data is dropped: only the first answer is kept, for comparison.
  for await (const chunk of bytes) if (keep) chunks.push(chunk);
  await finished;
  return Buffer.concat(chunks);
}

async function milliseconds(work: () => unknown): Promise<number> {
  globalThis.gc?.();
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

// Warm, and without leftovers of the warm-up.
await answer(smallTarget, false);
globalThis.gc?.();
const idle = process.memoryUsage();
let heapPeak = idle.heapUsed + idle.external;
const sampler = setInterval(() => {
  const { heapUsed, external } = process.memoryUsage();
  heapPeak = Math.max(heapPeak, heapUsed + external);
}, 2);
await answer(target, false);
clearInterval(sampler);
const peakBytes = peakMemoryBytes();

const sent = await answer(target, true);
const body = gunzipSync(sent.subarray(sent.indexOf(Buffer.alloc(8)) + 8));
const data: unknown = JSON.parse(body.toString());
const times = [];
for (let round = 0; round < rounds; round++) {
  times.push({
    oursMs: await milliseconds(() => answer(target, false)),
    bareMs: await milliseconds(() => gzipSync(JSON.stringify(data), { level: 1 })),
  });
}
await report({
  answerBytes: body.length,
  pullRequests: z.object({ data: z.array(z.unknown()) }).parse(data).data.length,
  idleBytes: idle.rss,
  peakBytes,
  heapBytes: heapPeak - idle.heapUsed - idle.external,
  times,
});
