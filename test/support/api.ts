import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { beforeAll, expect, vi } from "vitest";
import * as z from "zod";
import { type ErrorCode, errorCodes } from "../../lib/contract/errors.ts";
import { errorShapeOf, type Operation } from "../../lib/contract/operation.ts";
import { operations } from "../../lib/contract/operations.ts";
import { binaryMediaTypes } from "../../lib/contract/platform.ts";
import { possibleErrors } from "../../lib/contract/possible-errors.ts";
import { createCursorKeys } from "../../lib/http/cursor-keys.ts";
import { useFallbackEmbedder } from "../../lib/index/configured-embedder.ts";
import { localEmbedder } from "../../lib/index/local-embedder.ts";
import {
  installLambdaRuntime,
  invokeBuffered,
  invokeStreaming,
  type LambdaHandler,
} from "../../lib/local/lambda.ts";
import { httpAnswer, streamHead } from "../../lib/local/rest-answer.ts";
import { createRouter } from "../../lib/local/routes.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { type TestStore, useStore } from "./engine.ts";
import { gatewayEvent } from "./gateway-event.ts";
import { asFunction, guardStores } from "./granted-table.ts";
import { vectorsOf } from "./vectors.ts";

export type Answer = {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decompressed. */
  readonly body: Buffer;
  /** Undefined when the body is not JSON. */
  readonly json: unknown;
  /** The codes of an error answer, in order. */
  readonly codes: readonly ErrorCode[];
  /** The first message of an error answer. */
  readonly message: string;
};

export type CallOptions = {
  readonly method?: string;
  /** The key's text; without it no key is sent. */
  readonly key?: string;
  /** Name, value, name, value, sent as they are. */
  readonly rawHeaders?: readonly string[];
  /** An object is sent as JSON, a string or bytes unchanged. */
  readonly body?: object | string;
  /** What Lambda says is left; as on AWS by default. */
  readonly timeoutMs?: number;
};

export type Api = {
  readonly store: () => TestStore;
  /** Calls the deployed handler like API Gateway; checks the answer against the contract. */
  call(target: string, options?: CallOptions): Promise<Answer>;
};

/** The Lambda handlers on their own engine and table, configured by the environment as on AWS. */
export function useApi(): Api {
  const store = useStore();
  beforeAll(async () => {
    await createCursorKeys({ table: store().table, clock: systemClock, random: systemRandom });
    process.env.TABLE_NAME = store().tableName;
    process.env.DYNAMODB_ENDPOINT = store().endpoint;
    process.env.WEBHOOKS_TO_LOOPBACK = "true";
    process.env.LOG_LEVEL ??= "silent";
    installLambdaRuntime();
    useFallbackEmbedder(localEmbedder);
    // Handlers are imported later: where the engine has no vector index, an exact search takes its place.
    if (!store().vectorIndex)
      vi.doMock("../../lib/store/vectors.ts", () => ({ createVectorSearch: () => vectorsOf(store()) }));
  });
  return { store, call };
}

const route = createRouter(operations);

async function call(target: string, options: CallOptions = {}): Promise<Answer> {
  const { key, rawHeaders = [], body, timeoutMs = 29_000 } = options;
  const { method = body === undefined ? "GET" : "POST" } = options;
  const json = typeof body === "object" && !Buffer.isBuffer(body) ? JSON.stringify(body) : body;
  const headers = [
    ...(key === undefined ? [] : ["x-service-api-key", key]),
    ...(json === undefined || rawHeaders.some((name) => /^content-type$/i.test(name))
      ? []
      : ["content-type", "application/json"]),
    ...rawHeaders,
  ];
  const match = route(method, target.split("?", 1)[0] ?? "/");
  const sent = Buffer.isBuffer(json) ? json : Buffer.from(json ?? "");
  const event = gatewayEvent({
    method,
    target,
    rawHeaders: headers,
    body: sent,
    ...match,
    binaryMediaTypes,
  });
  const invocation = { functionName: "test", timeoutMs, clock: systemClock, random: systemRandom };
  const handler = await load(match.operation?.source ?? "fallback");
  const invoke = async () =>
    match.operation?.streaming
      ? await streamed(handler, event, invocation)
      : httpAnswer(await invokeBuffered(handler, event, invocation), "*/*", binaryMediaTypes);
  const operation = operations.find(
    (each) => each.source === match.operation?.source && each.method === method,
  );
  const raw = await (operation ? asFunction(operation.id, invoke) : invoke());
  const answer = toAnswer(raw);
  checkAnswer(operation, target, answer);
  return answer;
}

