import { once } from "node:events";
import { type IncomingHttpHeaders, request } from "node:http";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import { afterEach } from "vitest";
import { type Gateway, type GatewayOptions, startGateway } from "../../../lib/local/gateway.ts";
import type { LambdaHandler } from "../../../lib/local/lambda.ts";
import type { RoutedOperation } from "../../../lib/local/routes.ts";
import { systemClock } from "../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../lib/runtime/random.ts";

/** A gateway with one buffered operation, one streamed one, and a fallback, closed after each test. */
export function useGateway(): (
  handlers: Partial<Record<"buffered" | "streamed" | "fallback", LambdaHandler>>,
  options?: Partial<GatewayOptions>,
) => Promise<string> {
  const open: Gateway[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((gateway) => gateway.close()));
  });
  return async (handlers, options = {}) => {
    const gateway = await startGateway(
      {
        operations,
        fallbackSource: "fallback",
        load: async (source) => {
          const handler = Object.entries(handlers).find(([name]) => name === source)?.[1];
          if (!handler) throw new Error(`The test has no handler for ${source}.`);
          return handler;
        },
        stage: "live",
        binaryMediaTypes: [],
        clock: systemClock,
        random: systemRandom,
        ...options,
      },
      0,
    );
    open.push(gateway);
    return gateway.url;
  };
}

const operations: readonly RoutedOperation[] = [
  { source: "buffered", method: "GET", path: "/v1/things/{thing_id}/parts", streaming: false },
  { source: "buffered", method: "GET", path: "/v1/things/{thing_id}", streaming: false },
  { source: "buffered", method: "GET", path: "/v1/things/special", streaming: false },
  { source: "buffered", method: "POST", path: "/v1/things", streaming: false },
  { source: "streamed", method: "GET", path: "/v1/stream", streaming: true },
];

export type RawAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
};

/** Unlike fetch, this keeps the path, the case of header names and repeated headers unchanged. */
export async function call(
  url: string,
  path: string,
  options: { method?: string; headers?: readonly string[]; body?: string | Buffer } = {},
): Promise<RawAnswer> {
  const { method = "GET", headers = [], body } = options;
  const outgoing = request(url, { method, path, headers: ["Host", new URL(url).host, ...headers] });
  outgoing.end(body);
  const [incoming] = await once(outgoing, "response");
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return {
    status: incoming.statusCode,
    headers: incoming.headers,
    rawHeaders: incoming.rawHeaders,
    body: Buffer.concat(chunks),
  };
}

/** A handler that answers 200 with its event and the visible parts of its context. */
export const mirror: LambdaHandler = async (event: unknown, context: unknown) => ({
  statusCode: 200,
  body: JSON.stringify({ event, context: visible(context) }),
});

const visible = (context: unknown) =>
  typeof context === "object" && context !== null
    ? {
        functionName: Reflect.get(context, "functionName"),
        awsRequestId: Reflect.get(context, "awsRequestId"),
        remainingMs: Reflect.get(context, "getRemainingTimeInMillis").call(context),
      }
    : {};

export type Mirrored = {
  readonly event: APIGatewayProxyEvent;
  readonly context: Pick<Context, "functionName" | "awsRequestId"> & { readonly remainingMs: number };
};

/** `mirror` returns its input, so the type is known. */
export const mirrored = (answer: RawAnswer): Mirrored => JSON.parse(answer.body.toString());
