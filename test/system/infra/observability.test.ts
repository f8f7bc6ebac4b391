import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { alarms, embeddingModelId, queueLimits, rollback } from "../../../lib/contract/platform.ts";
import { tableShape } from "../../../lib/contract/table.ts";
import * as telemetry from "../../../lib/contract/telemetry.ts";
import { type Worker, workers } from "../../../lib/contract/workers.ts";
import { plainTemplate } from "./built-templates.ts";
import { environmentOf, ofType, partOf, properties } from "./support.ts";
import { dashboardMetrics, metricsOfAlarm, widgetsOf } from "./watched.ts";

const alarmNames = Object.keys(alarms);
/**
 * The parts of CloudWatch's metric math that the alarms use, for one point in time; a metric may have no value there.
 */
function evaluate(expression: string, values: Readonly<Record<string, number | undefined>>): number {
  const math = {
    FILL: (value: number | undefined, instead: number) => value ?? instead,
    IF: (condition: boolean, then: number, otherwise: number) => (condition ? then : otherwise),
  };
  const names = [...new Set(expression.match(/\b[a-z]\w*/g))];
  const given = names.map((name) => values[name]);
  return new Function(...Object.keys(math), ...names, `return ${expression};`)(
    ...Object.values(math),
    ...given,
  );
}

const alarmOf = (name: string) =>
  properties(plainTemplate(), `${name.charAt(0).toUpperCase()}${name.slice(1)}Alarm`);

