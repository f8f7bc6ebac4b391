import { afterEach, beforeEach, expect, test, vi } from "vitest";

const lines: unknown[] = [];
beforeEach(() => {
  lines.length = 0;
  vi.resetModules();
  vi.stubEnv("LOG_LEVEL", "info");
  vi.spyOn(process.stdout, "write").mockImplementation((text) => lines.push(JSON.parse(String(text))) > 0);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** A process that was just started. */
async function coldStart() {
  const { beginInvocation } = await import("../../lib/runtime/invocation.ts");
  const { log } = await import("../../lib/runtime/log.ts");
  return { beginInvocation, log };
}

test("a log line names its invocation, and whether it was the first of its process", async () => {
  const { beginInvocation, log } = await coldStart();
  beginInvocation({ awsRequestId: "lambda-1" }, "gateway-1");
  log("info", "one");
  beginInvocation({ awsRequestId: "lambda-2" });
  log("info", "two");
  expect(lines).toEqual([
    {
      level: "info",
      message: "one",
      lambda_request_id: "lambda-1",
      gateway_request_id: "gateway-1",
      cold_start: true,
    },
    { level: "info", message: "two", lambda_request_id: "lambda-2", cold_start: false },
  ]);
});

test("a log line names the running release", async () => {
  vi.stubEnv("RELEASE", "0a1b2c3");
  const { log } = await coldStart();
  log("info", "one");
  expect(lines).toEqual([{ level: "info", message: "one", release: "0a1b2c3" }]);
});

test.each([
  [
    "Root=1-67891233-abcdef012345678912345678;Parent=463ac35c9f6413ad;Sampled=1",
    "1-67891233-abcdef012345678912345678",
  ],
  ["Root=1-67891233-abcdef012345678912345678;Parent=463ac35c9f6413ad;Sampled=0", undefined],
  ["", undefined],
])("a log line names a trace only if X-Ray samples it: %s", async (header, traceId) => {
  vi.stubEnv("_X_AMZN_TRACE_ID", header);
  const { log } = await coldStart();
  log("info", "one");
  expect(lines).toEqual([{ level: "info", message: "one", ...(traceId && { trace_id: traceId }) }]);
});
