import { pathToFileURL } from "node:url";
import * as z from "zod";
import { operations } from "../../../../lib/contract/operations.ts";
import { binaryMediaTypes } from "../../../../lib/contract/platform.ts";
import { invokeStreaming, type LambdaHandler, lambdaContext } from "../../../../lib/local/lambda.ts";
import { restEvent } from "../../../../lib/local/rest-event.ts";
import { createRouter } from "../../../../lib/local/routes.ts";
import { systemClock } from "../../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../../lib/runtime/random.ts";
import type { BufferedAnswer } from "./messages.ts";

const runtime = { clock: systemClock, random: systemRandom };
const route = createRouter(operations);

/** The event that Lambda passes to the runtime for this request to API Gateway. */
export function eventText(target: string, rawHeaders: readonly string[]): string {
  const request = {
    method: "GET",
    target,
    rawHeaders: ["accept", "application/json", "user-agent", "review-api-bench/1.0", ...rawHeaders],
    body: Buffer.alloc(0),
    sourceAddress: "203.0.113.7",
    port: 443,
  };
  const match = route(request.method, target.split("?", 1)[0] ?? "/");
  return JSON.stringify(restEvent(request, match, { ...runtime, stage: "live", binaryMediaTypes }));
}

const handlerModule = z.object({ handler: z.custom<LambdaHandler>((value) => typeof value === "function") });
const context = { functionName: "bench", timeoutMs: 28_000, ...runtime };

export const loadHandler = async (file: string): Promise<LambdaHandler> =>
  handlerModule.parse(await import(pathToFileURL(file).href)).handler;

/**
 * One request as the runtime makes it: the event is parsed again, with its own context. Returns how the body begins:
 * making a text of the whole would be work of nobody's.
 */
export async function invoke(handler: LambdaHandler, event: string, isStreaming: boolean): Promise<string> {
  if (!isStreaming) return (await invokeForResult(handler, event)).body;
  const chunks = await streamed(handler, event);
  const beginning = Buffer.concat(chunks.slice(0, 2).map((chunk) => chunk.subarray(0, 4_000)));
  const body = beginning.indexOf(Buffer.alloc(8)) + 8;
  return beginning.toString("utf8", body, body + 200);
}

async function streamed(handler: LambdaHandler, event: string): Promise<Buffer[]> {
  const { bytes, finished } = invokeStreaming(handler, JSON.parse(event), context);
  const chunks: Buffer[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  await finished;
  return chunks;
}

/** The records of a streamed list, without its cursor. */
export async function dataOf(handler: LambdaHandler, event: string): Promise<string> {
  const text = Buffer.concat(await streamed(handler, event)).toString();
  return text.slice(text.indexOf('{"data":['), text.lastIndexOf(',"next_cursor"'));
}

export async function invokeForResult(handler: LambdaHandler, event: string): Promise<BufferedAnswer> {
  const run = handler as (event: unknown, context: unknown) => Promise<unknown>;
  // Not parsed: that work would not belong to any contestant.
  return (await run(JSON.parse(event), lambdaContext(context))) as BufferedAnswer;
}
