import { Readable } from "node:stream";
import { afterEach, describe, expect, test, vi } from "vitest";
import { gatedTable } from "../../lib/access/admission.ts";
import { auditRefusal, RefusalMemory } from "../../lib/access/refusals.ts";
import { onlyOrganization } from "../../lib/access/scope.ts";
import { ApiError } from "../../lib/contract/api-error.ts";
import { cacheLimits } from "../../lib/contract/limits.ts";
import type { Operation } from "../../lib/contract/operation.ts";
import { listOrganizations } from "../../lib/contract/operations/organizations.ts";
import { deprecationHeaders, headerValues, requestIdOf, sourceIpOf } from "../../lib/http/headers.ts";
import type { RequestRecord } from "../../lib/http/request-record.ts";
import { succeed } from "../../lib/http/respond.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { keyItem, principalOf } from "../access/principals.ts";
import { gatewayEvent } from "../support/gateway-event.ts";
import { tableWith } from "../support/partial-table.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const eventWith = (...rawHeaders: string[]) => gatewayEvent({ target: "/v1/organizations", rawHeaders });

/** Only the fields that an answer is made of. */
const recordOf = (
  change: Partial<RequestRecord> = {},
  operation: Operation = listOrganizations,
): RequestRecord => ({ operation, event: eventWith(), requestId: "r1", ...change }) as RequestRecord;

describe("a buffered answer", () => {
  test("a buffered answer of 6 MB and more is refused with advice; a streamed one is sent", async () => {
    const json = { text: "x".repeat(6 * 1024 * 1024) };
    await expect(succeed(recordOf(), { json })).rejects.toMatchObject({
      code: "RESPONSE_TOO_LARGE",
      message: "The response is too large to be sent at once. Reduce limit or add filters.",
    });
    const narrowing = "Ask for less.";
    await expect(succeed(recordOf({}, { ...listOrganizations, narrowing }), { json })).rejects.toMatchObject({
      message: `The response is too large to be sent at once. ${narrowing}`,
    });
    const { body } = await succeed(recordOf({}, { ...listOrganizations, streaming: true }), { json });
    expect(body).toBeInstanceOf(Readable);
  });

  test("a buffered answer is measured as Lambda measures it, including escapes", async () => {
    // Each quotation mark is two bytes of JSON, and four bytes inside Lambda's own JSON.
    const json = { text: '"'.repeat(1_600_000) };
    await expect(succeed(recordOf(), { json })).rejects.toMatchObject({ code: "RESPONSE_TOO_LARGE" });
    expect(await succeed(recordOf(), { json: { text: "x".repeat(1_600_000) } })).toMatchObject({
      statusCode: 200,
    });
  });

  test("a buffered answer is compressed as the caller prefers, and names in Vary what it depends on", async () => {
    vi.stubEnv("CORS_ORIGINS", "https://app.example.com");
    const json = { text: "x".repeat(5_000) };
    const event = eventWith("accept-encoding", "gzip", "origin", "https://app.example.com");
    expect(await succeed(recordOf({ event }), { json })).toMatchObject({
      isBase64Encoded: true,
      headers: { "content-encoding": "gzip", vary: "origin, accept-encoding" },
    });
    const plain = await succeed(recordOf(), { json });
    expect(plain.headers).toMatchObject({ vary: "accept-encoding" });
    expect(plain.headers).not.toHaveProperty("content-encoding");
  });
});

describe("an event without fields that API Gateway always sends", () => {
  test("an event without headers and request context has no header, and still gets a request id", () => {
    const bare = { ...eventWith(), multiValueHeaders: null, requestContext: undefined };
    const event = bare as unknown as ReturnType<typeof eventWith>;
    expect(headerValues(event, "x")).toEqual([]);
    expect(requestIdOf(event, { ...systemRandom, uuid: () => "drawn" })).toBe("drawn");
  });

  test("an event without resource and request context has no address, and its links begin at the root", () => {
    const { resource, requestContext, ...bare } = eventWith();
    const event = bare as unknown as ReturnType<typeof eventWith>;
    expect(sourceIpOf(event)).toBeNull();
    expect(deprecationHeaders(event).link).toMatch(/^<\/docs\//);
  });
});

test("an operation on one organization without an organization is an internal error", () => {
  expect(() => onlyOrganization({ scope: { organizations: [], selector: "all" } })).toThrow(
    new TypeError("The operation selects one organization."),
  );
});

test("reads do not wait for the limiter, writes do", async () => {
  const log: string[] = [];
  const inner = tableWith({
    transactGet: async () => {
      log.push("transactGet");
      return [];
    },
    scanPage: async () => ({ items: [] }),
    writeMany: async () => void log.push("writeMany"),
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  const table = gatedTable(inner, promise);
  await table.transactGet([]);
  expect(await table.scanPage({})).toEqual({ items: [] });
  const writing = table.writeMany([]);
  expect(log).toEqual(["transactGet"]);
  resolve();
  await writing;
  expect(log).toEqual(["transactGet", "writeMany"]);
});

test("a full memory of refusals forgets them all, so that it never grows", () => {
  const memory = new RefusalMemory();
  for (let number = 0; number < cacheLimits.refusalsMax; number++)
    memory.noteRecorded(`k${number}`, "expired", 0);
  const isRecorded = (id: string) => memory.isRecorded(id, "expired", 0);
  expect(isRecorded("k0")).toBe(true);
  memory.noteRecorded("another", "expired", 0);
  expect([isRecorded("k0"), isRecorded("another")]).toEqual([false, true]);
});

test("a refusal that cannot be audited is logged, and the answer stays the same", async () => {
  const lines: string[] = [];
  vi.stubEnv("LOG_LEVEL", "warn");
  vi.spyOn(process.stdout, "write").mockImplementation((text) => lines.push(String(text)) > 0);
  const table = tableWith({ get: () => Promise.reject(new TypeError("the store is away")) });
  const principal = principalOf("user", { key: keyItem("user") });
  const deps = {
    clock: systemClock,
    random: systemRandom,
    retentionDays: 1,
    refusals: new RefusalMemory(),
    table,
  };
  const request = { operation: "listKeys", ipAddress: null, requestId: "r1" };
  await auditRefusal(deps, new ApiError("NOT_ADMIN", "no"), principal, request);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: "warn", message: "refusal not audited", request_id: "r1" },
  ]);
  await auditRefusal(deps, new ApiError("INVALID_REQUEST", "no"), principal, request);
  expect(lines).toHaveLength(1);
});
