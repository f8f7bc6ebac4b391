import { Readable } from "node:stream";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { awsLimits } from "../contract/limits.ts";
import { AwsConnections } from "./aws-connections.ts";
import { NoAnswer } from "./aws-error.ts";
import { type Clock, systemClock } from "./clock.ts";

export type RequestHandlerOptions = {
  /** The time limit for the whole answer, including its last byte. */
  readonly answerMsMax: number;
  /** The time limit on a connection that was idle for a while; the limit of AWS's services unless given. */
  readonly reusedAnswerMsMax?: number;
  /** The client accepts the body of an answer only as a stream (S3). */
  readonly streamed?: boolean;
};

/** The part of a handler through which a client of the AWS SDK sends its signed requests. */
export type AwsRequestHandler = Pick<
  NodeHttpHandler,
  "handle" | "destroy" | "metadata" | "updateHttpClientConfig" | "httpHandlerConfigs"
>;

/**
 * The SDK's handler for Node, with connections that survive a freeze and a time limit for the whole answer: the SDK's
 * own limit ends at the headers. Throws NoAnswer if no complete answer came.
 */
export function createRequestHandler(
  { answerMsMax, reusedAnswerMsMax, streamed = false }: RequestHandlerOptions,
  clock: Clock = systemClock,
): AwsRequestHandler {
  const connections = new AwsConnections(clock, reusedAnswerMsMax);
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
    // Creates the error only if needed: it costs a stack trace, and most answers end well.
    if (!body.readableEnded) reject(new Error("The answer broke off."));
  });
  return promise;
}
