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
        ...{ Statistic: "Sum", Period: 300, Threshold: 0, ComparisonOperator: "GreaterThanThreshold" },
        ...{ EvaluationPeriods: everyMinutes / 5, DatapointsToAlarm: 1, TreatMissingData: "notBreaching" },
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

  test("a failed check of the public address rings, and so does a check that does not run", () => {
    const failures = (values: Readonly<Record<string, number | undefined>>) =>
      evaluate(expressionOf("publicAddress"), values);
    expect(failures({ runs: 1, failures: 0 })).toBe(0);
    expect(failures({ runs: 1, failures: 1 })).toBe(1);
    expect(failures({})).toBe(1);
    // Without any data, also CloudWatch's FILL gives none.
    expect(alarmOf("publicAddress")).toMatchObject({
      Threshold: 0,
      EvaluationPeriods: 2,
      TreatMissingData: "breaching",
    });
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
    const [[, filter] = []] = ofType(plainTemplate(), "AWS::Logs::MetricFilter");
    expect(filter?.Properties).toMatchObject({
      LogGroupName: { Ref: "AccessLogs" },
      FilterPattern: '{ $.lambdaStatus = "429" }',
    });
    expect(metricsOfAlarm(alarmOf("workerThrottles"))).toHaveLength(workers.length);
  });

  test("no other alarm treats missing data as a failure: a new stack emits nothing", () => {
    for (const name of alarmNames.filter((each) => each !== "publicAddress"))
      expect(alarmOf(name).TreatMissingData, name).toBe("notBreaching");
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
    ];
    const emitted = groups.flatMap(({ metrics }) => Object.keys(metrics));
    expect([...shown].toSorted()).toEqual([...emitted, "throttled_calls"].toSorted());
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
