import { Readable } from "node:stream";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { awsLimits } from "../contract/limits.ts";
import { AwsConnections } from "./aws-connections.ts";
import { NoAnswer } from "./aws-fault.ts";
import { type Clock, systemClock } from "./clock.ts";

export type RequestHandlerOptions = {
  /** For the whole answer, its last byte included. */
  readonly answerMsMax: number;
  /** The client takes the body of an answer as a stream and in no other form (S3). */
  readonly streamed?: boolean;
};

/** What a client of AWS's SDK sends its signed requests through. */
export type AwsRequestHandler = Pick<
  NodeHttpHandler,
  "handle" | "destroy" | "metadata" | "updateHttpClientConfig" | "httpHandlerConfigs"
>;

/**
 * The SDK's handler for Node. Its connections survive a freeze, and the time is bounded for the whole answer: by itself
 * it stops watching at the headers. Throws NoAnswer when no whole answer came.
 */
export function createRequestHandler(
  { answerMsMax, streamed = false }: RequestHandlerOptions,
  clock: Clock = systemClock,
): AwsRequestHandler {
  const connections = new AwsConnections(clock);
  const handler = new NodeHttpHandler({
    httpAgent: connections.plain,
    httpsAgent: connections.secure,
    connectionTimeout: awsLimits.connectMsMax,
    requestTimeout: answerMsMax,
    throwOnRequestTimeout: true,
  });
  return {
    async handle(request, options) {
      connections.closeStale();
      const startedMs = performance.now();
      try {
        const { response } = await handler.handle(request, options);
        const leftMs = answerMsMax - (performance.now() - startedMs);
        const bytes = await readWhole(response.body, leftMs);
        response.body = streamed ? Readable.from([bytes], { objectMode: false }) : bytes;
        return { response };
      } catch (error) {
        if (options?.abortSignal?.aborted) throw error;
        throw new NoAnswer(`${request.hostname} did not answer.`, { cause: error });
      }
    },
    destroy: () => connections.destroy(),
    metadata: handler.metadata,
    updateHttpClientConfig: (key, value) => handler.updateHttpClientConfig(key, value),
    httpHandlerConfigs: () => handler.httpHandlerConfigs(),
  };
}

function readWhole(body: Readable, msMax: number): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const overdue = setTimeout(() => body.destroy(new Error("No whole answer in time.")), Math.max(1, msMax));
  const chunks: Buffer[] = [];
  body.on("data", (chunk: Buffer) => chunks.push(chunk));
  body.on("end", () => resolve(Buffer.concat(chunks)));
  body.on("error", reject);
  body.on("close", () => {
    clearTimeout(overdue);
    // An error costs a stack trace, and most answers end well.
    if (!body.readableEnded) reject(new Error("The answer broke off."));
  });
  return promise;
}
