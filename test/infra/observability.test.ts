import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { errorCodes } from "../../lib/contract/errors.ts";
import { operations } from "../../lib/contract/operations.ts";
import { alarms } from "../../lib/contract/platform.ts";
import * as telemetry from "../../lib/contract/telemetry.ts";
import { environmentOf, ofType, partOf, plainTemplate, properties } from "./support.ts";

const alarmNames = Object.keys(alarms);
const alarmOf = (name: string) =>
  properties(plainTemplate(), `${name.charAt(0).toUpperCase()}${name.slice(1)}Alarm`);

describe("alarms", () => {
  test("somebody is woken by everything that callers or the platform would notice", () => {
    expect(alarmNames).toEqual(
      expect.arrayContaining([
        "serverErrors",
        "latencyP99",
        "deadLetters",
        "queueAge",
        "staleIndex",
        "limiterFailures",
      ]),
    );
    expect(ofType(plainTemplate(), "AWS::CloudWatch::Alarm")).toHaveLength(alarmNames.length);
  });

  test.each(alarmNames)("%s leads to its section of the runbook", (name) => {
    expect(alarmOf(name).AlarmDescription).toBe(`Runbook: docs/runbook.md#${name.toLowerCase()}`);
  });

  test.runIf(existsSync("docs/runbook.md")).each(alarmNames)("the runbook has a section on %s", (name) => {
    const headings = [...readFileSync("docs/runbook.md", "utf8").matchAll(/^#+ (\w+)$/gm)].map(
      ([, text]) => text,
    );
    expect(headings).toContain(name);
  });

  test("silence wakes somebody only where something reports every minute", () => {
    const silent = alarmNames.filter((name) => alarmOf(name).TreatMissingData === "breaching");
    expect(silent).toEqual(["staleIndex"]);
    expect(alarmOf("staleIndex")).toMatchObject({ MetricName: "index_lag_seconds", EvaluationPeriods: 3 });
  });
});

/** Metrics in the dashboard's JSON: namespace, name, then dimension and value in turns, then how to draw it. */
const widgetSchema = z.object({
  properties: z.object({ title: z.string(), metrics: z.array(z.array(z.unknown())).default([]) }),
});
const join = z.object({ "Fn::Join": z.tuple([z.literal(""), z.array(z.unknown())]) });

function widgets() {
  const [[, dashboard] = []] = ofType(plainTemplate(), "AWS::CloudWatch::Dashboard");
  const [, parts] = join.parse(dashboard?.Properties.DashboardBody)["Fn::Join"];
  const text = parts.map((part) => (typeof part === "string" ? part : "reference")).join("");
  return z.object({ widgets: z.array(widgetSchema) }).parse(JSON.parse(text)).widgets;
}

describe("the dashboard", () => {
  test("shows traffic, errors by code, latency, throttles, queue age, dead letters, index lag and cost", () => {
    expect(widgets().map(({ properties: { title } }) => title)).toEqual([
      "Traffic",
      "Traffic by operation",
      "Errors by code",
      "Latency at the gateway, ms",
      "Latency by operation, p99, ms",
      "Throttles and limiter",
      "Queue",
      "Events",
      "Review index",
      "Workers",
      "Cost: table units",
      "Cost: function time, ms",
      "Cost: read units by operation",
      "Cost: write units by operation",
    ]);
  });

  const own = () =>
    widgets()
      .flatMap(({ properties: { metrics } }) => metrics)
      .filter(([namespace]) => namespace === "ReviewApi");

  test("shows every metric that the functions emit, for every value that its dimension can have", () => {
    const shown = new Set(own().map((metric) => metric.slice(1, -1).join(" ")));
    const values = { operation: operations.map(({ id }) => id), code: Object.keys(errorCodes) };
    const groups: readonly telemetry.MetricGroup[] = [
      telemetry.requestMetrics,
      telemetry.errorMetrics,
      telemetry.limiterMetrics,
      telemetry.eventMetrics,
      telemetry.indexMetrics,
    ];
    const emitted = groups.flatMap(({ dimension, metrics }) =>
      Object.keys(metrics).flatMap((name) =>
        dimension ? values[dimension].map((value) => `${name} ${dimension} ${value}`) : [name],
      ),
    );
    expect([...shown].toSorted()).toEqual(emitted.toSorted());
  });

  test("looks where the functions write: the namespace is in their environment", () => {
    for (const id of ["whoami", "ingest", "reconcileIndex"]) {
      expect(environmentOf(plainTemplate(), id).METRICS_NAMESPACE, partOf(id, "Function")).toBe("ReviewApi");
    }
  });
});
