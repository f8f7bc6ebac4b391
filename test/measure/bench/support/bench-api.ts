import { operations } from "../../../../lib/contract/operations.ts";
import { binaryMediaTypes, environmentVariables } from "../../../../lib/contract/platform.ts";
import { createCursorKeys } from "../../../../lib/http/cursor-keys.ts";
import { useFallbackEmbedder } from "../../../../lib/index/configured-embedder.ts";
import { localEmbedder } from "../../../../lib/index/local-embedder.ts";
import { type Engine, engineClient } from "../../../../lib/local/engine/engine.ts";
import { loadFunction } from "../../../../lib/local/functions.ts";
import { installLambdaRuntime, invokeBuffered, invokeStreaming } from "../../../../lib/local/lambda.ts";
import { type HttpAnswer, httpAnswer, streamHead } from "../../../../lib/local/rest-answer.ts";
import { createRouter } from "../../../../lib/local/routes.ts";
import { systemClock } from "../../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../../lib/runtime/random.ts";
import type { StoreClient } from "../../../../lib/store/client.ts";
import { createTable } from "../../../../lib/store/create-table.ts";
import { createDynamoTable, type MeteredTable } from "../../../../lib/store/dynamo.ts";
import type { StoreMeter } from "../../../../lib/store/meter.ts";
import { gatewayEvent } from "../../../support/gateway-event.ts";
import { startCountedEngine } from "./counted-engine.ts";
import { metered } from "./meters.ts";

export type BenchRequest = {
  readonly method?: string;
  readonly target: string;
  readonly key: string;
  readonly body?: object;
  /** In the encoding that most clients accept. */
  readonly compressed?: boolean;
};

export type BenchAnswer = {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  readonly ms: number;
};

/** The real handlers on their own engine, configured by the environment as on AWS: one per process. */
export type BenchApi = {
  readonly engine: Engine;
  readonly client: StoreClient;
  readonly table: MeteredTable;
  call(request: BenchRequest): Promise<BenchAnswer>;
  /** The same, and its cost; any answer except a success is an error. */
  count(request: BenchRequest): Promise<BenchAnswer & { readonly meter: StoreMeter }>;
  close(): Promise<void>;
};

export const benchTableName = "bench";
const route = createRouter(operations);

export type BenchApiOptions = {
  /** The engine's data; in memory if left out. */
  readonly databaseFile?: string;
  /** Between the handlers and the engine. */
  readonly between?: (engine: string) => Promise<{ readonly endpoint: string; close(): void }>;
};

export async function openBenchApi({ databaseFile, between }: BenchApiOptions = {}): Promise<BenchApi> {
  const engine = await startCountedEngine(databaseFile === undefined ? {} : { dataPath: databaseFile });
  const middle = await between?.(engine.endpoint);
  const client = engineClient(engine.endpoint);
  await createTable(client, benchTableName, engine.kind);
  const table = createDynamoTable({
    client,
    tableName: benchTableName,
    clock: systemClock,
    random: systemRandom,
  });
  await createCursorKeys({ table, clock: systemClock, random: systemRandom });
  process.env[environmentVariables.tableName] = benchTableName;
  process.env.DYNAMODB_ENDPOINT = middle?.endpoint ?? engine.endpoint;
  process.env[environmentVariables.webhooksToLoopback] = "true";
  process.env.LOG_LEVEL ??= "silent";
  installLambdaRuntime();
  useFallbackEmbedder(localEmbedder);
  return {
    engine,
    client,
    table,
    call: callHandler,
    count: async (request) => {
      const { answer, meter } = await metered(() => callHandler(request));
      if (answer.status >= 300 && answer.status !== 401)
        throw new Error(
          `${request.target} answered ${answer.status}: ${answer.body.toString().slice(0, 500)}`,
        );
      return { ...answer, meter };
    },
    close: async () => {
      client.destroy();
      middle?.close();
      await engine.stop();
    },
  };
}

async function callHandler({ target, key, body, method, compressed }: BenchRequest): Promise<BenchAnswer> {
  const verb = method ?? (body === undefined ? "GET" : "POST");
  const match = route(verb, target.split("?", 1)[0] ?? "/");
  const json = body === undefined ? [] : ["content-type", "application/json"];
  const event = gatewayEvent({
    method: verb,
    target,
    rawHeaders: ["x-service-api-key", key, ...json, ...(compressed ? ["accept-encoding", "gzip"] : [])],
    body: Buffer.from(body === undefined ? "" : JSON.stringify(body)),
    ...match,
    binaryMediaTypes,
  });
  const invocation = { functionName: "bench", timeoutMs: 29_000, clock: systemClock, random: systemRandom };
  const handler = await loadFunction(match.operation?.source ?? "fallback");
  const startedAt = performance.now();
  if (!match.operation?.streaming) {
    const answer = httpAnswer(await invokeBuffered(handler, event, invocation), "*/*", binaryMediaTypes);
    const ms = performance.now() - startedAt;
    return { status: answer.status, headers: byName(answer.headers), body: answer.body, ms };
  }
  const { bytes, finished } = invokeStreaming(handler, event, invocation);
  const chunks: Buffer[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  await finished;
  const ms = performance.now() - startedAt;
  const all = Buffer.concat(chunks);
  const end = all.indexOf(Buffer.alloc(8));
  const { status, headers } = streamHead(all.toString("utf8", 0, end));
  return { status, headers: byName(headers), body: all.subarray(end + 8), ms };
}

const byName = (headers: HttpAnswer["headers"]): ReadonlyMap<string, string> =>
  new Map(headers.map(([name, value]) => [name.toLowerCase(), value]));
