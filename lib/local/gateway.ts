import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { apiGatewayLimits, lambdaLimits } from "../contract/platform.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Random } from "../runtime/random.ts";
import { portOf } from "./engine/child.ts";
import { type Integration, integrate } from "./integration.ts";
import type { LambdaHandler } from "./lambda.ts";
import { pathOf, type RestRequest, restEvent } from "./rest-event.ts";
import { createRouter, type Match, type RoutedOperation } from "./routes.ts";

/** Why the gateway answers itself, without a function. */
export type GatewayFault = "request_too_large" | "integration_failed" | "integration_timeout";

export type PlainAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
};

export type GatewayOptions = {
  readonly operations: readonly RoutedOperation[];
  /** The function that answers requests that match no operation. */
  readonly fallbackSource: string;
  /** The handler of `functions/<source>.ts`. */
  readonly load: (source: string) => Promise<LambdaHandler>;
  readonly stage: string;
  readonly binaryMediaTypes: readonly string[];
  readonly respondToFault?: (fault: GatewayFault, path: string) => PlainAnswer;
  readonly onFault?: (route: string, error: unknown) => void;
  /** Receives one line for every answer: method, path, status, time. */
  readonly onAnswer?: (line: string) => void;
  readonly clock: Clock;
  readonly random: Random;
};

/**
 * Node's five seconds are too short for programs that call now and then: a request that is sent while its connection is
 * being closed gets no answer, and a change without an answer cannot simply be sent again.
 */
const keepAliveMs = 65_000;
/** Time that a stop gives to running requests. */
const closeMsMax = 3_000;

const requestIdHeader = "x-amzn-requestid";

export type Gateway = { readonly url: string; close(): Promise<void> };

/** A regional REST API on 127.0.0.1: HTTP outside, proxy events and handlers inside. */
export async function startGateway(options: GatewayOptions, port: number): Promise<Gateway> {
  const route = createRouter(options.operations);
  const server = createServer((incoming, response) => {
    // A client may disconnect at any moment; without a listener its reset would end the process.
    response.on("error", () => undefined);
    const startedMs = options.clock.nowMs();
    response.on("finish", () => {
      const took = `${options.clock.nowMs() - startedMs} ms`;
      options.onAnswer?.(`${incoming.method} ${pathOf(incoming.url ?? "/")} ${response.statusCode} ${took}`);
    });
    const match = route(incoming.method ?? "GET", pathOf(incoming.url ?? "/"));
    serve(options, match, incoming, response).catch((error: unknown) => {
      options.onFault?.(`${incoming.method} ${match.resource}`, error);
      response.destroy();
    });
  });
  server.keepAliveTimeout = keepAliveMs;
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${portOf(server)}`, close: () => close(server) };
}

async function serve(
  options: GatewayOptions,
  match: Match,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = pathOf(incoming.url ?? "/");
  const fault = (kind: GatewayFault): void =>
    sendPlain(response, (options.respondToFault ?? plainFault)(kind, path));

  const body = await readBody(incoming);
  if (body === "gone") return;
  if (body === "too_large") return fault("request_too_large");
  const event = restEvent(restRequest(incoming, body), match, options);
  if (Buffer.byteLength(JSON.stringify(event)) > lambdaLimits.eventBytesMax)
    return fault("request_too_large");
  response.setHeader(requestIdHeader, event.requestContext.requestId);

  const patience = new AbortController();
  const timeout = options.clock.sleep(apiGatewayLimits.integrationMsMax, patience.signal).then(
    () => "late" as const,
    () => "answered" as const,
  );
  try {
    const work = integrate(options, integrationOf(match, options.fallbackSource), event, response);
    // A buffered answer after the timeout is ignored: a response was already sent. Streamed ones may take minutes.
    const outcome = await (match.operation?.streaming ? work : Promise.race([work, timeout]));
    if (outcome === "late") fault("integration_timeout");
  } catch (error) {
    options.onFault?.(`${incoming.method} ${match.resource}`, error);
    if (response.headersSent) response.destroy();
    else fault("integration_failed");
  } finally {
    patience.abort();
  }
}

const integrationOf = ({ operation }: Match, fallbackSource: string): Integration =>
  operation
    ? { source: operation.source, kind: operation.streaming ? "streaming" : "operation" }
    : { source: fallbackSource, kind: "fallback" };

const restRequest = (incoming: IncomingMessage, body: Buffer): RestRequest => ({
  method: incoming.method ?? "GET",
  target: incoming.url ?? "/",
  rawHeaders: incoming.rawHeaders,
  body,
  sourceAddress: incoming.socket.remoteAddress ?? "127.0.0.1",
  port: incoming.socket.localPort ?? 0,
});

/** Reads past the limit without keeping the data, so that the client can read the answer. */
async function readBody(incoming: IncomingMessage): Promise<Buffer | "too_large" | "gone"> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of incoming) {
      bytes += chunk.length;
      if (bytes <= apiGatewayLimits.requestBytesMax) chunks.push(chunk);
    }
  } catch {
    return "gone";
  }
  return bytes > apiGatewayLimits.requestBytesMax ? "too_large" : Buffer.concat(chunks);
}

function sendPlain(response: ServerResponse, { status, headers, body }: PlainAnswer): void {
  if (response.headersSent) return;
  // Removes the headers of an answer that turned out to be invalid.
  for (const name of response.getHeaderNames()) if (name !== requestIdHeader) response.removeHeader(name);
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body);
}

const faults = {
  request_too_large: { status: 413, message: "Request Too Long" },
  integration_failed: { status: 502, message: "Internal server error" },
  integration_timeout: { status: 504, message: "Endpoint request timed out" },
} as const satisfies Record<GatewayFault, { status: number; message: string }>;

const plainFault = (fault: GatewayFault): PlainAnswer => ({
  status: faults[fault].status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ message: faults[fault].message }),
});

/** Gives running requests a moment to finish, then ends them: a stop must not hang on a slow client. */
async function close(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeIdleConnections();
  const deadline = setTimeout(() => server.closeAllConnections(), closeMsMax);
  await closed;
  clearTimeout(deadline);
}
