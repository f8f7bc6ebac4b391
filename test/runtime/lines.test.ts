import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { limiterMetrics, searchMetrics } from "../../lib/contract/telemetry.ts";
import { AwsError } from "../../lib/runtime/aws-error.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { describeError, log } from "../../lib/runtime/log.ts";
import { embedMetrics } from "../../lib/runtime/metrics.ts";
import { WorkerFailed, worker } from "../../lib/runtime/worker.ts";
import { TestClock } from "../support/clock.ts";

const lines: unknown[] = [];
beforeEach(() => {
  lines.length = 0;
  vi.stubEnv("LOG_LEVEL", "info");
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    lines.push(JSON.parse(String(text)));
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const awsError = (status: number, name: string) => new AwsError({ name, status, message: "hunter2" });

describe("a log line", () => {
  test("a log line is one JSON object, and is written from the configured level on", () => {
    for (const [level, written] of [
      ["info", ["info", "warn", "error"]],
      ["anything", ["info", "warn", "error"]],
      ["warn", ["warn", "error"]],
      ["error", ["error"]],
      ["silent", []],
    ] as const) {
      vi.stubEnv("LOG_LEVEL", level);
      lines.length = 0;
      for (const each of ["info", "warn", "error"] as const) log(each, "hello", { count: 1 });
      expect(lines).toEqual(written.map((each) => ({ level: each, message: "hello", count: 1 })));
    }
  });

  test("a log line describes an error by its causes' names and messages, and at most three lines per stack", () => {
    const stack = ["RangeError: inner", ...[1, 2, 3, 4].map((line) => `    at file.ts:${line}`)].join("\n");
    const cause = Object.assign(new RangeError("inner"), { stack });
    const described = describeError(new TypeError("outer", { cause }));
    expect(described[0]).toBe("TypeError: outer");
    const inner = ["RangeError: inner", "at file.ts:1", "at file.ts:2", "at file.ts:3"];
    expect(described.slice(described.indexOf("RangeError: inner"))).toEqual(inner);
    expect(described.filter((line) => line.startsWith("at ")).length).toBeLessThanOrEqual(6);
    expect(describeError("no error")).toEqual([]);
    const bare = Object.assign(new Error("bare"), { stack: undefined });
    expect(describeError(bare)).toEqual(["Error: bare"]);
  });

  test("a log line has the whole message of AWS only if it is about permissions", () => {
    expect(describeError(awsError(400, "ValidationException"))[0]).toBe("ValidationException: status 400");
    expect(describeError(awsError(403, "Forbidden"))[0]).toBe("Forbidden: hunter2");
    expect(describeError(awsError(400, "AccessDeniedException"))[0]).toBe("AccessDeniedException: hunter2");
  });

  test.each([
    [
      "The provided key element does not match the schema",
      "The provided key element does not match the schema",
    ],
    ["Invalid UpdateExpression: Syntax error; token: hunter2", "Invalid UpdateExpression"],
    ["Value acme for parameter MessageGroupId is invalid. Reason: length", ""],
    ["No item k1a2b3 found", ""],
  ])("of AWS's message %j a log line has only %j, and AWS's request id", (message, kept) => {
    const error = new AwsError({ name: "ValidationException", status: 400, message, requestId: "ABC" });
    expect(describeError(error)[0]).toBe(
      ["ValidationException: status 400", kept, "request ABC"].filter((part) => part !== "").join(", "),
    );
  });

  test("a log line says why DynamoDB cancelled a transaction: each code once, and no item or message", () => {
    const Item = { text: { S: "hunter2" } };
    const error = new AwsError({
      name: "TransactionCanceledException",
      status: 400,
      message:
        "Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed]",
      details: {
        CancellationReasons: [
          { Code: "None" },
          { Code: "ConditionalCheckFailed", Message: "hunter2", Item },
          { Code: "ConditionalCheckFailed", Item },
          { Code: "ValidationError", Message: "hunter2" },
          {},
        ],
      },
      requestId: "ABC",
    });
    expect(describeError(error)[0]).toBe(
      "TransactionCanceledException: status 400, ConditionalCheckFailed, ValidationError, request ABC",
    );
  });
});

describe("metrics", () => {
  test("metrics are added to a log line if a namespace is set, and nothing otherwise", () => {
    const clock = new TestClock();
    vi.stubEnv("METRICS_NAMESPACE", "");
    expect(embedMetrics(clock, [searchMetrics])).toEqual({});
    vi.stubEnv("METRICS_NAMESPACE", "ReviewApi");
    expect(embedMetrics(clock, [searchMetrics, limiterMetrics])).toEqual({
      _aws: {
        Timestamp: clock.nowMs(),
        CloudWatchMetrics: [
          {
            Namespace: "ReviewApi",
            Dimensions: [[]],
            Metrics: [{ Name: "vector_searches", Unit: "Count" }],
          },
          {
            Namespace: "ReviewApi",
            Dimensions: [[]],
            Metrics: [{ Name: "limiter_failures", Unit: "Count" }],
          },
        ],
      },
    });
  });
});

describe("a worker", () => {
  test("a worker returns the result of its work, and logs nothing", async () => {
    expect(await worker("tidy", async (one: number, two: number) => one + two)(1, 2)).toBe(3);
    expect(lines).toEqual([]);
  });

  test("a worker that fails logs the reason in one line, and ends with an error without details", async () => {
    const failing = worker("tidy", async (_event: object, _context: object) => {
      throw Object.assign(new TypeError("broken"), { item: "secret" });
    });
    const error = await failing({}, { awsRequestId: "r1" }).catch((thrown: unknown) => thrown);
    expect(error).toEqual(new WorkerFailed("tidy failed; the log line before says why."));
    expect(lines).toMatchObject([
      {
        level: "error",
        message: "worker failed",
        worker: "tidy",
        lambda_request_id: "r1",
        duration_ms: expect.any(Number),
      },
    ]);
    expect(JSON.stringify(lines)).toContain("TypeError: broken");
    expect(JSON.stringify(lines)).not.toContain("secret");
    for (const context of [null, "r1", {}]) await failing({}, context as object).catch(() => undefined);
    expect(lines.slice(1).every((line) => !Object.hasOwn(line as object, "lambda_request_id"))).toBe(true);
  });
});

describe("sleep", () => {
  test("a sleep ends after its time, with or without a signal", async () => {
    for (const signal of [undefined, new AbortController().signal]) {
      const startMs = performance.now();
      await systemClock.sleep(20, signal);
      // Timers of Node may be one millisecond early.
      expect(performance.now() - startMs).toBeGreaterThanOrEqual(19);
    }
  });

  test("a sleep ends at once with the reason of an abort, before or during the sleep", async () => {
    const reason = new Error("enough");
    await expect(systemClock.sleep(60_000, AbortSignal.abort(reason))).rejects.toBe(reason);
    const ending = new AbortController();
    const sleeping = systemClock.sleep(60_000, ending.signal);
    ending.abort(reason);
    await expect(sleeping).rejects.toBe(reason);
  });
});
