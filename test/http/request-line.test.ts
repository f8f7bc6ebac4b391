import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { AuthenticationError } from "../../lib/access/authenticate.ts";
import { whoami } from "../../lib/contract/operations/keys.ts";
import { answerUnrouted } from "../../lib/http/fallback.ts";
import { logOutcome } from "../../lib/http/outcome.ts";
import { serveReference } from "../../lib/http/reference.ts";
import type { RequestRecord } from "../../lib/http/request-record.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { StoreMeter } from "../../lib/store/meter.ts";
import { keyItem } from "../access/principals.ts";
import { TestClock } from "../support/clock.ts";
import { gatewayEvent } from "../support/gateway-event.ts";

const lines: unknown[] = [];
beforeEach(() => {
  lines.length = 0;
  vi.stubEnv("LOG_LEVEL", "info");
  vi.stubEnv("METRICS_NAMESPACE", "ReviewApi");
  vi.spyOn(process.stdout, "write").mockImplementation((text) => lines.push(JSON.parse(String(text))) > 0);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const clock = new TestClock();
const asked = (method: string, target: string, ...headers: string[]) =>
  gatewayEvent({
    method,
    target,
    rawHeaders: ["x-request-id", "traced", ...headers],
    body: Buffer.from("hunter2"),
    resource: "/{proxy+}",
    clock,
  });

const line = { level: "info", message: "request", request_id: "traced", duration_ms: 0 };
/** Compares the whole line: it contains nothing of path, query, headers or body. */
describe("a request without an operation has a log line too", () => {
  const routes = [{ method: "GET", path: "/v1/whoami" }];
  const unrouted = (...request: Parameters<typeof asked>) =>
    answerUnrouted(routes, asked(...request), systemRandom, clock);

  test("a request to an unknown path has a log line", () => {
    unrouted("GET", "/v1/hunter2?cursor=hunter2", "x-service-api-key", "hunter2");
    expect(lines).toEqual([{ ...line, status: 404, code: "NOT_FOUND" }]);
  });

  test("a request with an unknown method has a log line", () => {
    unrouted("PUT", "/v1/whoami");
    expect(lines).toEqual([{ ...line, status: 405, code: "METHOD_NOT_ALLOWED" }]);
  });

  test("a preflight request has a log line", () => {
    vi.stubEnv("CORS_ORIGINS", "*");
    unrouted("OPTIONS", "/v1/whoami", "origin", "https://a.example", "access-control-request-method", "GET");
    expect(lines).toEqual([{ ...line, status: 204 }]);
  });

  test("the reference's pages and missing pages have a log line", async () => {
    const serve = serveReference(join(import.meta.dirname, "../.."), systemRandom, clock);
    await serve(asked("GET", "/docs/errors/NOT_FOUND?hunter2"));
    await serve(asked("GET", "/docs/errors/HUNTER2"));
    expect(lines).toEqual([
      { ...line, status: 200 },
      { ...line, status: 404, code: "NOT_FOUND" },
    ]);
  });
});

describe("a refused key", () => {
  const refuse = (fault: AuthenticationError) => {
    // The chain ended at its first step: only the fields that the request lifecycle set are there.
    const opened: Partial<RequestRecord> = {
      operation: whoami,
      requestId: "traced",
      startedAtMs: clock.nowMs(),
      meter: new StoreMeter(),
    };
    logOutcome(clock, opened as RequestRecord, 401, fault);
    return lines[0];
  };

  test("a refused key that exists is logged with id and kind, and with nothing else of it", () => {
    const said = refuse(
      new AuthenticationError("revoked", keyItem("agentic", { hash: "hunter2", owner: "hunter2" })),
    );
    expect(said).toMatchObject({ status: 401, code: "UNAUTHORIZED", key_id: "k1", key_kind: "agentic" });
    expect(said).not.toHaveProperty("tenant");
    expect(JSON.stringify(said)).not.toContain("hunter2");
  });

  test.each([
    ["member inactive", "owner_left"],
    ["organization inactive", "organization_inactive"],
    ["workspace inactive", "organization_inactive"],
    ["instance inactive", "organization_inactive"],
    ["revoked", undefined],
  ])(
    "a key that is refused because of %s is logged with the reason that the list of keys gives: %s",
    (reason, shown) => {
      expect(refuse(new AuthenticationError(reason, keyItem("user")))).toHaveProperty("key_id", "k1");
      expect(Reflect.get(Object(lines[0]), "refused_because")).toBe(shown);
    },
  );

  test("a refused key that does not exist is logged without an id", () => {
    expect(refuse(new AuthenticationError("unknown"))).not.toHaveProperty("key_id");
  });
});