describe("alarms", () => {
  test("an alarm exists for everything that callers or the platform would notice", () => {
    expect(alarmNames).toEqual(
      expect.arrayContaining([
        "serverErrors",
        "latencyP99",
        "deadLetters",
        "queueAge",
        "staleIndex",
        "limiterFailures",
        "postponedRings",
        "unreadWebhooks",
        "vectorSearches",
        "vectorWrites",
      ]),
    );
  });

  test.each(alarmNames)("the alarm %s links to its section of the runbook", (name) => {
    expect(alarmOf(name).AlarmDescription).toBe(`Runbook: docs/operate/runbook.md#${name.toLowerCase()}`);
  });

  test.each(alarmNames)("the runbook has a section on %s", (name) => {
    const headings = [...readFileSync("docs/operate/runbook.md", "utf8").matchAll(/^#+ (\w+)$/gm)].map(
      ([, text]) => text,
    );
    expect(headings).toContain(name);
  });

  const { name: indexName } = tableShape.vectorIndex;

  /** AWS's metrics by their dimensions, and the allowed values of these. */
  const known: Readonly<Record<string, (dimensions: Readonly<Record<string, unknown>>) => boolean>> = {
    "AWS/ApiGateway": (dimensions) =>
      JSON.stringify(dimensions) === JSON.stringify({ ApiName: properties(plainTemplate(), "RestApi").Name }),
    "AWS/SQS": (dimensions) =>
      /^{"QueueName":{"Fn::GetAtt":\["(EventsQueue|DeadLetterQueue)"/.test(JSON.stringify(dimensions)),
    "AWS/DynamoDB": ({ VectorIndexName = indexName, ...rest }: Readonly<Record<string, unknown>>) =>
      VectorIndexName === indexName && JSON.stringify(rest) === '{"TableName":{"Ref":"Table"}}',
    "AWS/Lambda": (dimensions) => {
      const id = /"FunctionName":{"Ref":"(\w+)"}/.exec(JSON.stringify(dimensions))?.[1];
      return id !== undefined && id in plainTemplate().Resources;
    },
    "AWS/Bedrock": ({ ModelId }) => ModelId === embeddingModelId,
    ReviewApi: (dimensions) => Object.keys(dimensions).length === 0,
  };

  test.each(alarmNames)("the alarm %s uses metrics of this stack, no more than an alarm can take", (name) => {
    const watched = metricsOfAlarm(alarmOf(name));
    expect(watched.length).toBeGreaterThan(0);
    expect(watched.length).toBeLessThanOrEqual(10);
    expect(watched.filter(({ namespace, dimensions }) => !known[namespace]?.(dimensions))).toEqual([]);
  });

  test("every worker's failures count, even while the others emit nothing", () => {
    const [sum] = z
      .array(z.object({ Expression: z.string().optional() }))
      .parse(alarmOf("workerErrors").Metrics);
    const failures = metricsOfAlarm(alarmOf("workerErrors"));
    expect(failures.map(({ dimensions }) => dimensions)).toEqual(
      workers.map(({ id }) => ({ FunctionName: { Ref: partOf(id, "Function") } })),
    );
    expect(sum?.Expression).toBe(workers.map((_, index) => `FILL(failed${index}, 0)`).join(" + "));
  });

  const workerList: readonly Worker[] = workers;

  test("a worker with a slow schedule raises an alarm at its first failure, until a whole period went well", () => {
    const slow = workerList.flatMap(({ id, trigger }) =>
      trigger.kind === "schedule" && trigger.everyMinutes > 1 ? [{ id, ...trigger }] : [],
    );
    expect(slow.map(({ id }) => id)).toEqual(["expireWaiting", "housekeeping", "probeApi"]);
    for (const { id, everyMinutes } of slow) {
      const alarm = alarmOf(`${id}Errors`);
      expect(alarm, id).toMatchObject({
        MetricName: "Errors",
        Dimensions: [{ Name: "FunctionName", Value: { Ref: partOf(id, "Function") } }],
        Statistic: "Sum",
        Period: 300,
        Threshold: 0,
        ComparisonOperator: "GreaterThanThreshold",
        EvaluationPeriods: everyMinutes / 5,
        DatapointsToAlarm: 1,
        TreatMissingData: "notBreaching",
        AlarmDescription: "Runbook: docs/operate/runbook.md#workererrors",
      });
      // CloudWatch evaluates a day at most with periods of minutes.
      expect(300 * Number(alarm.EvaluationPeriods), id).toBeLessThanOrEqual(86_400);
    }
    expect(ofType(plainTemplate(), "AWS::CloudWatch::Alarm")).toHaveLength(alarmNames.length + slow.length);
    // The others run every minute: if one always fails, that is five failures in a period.
    expect(alarmOf("workerErrors").Threshold).toBeLessThan(5);
  });

  test("a long queue rings while SQS still sees every message, not for an importer's usual backlog", () => {
    const alarm = alarmOf("queueLength");
    expect(metricsOfAlarm(alarm)).toEqual([
      {
        namespace: "AWS/SQS",
        name: "ApproximateNumberOfMessagesVisible",
        dimensions: { QueueName: { "Fn::GetAtt": ["EventsQueue", "QueueName"] } },
      },
    ]);
    expect(alarm).toMatchObject({ Threshold: 60_000, EvaluationPeriods: 1 });
    expect(alarm.Threshold).toBeLessThanOrEqual(queueLimits.lookAheadMax / 2);
    expect(alarm.Threshold).toBeGreaterThan(queueLimits.backlogMax);
    expect(rollback.alarms).not.toContain("queueLength");
  });

  test("writes to the vector index raise an alarm by the bytes DynamoDB counts, and are on the dashboard", () => {
    expect(metricsOfAlarm(alarmOf("vectorWrites"))).toEqual([
      {
        namespace: "AWS/DynamoDB",
        name: "VectorWriteRequestBytes",
        dimensions: { TableName: { Ref: "Table" }, VectorIndexName: indexName },
      },
    ]);
    expect(dashboardMetrics(plainTemplate()).map(({ name }) => name)).toEqual(
      expect.arrayContaining(["VectorWriteRequestBytes", "VectorSearchRequestBytes"]),
    );
  });

  const expressionOf = (name: string): string => {
    const [math] = z.array(z.object({ Expression: z.string().optional() })).parse(alarmOf(name).Metrics);
    return math?.Expression ?? "";
  };

  test("a total outage rings with few calls too, and single errors of a busy service do not", () => {
    const errors = (values: Readonly<Record<string, number | undefined>>) =>
      evaluate(expressionOf("rareServerErrors"), values);
    expect([errors({}), errors({ calls: 2 }), errors({ calls: 2, errors: 2 })]).toEqual([0, 0, 2]);
    expect(errors({ calls: 5_000, errors: 2 })).toBe(0);
    // 18 calls an hour that all fail: more than three periods of five minutes have one.
    expect(alarmOf("rareServerErrors")).toMatchObject({
      Threshold: 0,
      EvaluationPeriods: 12,
      DatapointsToAlarm: 3,
    });
  });

  test("a failed check of the public address rings, and so does one that does not run beside other activity", () => {
    const failures = (values: Readonly<Record<string, number | undefined>>) =>
      evaluate(expressionOf("publicAddress"), values);
    expect(failures({ runs: 1, failures: 0, turns: 5 })).toBe(0);
    expect(failures({ runs: 1, failures: 1 })).toBe(1);
    expect([failures({ turns: 5 }), failures({ calls: 1 })]).toEqual([1, 1]);
    expect(metricsOfAlarm(alarmOf("publicAddress"))).toContainEqual({
      namespace: "AWS/Lambda",
      name: "Invocations",
      dimensions: { FunctionName: { Ref: "ReconcileIndexFunction" } },
    });
    expect(alarmOf("publicAddress")).toMatchObject({ Threshold: 0, EvaluationPeriods: 2 });
  });

  test("after the first deployment the public address does not ring: the first check comes within one period", () => {
    const failures = (values: Readonly<Record<string, number | undefined>>) =>
      evaluate(expressionOf("publicAddress"), values);
    const probe = workers.find(({ id }) => id === "probeApi");
    expect(probe?.trigger).toEqual({ kind: "schedule", everyMinutes: 5 });
    // Before the deployment nothing; in the first period only other workers; then the check.
    const periods = [{}, { turns: 4 }, { turns: 5, runs: 1 }].map(failures);
    expect(periods).toEqual([0, 1, 0]);
    expect(alarmOf("publicAddress").DatapointsToAlarm ?? alarmOf("publicAddress").EvaluationPeriods).toBe(2);
  });

  const filtersOf = (metric: string) =>
    ofType(plainTemplate(), "AWS::Logs::MetricFilter")
      .map(([, { Properties }]) => Properties)
      .filter((filter) => JSON.stringify(filter).includes(`"MetricName":"${metric}"`));

  test("one slow call in a hundred rings, under a hundred calls none; sending an export is not slow", () => {
    const percent = (values: Readonly<Record<string, number | undefined>>) =>
      evaluate(expressionOf("latencyP99"), values);
    expect([percent({ calls: 100, slow: 2 }), percent({ calls: 100 })]).toEqual([2, 0]);
    expect(percent({ calls: 99, slow: 99 })).toBe(0);
    expect(alarmOf("latencyP99")).toMatchObject({ Threshold: 1, EvaluationPeriods: 3 });
    // The function's own line, which it writes before it sends: a slow export is no slow call.
    expect(filtersOf("slow_calls")).toEqual([
      expect.objectContaining({
        LogGroupName: { Ref: "ApiLogs" },
        FilterPattern: "{ $.duration_ms > 5000 }",
      }),
    ]);
  });

  test("every line of Lambda about a function that could not start is counted, of the API and of workers", () => {
    const filters = filtersOf("failed_starts");
    expect(filters.map(({ LogGroupName }) => LogGroupName)).toEqual(
      expect.arrayContaining([{ Ref: "ApiLogs" }, { Ref: "WorkerLogs" }]),
    );
    const [pattern, ...others] = new Set(filters.map(({ FilterPattern }) => String(FilterPattern)));
    expect(others).toEqual([]);
    // AWS refuses expressions with parentheses, so these are terms.
    const terms = Array.from((pattern ?? "").matchAll(/"([^"]+)"/g), ([, term = ""]) => term);
    expect(terms.map((term) => `"${term}"`).join(" ")).toBe(pattern);
    const counted = (line: string) => terms.every((term) => line.includes(term));
    expect(counted("INIT_REPORT Init Duration: 1236.04 ms\tPhase: init\tStatus: timeout")).toBe(true);
    expect(
      counted(
        "INIT_REPORT Init Duration: 187.75 ms\tPhase: invoke\tStatus: error\tError Type: Runtime.ExitError",
      ),
    ).toBe(true);
    expect(counted("REPORT RequestId: 3604 Duration: 9.9 ms Memory Size: 512 MB Init Duration: 131 ms")).toBe(
      false,
    );
    expect(counted('{"level":"error","message":"request","status":500}')).toBe(false);
    // Both lines of one failed start stay silent; a second failed start rings.
    expect(alarmOf("failedStarts")).toMatchObject({
      Threshold: 2,
      EvaluationPeriods: 1,
      ComparisonOperator: "GreaterThanThreshold",
    });
  });

  test("events that fail after a release ring; a few bad events of a sender do not", () => {
    const percent = (values: Readonly<Record<string, number | undefined>>) =>
      evaluate(expressionOf("deadEvents"), values);
    expect([percent({ dead: 20 }), percent({ dead: 3, applied: 97 })]).toEqual([100, 3]);
    expect([percent({ dead: 19 }), percent({ applied: 500 }), percent({})]).toEqual([0, 0, 0]);
    expect(alarmOf("deadEvents")).toMatchObject({ Threshold: 10, EvaluationPeriods: 1 });
  });

  test("a bad release is rolled back; slow exports, the model and old letters roll nothing back", () => {
    expect(rollback.alarms).toEqual([
      "serverErrors",
      "failedStarts",
      "publicAddress",
      "workerErrors",
      "deadEvents",
    ]);
    const watched = rollback.alarms.flatMap((name) => metricsOfAlarm(alarmOf(name)));
    expect(watched.map(({ namespace }) => namespace)).not.toContain("AWS/Bedrock");
    const names = watched.map(({ name }) => name);
    for (const other of ["Latency", "slow_calls", "Throttles", "ApproximateNumberOfMessagesVisible"])
      expect(names).not.toContain(other);
  });

  test("the reviewer's search and the model have alarms of errors and throttles", () => {
    expect(metricsOfAlarm(alarmOf("reviewSearch"))).toEqual(
      ["Errors", "Throttles"].map((name) => ({
        namespace: "AWS/Lambda",
        name,
        dimensions: { FunctionName: { Ref: "SearchForReviewFunction" } },
      })),
    );
    expect(metricsOfAlarm(alarmOf("embeddingModel")).map(({ name }) => name)).toEqual([
      "InvocationClientErrors",
      "InvocationServerErrors",
      "InvocationThrottles",
    ]);
  });

  test("throttles ring for this stack's functions only", () => {
    expect(metricsOfAlarm(alarmOf("functionThrottles"))).toEqual([
      { namespace: "ReviewApi", name: "throttled_calls", dimensions: {} },
    ]);
    expect(filtersOf("throttled_calls")).toEqual([
      expect.objectContaining({
        LogGroupName: { Ref: "AccessLogs" },
        FilterPattern: '{ $.lambdaStatus = "429" }',
      }),
    ]);
    expect(metricsOfAlarm(alarmOf("workerThrottles"))).toHaveLength(workers.length);
  });

  test("no alarm treats missing data as a failure: a new stack emits nothing", () => {
    for (const name of alarmNames) expect(alarmOf(name).TreatMissingData, name).toBe("notBreaching");
  });

  test("an index without metrics raises an alarm while callers or workers are active, not in a new stack", () => {
    const [trouble] = z
      .array(z.object({ Expression: z.string().optional() }))
      .parse(alarmOf("staleIndex").Metrics);
    const seconds = (values: Readonly<Record<string, number | undefined>>) =>
      evaluate(trouble?.Expression ?? "", values);
    expect(seconds({})).toBe(0);
    expect(seconds({ lag: 0, calls: 3, turns0: 5 })).toBe(0);
    expect(seconds({ lag: 1_200, turns0: 5 })).toBe(1_200);
    const { Threshold } = z.object({ Threshold: z.number() }).parse(alarmOf("staleIndex"));
    expect(seconds({ turns0: 5 })).toBeGreaterThan(Threshold);
    expect(seconds({ calls: 1 })).toBeGreaterThan(Threshold);
    expect(metricsOfAlarm(alarmOf("staleIndex")).map(({ name }) => name)).toEqual(
      expect.arrayContaining(["index_lag_seconds", "Count", "Invocations"]),
    );
  });
});

describe("the dashboard", () => {
  test("the dashboard has traffic, error codes, latency, throttles, queue age, dead letters, index lag, cost", () => {
    expect(widgetsOf(plainTemplate()).map(({ properties: { title } }) => title)).toEqual([
      "Traffic",
      "Traffic by operation",
      "Errors by code",
      "Latency at the gateway, ms",
      "Latency by operation, p99, ms",
      "Throttles and limiter",
      "Queue",
      "Events",
      "Review index",
      "Workers and checks",
      "Webhooks",
      "Cost: table units",
      "Cost: function time, ms",
      "Cost: units by operation",
      "Model and reviewer's search",
      "Cost: vector index, bytes",
    ]);
  });

  test("the dashboard shows every metric that the functions emit", () => {
    const own = dashboardMetrics(plainTemplate()).filter(({ namespace }) => namespace === "ReviewApi");
    const shown = new Set(
      own.map(({ name, dimensions }) => [name, ...Object.entries(dimensions).flat()].join(" ")),
    );
    const groups: readonly telemetry.MetricGroup[] = [
      telemetry.limiterMetrics,
      telemetry.eventMetrics,
      telemetry.indexMetrics,
      telemetry.searchMetrics,
      telemetry.refusedSearchMetrics,
      telemetry.webhookMetrics,
    ];
    const emitted = groups.flatMap(({ metrics }) => Object.keys(metrics));
    const counted = ["failed_starts", "slow_calls", "throttled_calls"];
    expect([...shown].toSorted()).toEqual([...emitted, ...counted].toSorted());
  });

  test("the dashboard reads the namespace that is in the functions' environment", () => {
    for (const id of [
      "whoami",
      "ingest",
      "reconcileIndex",
      "searchForReview",
      "mcp",
      "fallback",
      "reference",
    ]) {
      expect(environmentOf(plainTemplate(), id).METRICS_NAMESPACE, partOf(id, "Function")).toBe("ReviewApi");
    }
  });
});
