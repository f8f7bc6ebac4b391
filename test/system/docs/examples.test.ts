import { readdirSync } from "node:fs";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import * as kinds from "../../../lib/contract/items.ts";
import type { Operation } from "../../../lib/contract/operation.ts";
import { type ListedOperation, operationOf, operations } from "../../../lib/contract/operations.ts";
import { possibleErrors } from "../../../lib/contract/possible-errors.ts";
import { recordingsFolder } from "../../../lib/generate/examples.ts";
import { createCursorKeys } from "../../../lib/http/cursor-keys.ts";
import { openApiDocument } from "../../../lib/openapi/document.ts";
import { asNode } from "../../../lib/openapi/schema-changes.ts";
import type { RecordedExchange } from "../../../lib/reference/examples.ts";
import { systemClock } from "../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../lib/runtime/random.ts";
import { nameServers } from "../../../lib/webhooks/addresses.ts";
import { type Answer, useApi } from "../../support/api.ts";
import { type Injection, useFaultyEngine } from "../../support/faulty-engine.ts";
import { forgetRequests } from "../../support/forget-requests.ts";
import { type Snapshot, snapshotOf } from "../../support/snapshot.ts";
import { World } from "../../support/world.ts";
import { DeterministicRuntime } from "./recording/deterministic-runtime.ts";
import { type Refusal, refusals } from "./recording/refusals.ts";
import { type ExampleRequest, requestsOf } from "./recording/requests.ts";
import { buildExampleWorld, type ExampleWorld } from "./recording/world.ts";

const api = useApi();
const engine = useFaultyEngine(() => api.store().endpoint);
let steady: DeterministicRuntime;
let world: ExampleWorld;
let snapshot: Snapshot;
beforeAll(async () => {
  process.env.DYNAMODB_ENDPOINT = engine.endpoint();
  steady = new DeterministicRuntime();
  // A public address of the receiver in the examples; nothing is sent there.
  vi.spyOn(nameServers, "addressesOf").mockResolvedValue(["93.184.215.14"]);
  const { table } = api.store();
  await table.write({ delete: kinds.cursorKeys.key() });
  await createCursorKeys({ table, clock: systemClock, random: systemRandom });
  world = await buildExampleWorld(new World(() => api.store().table), steady);
  snapshot = await snapshotOf(table);
  inject();
});
afterAll(() => steady.end());

/**
 * Every recording begins at the same moment, in the same world, in a function that remembers nothing: so an added one
 * changes no other. Hours after the last write of the world, because a resume cursor never passes a recent one.
 */
async function beginRecording(name: string): Promise<void> {
  await snapshot.restore();
  forgetRequests();
  steady.beginAt(name, "2026-06-15T12:00:00.000Z");
}

const inject = (fault?: Injection): void =>
  engine.inject((call) => {
    snapshot.note(call);
    return fault?.(call);
  });

/** The same id on every request: otherwise messages that name it would change with every recording. */
const requestId = "5f0c6f6e-6f5f-4f0e-9a53-6a2f3a1d9c11";

async function send(operation: Operation, request: ExampleRequest, refusal: Refusal = {}): Promise<Answer> {
  const { path, query, body, key, contentType } = { ...request, ...refusal };
  const filled = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => path?.[name] ?? "");
  const search = new URLSearchParams(
    Object.entries(query ?? {}).flatMap(([name, value]) => [value].flat().map((each) => [name, each])),
  );
  return await api.call(search.size > 0 ? `${filled}?${search}` : filled, {
    method: operation.method,
    ...(key && { key: world.keys[key] }),
    ...(body !== undefined && { body: typeof body === "string" ? body : Object(body) }),
    rawHeaders: ["x-request-id", requestId, ...(contentType ? ["content-type", contentType] : [])],
  });
}

/** A key that is shown only once is not part of an example. */
const contentOf = ({ json, body }: Answer): unknown =>
  json === undefined
    ? body.toString()
    : JSON.parse(
        JSON.stringify(json)
          .replaceAll(/"key":"rk_\w+"/g, '"key":"the new value of the key"')
          .replaceAll(/"secret":"whsec_[^"]+"/g, '"secret":"the secret, shown this one time"'),
      );

/** The parts of a request and its answer that the documentation shows. */
function exchangeOf({ title, path, query, body }: ExampleRequest, answer: Answer): RecordedExchange {
  const contentType = answer.headers["content-type"]?.split(";", 1)[0];
  const isSarif = contentType === "application/sarif+json";
  const content = isSarif ? JSON.parse(answer.body.toString()) : contentOf(answer);
  return {
    title,
    ...(path && { path }),
    ...(query && { query }),
    ...(body !== undefined && { body }),
    answer: {
      status: answer.status,
      ...(contentType !== undefined && answer.body.length > 0 && { contentType, body: content }),
    },
  };
}

const cursorOf = (answer: Answer | undefined): string => {
  const next: unknown = Reflect.get(Object(answer?.json), "next_cursor");
  if (typeof next !== "string") throw new Error("There is no next page to go on with.");
  return next;
};

/** Headers of the transport, and headers that follow from the media type, are not part of the reference. */
const undocumented = new Set(["content-type", "vary", "content-encoding", "content-length"]);

const described = openApiDocument(operations, "0.0.0");

