import { Duration, Stack } from "aws-cdk-lib";
import type { RestApi } from "aws-cdk-lib/aws-apigateway";
import { type IMetric, MathExpression, Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { CfnTable } from "aws-cdk-lib/aws-dynamodb";
import type { Construct } from "constructs";
import { errorCodes } from "../../lib/contract/errors.ts";
import type { Operation } from "../../lib/contract/operation.ts";
import { alarms } from "../../lib/contract/platform.ts";
import { tableShape } from "../../lib/contract/table.ts";
import {
  errorMetrics,
  eventMetrics,
  indexMetrics,
  limiterMetrics,
  type MetricGroup,
  requestMetrics,
  searchMetrics,
} from "../../lib/contract/telemetry.ts";
import { reconcileIndex, type Worker } from "../../lib/contract/workers.ts";
import type { Ingestion } from "./ingestion.ts";
import type { ServiceFunction } from "./service-function.ts";
import type { RunningWorker } from "./workers.ts";

export type ServiceMetricsProps = {
  readonly restApi: RestApi;
  readonly table: CfnTable;
  readonly ingestion: Ingestion;
  readonly operations: readonly Operation[];
  readonly workers: readonly RunningWorker[];
  readonly functions: readonly ServiceFunction[];
};

/** The period of every metric and every alarm. */
export const metricPeriod = Duration.minutes(5);
const period = metricPeriod;
const sum = { period, statistic: Stats.SUM };

/** Without FILL the sum has no data if one metric has none, and some workers run once a day. */
const sumOf = (ids: readonly string[]): string => ids.map((id) => `FILL(${id}, 0)`).join(" + ");

export type ServiceMetrics = ReturnType<typeof serviceMetrics>;

/** All metrics of alarms and dashboard: AWS's own metrics, and those in the functions' log lines. */
export function serviceMetrics(scope: Construct, props: ServiceMetricsProps) {
  const gateway = gatewayMetrics(props.restApi);
  const own = ownMetrics(Stack.of(scope).stackName, props.operations);
  return {
    ...gateway,
    ...queueMetrics(props.ingestion),
    ...tableMetrics(props.table),
    ...functionMetrics(props),
    ...own,
    indexTrouble: indexTrouble(props.workers, gateway.calls, own.indexLag),
  };
}

/**
 * How far the index is behind. If the reconciler reports nothing although there is other activity (callers, or another
 * worker that runs every minute), the value is above the alarm's threshold. A new stack has no activity at all, which
 * is not a problem.
 */
function indexTrouble(workers: readonly RunningWorker[], calls: IMetric, lag: IMetric): IMetric {
  const turns = Object.fromEntries(
    workers
      .filter(({ worker }) => worker.id !== reconcileIndex.id && runsEveryMinute(worker))
      .map(({ made }, index) => [`turns${index}`, made.lambda.metricInvocations(sum)]),
  );
  const { secondsAbove } = alarms.staleIndex;
  const others = sumOf(["calls", ...Object.keys(turns)]);
  return new MathExpression({
    expression: `IF(FILL(lag, -1) >= 0, FILL(lag, 0), IF(${others} > 0, ${secondsAbove + 1}, 0))`,
    usingMetrics: { lag, calls, ...turns },
    label: "review index behind, seconds",
    period,
  });
}

const runsEveryMinute = ({ trigger }: Worker): boolean =>
  trigger.kind === "schedule" && trigger.everyMinutes === 1;

function gatewayMetrics(restApi: RestApi) {
  const calls = restApi.metricCount({ period, label: "calls" });
  const serverErrors = restApi.metricServerError({ period, label: "5xx", statistic: Stats.SUM });
  return {
    calls,
    serverErrors,
    clientErrors: restApi.metricClientError({ period, label: "4xx", statistic: Stats.SUM }),
    serverErrorPercent: new MathExpression({
      expression: `IF(calls >= ${alarms.serverErrors.callsMin}, 100 * errors / calls, 0)`,
      usingMetrics: { calls, errors: serverErrors },
      label: "5xx percent",
      period,
    }),
    latencyP50: restApi.metricLatency({ period, statistic: Stats.p(50), label: "p50" }),
    latencyP99: restApi.metricLatency({ period, statistic: Stats.p(99), label: "p99" }),
  };
}

const queueMetrics = ({ eventsQueue, deadLetterQueue }: Ingestion) => ({
  deadLetters: deadLetterQueue.metricApproximateNumberOfMessagesVisible({ period, label: "dead letters" }),
  queueAge: eventsQueue.metricApproximateAgeOfOldestMessage({ period, label: "oldest, seconds" }),
  queueLength: eventsQueue.metricApproximateNumberOfMessagesVisible({ period, label: "in the queue" }),
});

function tableMetrics(table: CfnTable) {
  const ofTable = (metricName: string, dimensions: Readonly<Record<string, string>> = {}) =>
    new Metric({
      namespace: "AWS/DynamoDB",
      metricName,
      dimensionsMap: { TableName: table.ref, ...dimensions },
      ...sum,
    });
  const ofVectorIndex = { VectorIndexName: tableShape.vectorIndex.name };
  return {
    tableThrottles: new MathExpression({
      expression: sumOf(["reads", "writes"]),
      usingMetrics: { reads: ofTable("ReadThrottleEvents"), writes: ofTable("WriteThrottleEvents") },
      label: "throttled requests of the table",
      period,
    }),
    readUnits: ofTable("ConsumedReadCapacityUnits"),
    writeUnits: ofTable("ConsumedWriteCapacityUnits"),
    vectorSearchBytes: ofTable("VectorSearchRequestBytes", ofVectorIndex),
    vectorWriteBytes: ofTable("VectorWriteRequestBytes", ofVectorIndex),
  };
}

function functionMetrics({ workers, functions }: ServiceMetricsProps) {
  const errors = Object.fromEntries(
    workers.map(({ made }, index) => [`e${index}`, made.lambda.metricErrors(sum)]),
  );
  const account = { namespace: "AWS/Lambda", period };
  return {
    workerErrors: new MathExpression({
      expression: sumOf(Object.keys(errors)),
      usingMetrics: errors,
      label: "failed runs of workers",
      period,
    }),
    functionThrottles: new Metric({
      ...account,
      metricName: "Throttles",
      label: "throttled calls of functions, whole account",
      statistic: Stats.SUM,
    }),
    functionConcurrency: new Metric({
      ...account,
      metricName: "ConcurrentExecutions",
      label: "functions at once, whole account",
      statistic: Stats.MAXIMUM,
    }),
    functionTime: functions.map(({ lambda, node }) => lambda.metricDuration({ ...sum, label: node.id })),
  };
}

/** The stack's name is the namespace, so that the metrics of several stacks in an account stay separate. */
function ownMetrics(namespace: string, operations: readonly Operation[]) {
  const of = <Group extends MetricGroup>(
    { dimension }: Group,
    metricName: keyof Group["metrics"] & string,
    statistic: string,
    value?: string,
  ): IMetric =>
    new Metric({
      namespace,
      metricName,
      statistic,
      period,
      ...(dimension && value !== undefined && { dimensionsMap: { [dimension]: value }, label: value }),
    });
  const ofOperations = (metricName: keyof typeof requestMetrics.metrics, statistic: string) =>
    operations.map(({ id }) => of(requestMetrics, metricName, statistic, id));
  return {
    requestsByOperation: ofOperations("duration_ms", Stats.SAMPLE_COUNT),
    latencyByOperation: ofOperations("duration_ms", Stats.p(99)),
    readUnitsByOperation: ofOperations("read_units", Stats.SUM),
    writeUnitsByOperation: ofOperations("write_units", Stats.SUM),
    errorsByCode: Object.keys(errorCodes).map((code) => of(errorMetrics, "errors", Stats.SUM, code)),
    limiterFailures: of(limiterMetrics, "limiter_failures", Stats.SUM),
    eventsApplied: of(eventMetrics, "events_applied", Stats.SUM),
    eventsWaiting: of(eventMetrics, "events_waiting", Stats.SUM),
    eventsDead: of(eventMetrics, "events_dead", Stats.SUM),
    eventsReturned: of(eventMetrics, "events_returned", Stats.SUM),
    indexLag: of(indexMetrics, "index_lag_seconds", Stats.MAXIMUM),
    indexStale: of(indexMetrics, "index_stale", Stats.MAXIMUM),
    indexFailures: of(indexMetrics, "index_failures", Stats.SUM),
    vectorSearches: of(searchMetrics, "vector_searches", Stats.SUM),
  };
}
