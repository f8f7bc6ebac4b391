import { Stack } from "aws-cdk-lib";
import {
  Dashboard,
  GraphWidget,
  type IMetric,
  LogQueryVisualizationType,
  LogQueryWidget,
} from "aws-cdk-lib/aws-cloudwatch";
import type { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import type { ServiceMetrics } from "./service-metrics.ts";

const size = { width: 8, height: 6 };
const graph = (title: string, left: readonly IMetric[], right: readonly IMetric[] = [], stacked = false) =>
  new GraphWidget({ title, left: [...left], right: [...right], stacked, ...size });

const errorsByCode = [
  "filter ispresent(code)",
  "stats count(*) as errors by code, status",
  "sort errors desc",
];
const unitsByOperation = [
  "filter ispresent(operation)",
  "stats sum(read_units) as read, sum(write_units) as write, count(*) as requests by operation",
  "sort read desc",
];

/** One page for the person on call. The tables are queries of the log: they cost only when somebody looks. */
export function createDashboard(scope: Construct, metrics: ServiceMetrics, apiLogs: LogGroup): void {
  const logGroupNames = [apiLogs.logGroupName];
  const query = (title: string, queryLines: string[]) =>
    new LogQueryWidget({ title, logGroupNames, queryLines, view: LogQueryVisualizationType.TABLE, ...size });
  const dashboard = new Dashboard(scope, "Dashboard", { dashboardName: Stack.of(scope).stackName });
  dashboard.addWidgets(
    graph("Traffic", [metrics.calls], [metrics.clientErrors, metrics.serverErrors]),
    graph("Traffic by operation", metrics.requestsByOperation, [], true),
    query("Errors by code", errorsByCode),
  );
  dashboard.addWidgets(
    graph("Latency at the gateway, ms", [metrics.latencyP50, metrics.latencyP99], [metrics.slowCalls]),
    graph("Latency by operation, p99, ms", metrics.latencyByOperation),
    graph(
      "Throttles and limiter",
      [metrics.apiThrottles, metrics.workerThrottles, metrics.tableThrottles, metrics.limiterFailures],
      [metrics.functionConcurrency],
    ),
  );
  dashboard.addWidgets(
    graph("Queue", [metrics.queueLength, metrics.deadLetters], [metrics.queueAge]),
    graph("Events", [
      metrics.eventsApplied,
      metrics.eventsWaiting,
      metrics.eventsDead,
      metrics.eventsReturned,
    ]),
    graph(
      "Review index",
      [metrics.indexStale, metrics.indexFailures, metrics.vectorSearches],
      [metrics.indexLag],
    ),
  );
  dashboard.addWidgets(
    graph("Workers and checks", [
      metrics.workerErrors,
      metrics.failedStarts,
      ...(metrics.probeFailures ? [metrics.probeFailures] : []),
    ]),
    graph(
      "Webhooks",
      [metrics.ringsDelivered, metrics.ringsFailed, metrics.ringsPostponed],
      [metrics.webhooksUnread],
    ),
    graph("Cost: table units", [metrics.readUnits, metrics.writeUnits]),
    graph("Cost: function time, ms", metrics.functionTime, [], true),
  );
  dashboard.addWidgets(
    query("Cost: units by operation", unitsByOperation),
    graph("Model and reviewer's search", [
      ...(metrics.modelFailures ? [metrics.modelFailures] : []),
      metrics.reviewSearchFailures,
      metrics.refusedSearches,
    ]),
    graph("Cost: vector index, bytes", [metrics.vectorSearchBytes], [metrics.vectorWriteBytes]),
  );
}