/** One value of every header. These two operations have all of them, so no other operation decides on a value. */
const headers: Record<string, string> = {};
const showsHeaders = new Set(["listReviewMetrics", "listSecurityFindings"]);

/** The reference must name every header of this answer. */
function noteHeaders({ id, path, method }: Operation, answer: Answer): void {
  const responses = asNode(asNode(described.paths[path]?.[method.toLowerCase()]).responses);
  const named = Object.keys(asNode(asNode(responses[answer.status]).headers));
  for (const [name, value] of Object.entries(answer.headers)) {
    if (undocumented.has(name)) continue;
    expect([answer.status, named]).toEqual([answer.status, expect.arrayContaining([name])]);
    if (showsHeaders.has(id)) headers[name] ??= value;
  }
}

async function recordExchanges(
  operation: Operation,
  requests: readonly ExampleRequest[],
): Promise<RecordedExchange[]> {
  const exchanges: RecordedExchange[] = [];
  let last: Answer | undefined;
  for (const { goesOn, isNext = goesOn, showsUse, before: earlier = [], ...request } of requests) {
    const step = `${operation.id} ${request.title}`;
    if (isNext) steady.begin(step, 1_000);
    else await beginRecording(step);
    for (const id of earlier) {
      await sendUsual(operationOf(id));
      steady.begin(`${step} after ${id}`, 1_000);
    }
    if (showsUse) await api.call("/v1/whoami", { key: world.keys[request.key] });
    const whole = goesOn ? { ...request, query: { ...request.query, cursor: cursorOf(last) } } : request;
    last = await send(operation, whole);
    expect([request.title, last.status, last.message]).toEqual([request.title, operation.answer.status, ""]);
    noteHeaders(operation, last);
    exchanges.push(exchangeOf(whole, last));
  }
  return exchanges;
}

async function sendUsual(operation: ListedOperation): Promise<void> {
  const { status, message } = await send(operation, firstRequestOf(operation));
  expect([operation.id, status, message]).toEqual([operation.id, operation.answer.status, ""]);
}

function firstRequestOf(operation: ListedOperation): ExampleRequest {
  const [first] = requestsOf(operation, world);
  if (!first) throw new Error(`${operation.id} has no request.`);
  return first;
}

async function recordErrors(operation: Operation, request: ExampleRequest): Promise<Record<string, unknown>> {
  const errors: Record<string, unknown> = {};
  await beginRecording(`${operation.id} errors`);
  for (const code of possibleErrors(operation)) {
    const refusal = refusals[code]?.({ operation, request, world });
    if (!refusal) throw new Error(`Nobody knows how to be refused with ${code}.`);
    const refused = async (): Promise<Answer> => {
      // Every call starts in a new window of the limiter.
      steady.begin(`${operation.id} ${code}`, 61_000);
      if (refusal.sentBefore) await send(operation, request);
      inject(refusal.fault);
      const restore = refusal.arrange?.();
      return await send(operation, request, refusal).finally(() => {
        restore?.();
        inject();
      });
    };
    let answer = await refused();
    // On a busy machine the store may answer too late, which causes another error than the one wanted here.
    for (let again = 0; again < 3 && answer.codes[0] !== code; again++) answer = await refused();
    expect([code, answer.codes]).toEqual([code, [code]]);
    noteHeaders(operation, answer);
    errors[code] = answer.json;
  }
  return errors;
}

const sorted = (record: object): object =>
  Object.fromEntries(Object.entries(record).toSorted(([one], [other]) => (one < other ? -1 : 1)));
/** The store returns the names of a map in any order. */
const inOrder = (name: string, value: unknown) => (name === "metadata" ? sorted(Object(value)) : value);

const contentOfFile = (recorded: object): string => `${JSON.stringify(recorded, inOrder, 1)}\n`;
const fileOf = (name: string): string => `../../../${recordingsFolder}/${name}.json`;

async function recordingOf(operation: ListedOperation): Promise<string> {
  const exchanges = await recordExchanges(operation, requestsOf(operation, world));
  const errors = await recordErrors(operation, firstRequestOf(operation));
  return contentOfFile({ exchanges, errors });
}

test.each(operations)(
  "$id gives its documented answers and errors, as recorded (npm run generate)",
  async (operation) => {
    await expect(await recordingOf(operation)).toMatchFileSnapshot(fileOf(operation.id));
  },
);

test("a recording does not follow from the recordings before it", async () => {
  const recordAll = async () => {
    const recordings: string[] = [];
    for (const id of ["listReviewMetrics", "listRoles", "listKeys", "listAuditLogs"])
      recordings.push(await recordingOf(operationOf(id)));
    return recordings;
  };
  const before = await recordAll();
  await recordingOf(operationOf("deleteRole"));
  expect(await recordAll()).toEqual(before);
});

test("every header has the recorded value", async () => {
  await expect(contentOfFile(sorted(headers))).toMatchFileSnapshot(fileOf("headers"));
});

// A missing file is found above; a new one is written when this file has ended.
test("there is a recording of no other operation", () => {
  const known = new Set(["headers", ...operations.map(({ id }) => id)].map((name) => `${name}.json`));
  const files = readdirSync(new URL(`../../../${recordingsFolder}`, import.meta.url));
  expect(files.filter((file) => !known.has(file))).toEqual([]);
});