const handlerModule = z.object({ handler: z.custom<LambdaHandler>((value) => typeof value === "function") });

/** Imported once: the runner resolves a module again at every import, which takes longer than the call itself. */
const loaded = new Map<string, LambdaHandler>();

async function load(source: string): Promise<LambdaHandler> {
  const known = loaded.get(source);
  if (known) return known;
  const { handler } = handlerModule.parse(
    await import(/* @vite-ignore */ new URL(`../../functions/${source}.ts`, import.meta.url).href),
  );
  await guardStores();
  loaded.set(source, handler);
  return handler;
}

async function streamed(...invocation: Parameters<typeof invokeStreaming>) {
  const { bytes, finished } = invokeStreaming(...invocation);
  const chunks: Buffer[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  await finished;
  const all = Buffer.concat(chunks);
  const end = all.indexOf(Buffer.alloc(8));
  return { ...streamHead(all.toString("utf8", 0, end)), body: all.subarray(end + 8) };
}

const errorBody = z.strictObject({ code: z.string(), message: z.string().min(1) });
const errorBodies = {
  error: z.strictObject({ error: errorBody }).transform(({ error }) => [error]),
  errors: z.strictObject({ errors: z.array(errorBody).min(1) }).transform(({ errors }) => errors),
};

function toAnswer(raw: ReturnType<typeof httpAnswer>): Answer {
  const headers = Object.fromEntries(raw.headers.map(([name, value]) => [name.toLowerCase(), value]));
  const body = decompressed(raw.body, headers["content-encoding"]);
  const isJson = headers["content-type"] === "application/json" && body.length > 0;
  const json: unknown = isJson ? JSON.parse(body.toString()) : undefined;
  const errors =
    raw.status >= 400 ? z.union([errorBodies.error, errorBodies.errors]).safeParse(json).data : undefined;
  const isCode = (code: string): code is ErrorCode => Object.hasOwn(errorCodes, code);
  return {
    status: raw.status,
    headers,
    body,
    json,
    codes: (errors ?? []).map(({ code }) => code).filter(isCode),
    message: errors?.[0]?.message ?? "",
  };
}

function decompressed(body: Buffer, coding: string | undefined): Buffer {
  if (coding === "gzip") return gunzipSync(body);
  return coding === "br" ? brotliDecompressSync(body) : body;
}

const rateLimitHeaderNames = [
  "ratelimit-policy",
  "ratelimit",
  "x-ratelimit-limit",
  "x-ratelimit-remaining",
  "x-ratelimit-reset",
];

/**
 * Checked in every test: documented status, the schema of the answer, the shape of errors, the common headers, and
 * that the answer has every header about the rate limit or none.
 */
function checkAnswer(operation: Operation | undefined, target: string, answer: Answer): void {
  const { status, headers, json } = answer;
  expect(headers).toMatchObject({
    "x-request-id": expect.stringMatching(/^[A-Za-z0-9_-]{1,128}$/),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "strict-transport-security": expect.stringContaining("max-age="),
  });
  expect([0, rateLimitHeaderNames.length]).toContain(
    rateLimitHeaderNames.filter((name) => name in headers).length,
  );
  if (status >= 400) {
    const shape = errorBodies[errorShapeOf(target.split("?", 1)[0] ?? "")];
    if (answer.body.length === 0) return;
    const possible: readonly string[] = operation
      ? possibleErrors(operation)
      : ["NOT_FOUND", "METHOD_NOT_ALLOWED"];
    for (const { code } of shape.parse(json)) expect(possible).toContain(code);
    for (const { code } of shape.parse(json))
      expect(errorCodes).toHaveProperty(code, expect.objectContaining({ status }));
    expect(headers.link).toContain(`/docs/errors/${answer.codes[0]}>; rel="help"`);
    if (status === 429 || status === 503) expect(headers["retry-after"]).toMatch(/^[1-9][0-9]*$/);
    return;
  }
  if (!operation && status === 204) return;
  if (!operation) throw new Error(`${target} is no operation and yet answered ${status}.`);
  expect(status).toBe(operation.answer.status);
  const { error } = (json !== undefined && operation.answer.schema?.safeParse(json)) || {};
  if (error)
    throw new Error(
      `${operation.id} answers what its answer.schema in lib/contract does not have:\n${z.prettifyError(error)}`,
    );
}
