import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { functionSettings, lambdaLimits } from "../contract/platform.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Random } from "../runtime/random.ts";
import { invokeBuffered, invokeStreaming, type LambdaHandler, type StreamedInvocation } from "./lambda.ts";
import { httpAnswer, MalformedAnswer, streamHead } from "./rest-answer.ts";

export type IntegrationOptions = {
  readonly load: (source: string) => Promise<LambdaHandler>;
  readonly binaryMediaTypes: readonly string[];
  readonly clock: Clock;
  readonly random: Random;
};

export type Integration = {
  readonly source: string;
  readonly kind: "operation" | "streaming" | "fallback";
};

const preludeEnd = Buffer.alloc(8);

/** Invokes the function and sends its answer. Throws if API Gateway would answer 502. */
export async function integrate(
  options: IntegrationOptions,
  { source, kind }: Integration,
  event: APIGatewayProxyEvent,
  response: ServerResponse,
): Promise<void> {
  const { clock, random } = options;
  const invocation = {
    functionName: source.replaceAll("/", "-"),
    timeoutMs: functionSettings[kind].timeoutSeconds * 1000,
    clock,
    random,
  };
  const handler = await options.load(source);
  if (kind === "streaming") return sendStream(response, invokeStreaming(handler, event, invocation));
  const { status, headers, body } = httpAnswer(
    await invokeBuffered(handler, event, invocation),
    acceptOf(event),
    options.binaryMediaTypes,
  );
  if (response.headersSent) return;
  for (const [name, value] of headers) response.appendHeader(name, value);
  response.setHeader("content-length", body.length);
  response.writeHead(status).end(body);
}

function acceptOf({ headers }: APIGatewayProxyEvent): string {
  const accept = Object.entries(headers).find(([name]) => name.toLowerCase() === "accept");
  return accept?.[1] ?? "*/*";
}

/** The prelude sets status and headers; everything after it is passed on as bytes, never as text. */
async function sendStream(response: ServerResponse, { bytes, finished }: StreamedInvocation): Promise<void> {
  let prelude: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of untilFailure(bytes, finished)) {
    if (prelude === undefined) {
      await pass(response, chunk);
      continue;
    }
    prelude = Buffer.concat([prelude, chunk]);
    const end = prelude.indexOf(preludeEnd);
    if ((end < 0 ? prelude.length : end) > lambdaLimits.preludeBytesMax)
      throw new MalformedAnswer(
        `The stream's prelude does not end within ${lambdaLimits.preludeBytesMax} bytes.`,
      );
    if (end < 0) continue;
    const { status, headers } = streamHead(prelude.toString("utf8", 0, end));
    for (const [name, value] of headers) response.appendHeader(name, value);
    response.writeHead(status);
    response.flushHeaders();
    const rest = prelude.subarray(end + preludeEnd.length);
    prelude = undefined;
    await pass(response, rest);
  }
  await finished;
  if (prelude !== undefined) throw new MalformedAnswer("The stream began without a prelude.");
  response.end();
}

/** A handler that fails aborts its stream; the handler's error says more than the stream's. */
async function* untilFailure(bytes: AsyncIterable<Buffer>, finished: Promise<void>): AsyncGenerator<Buffer> {
  try {
    yield* bytes;
  } catch (error) {
    await finished;
    throw error;
  }
}

/** Sends nothing to a client that has disconnected; the handler still runs to its end, as on Lambda. */
async function pass(response: ServerResponse, chunk: Buffer): Promise<void> {
  if (chunk.length === 0 || response.destroyed) return;
  if (response.write(chunk)) return;
  const left = new AbortController();
  const { signal } = left;
  await Promise.race([once(response, "drain", { signal }), once(response, "close", { signal })]).catch(
    () => undefined,
  );
  left.abort();
}
