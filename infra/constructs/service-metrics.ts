import { Duration, Stack } from "aws-cdk-lib";
import type { SpecRestApi } from "aws-cdk-lib/aws-apigateway";
import { type IMetric, MathExpression, Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import { alarms } from "../../lib/contract/platform.ts";
import { tableShape } from "../../lib/contract/table.ts";
import {
  eventMetrics,
  indexMetrics,
  limiterMetrics,
  type MetricGroup,
  refusedSearchMetrics,
  searchMetrics,
  webhookMetrics,
} from "../../lib/contract/telemetry.ts";
import { probeApi, reconcileIndex, type Worker } from "../../lib/contract/workers.ts";
import type { Ingestion } from "./ingestion.ts";
import type { ServiceFunction } from "./service-function.ts";
import type { RunningWorker } from "./workers.ts";

export type ServiceMetricsProps = {
  readonly restApi: SpecRestApi;
  readonly tableName: string;
  readonly ingestion: Ingestion;
  readonly workers: readonly RunningWorker[];
  readonly apiFunctions: readonly ServiceFunction[];
  readonly internalFunctions: readonly ServiceFunction[];
  /** Counted in the log groups. */
  readonly counted: LineCounts;
  /** Undefined if the model is in another region: alarms see only the metrics of their own. */
  readonly bedrockModelId: string | undefined;
};

export type LineCounts = {
  readonly apiThrottles: IMetric;
  /** Calls that a function worked on for too long; the time that sending a large answer takes is not part of it. */
  readonly slowCalls: IMetric;
  readonly failedStarts: IMetric;
};

/** The period of every metric and every alarm. */
export const metricPeriod = Duration.minutes(5);
const period = metricPeriod;
const sum = { period, statistic: Stats.SUM };

const math = (label: string, expression: string, usingMetrics: Record<string, IMetric>): IMetric =>
  new MathExpression({ expression, usingMetrics, label, period });

/** Without FILL the sum has no data if one metric has none, and some workers run once a day. */
const sumOf = (ids: readonly string[]): string => ids.map((id) => `FILL(${id}, 0)`).join(" + ");

/** One widget may show several sums, and the ids of their metrics must differ. */
const total = (id: string, label: string, metrics: readonly IMetric[]): IMetric => {
  const usingMetrics = Object.fromEntries(metrics.map((metric, index) => [`${id}${index}`, metric]));
  return math(label, sumOf(Object.keys(usingMetrics)), usingMetrics);
};

/** A check that did not run counts as failed while callers or workers are active. A new stack is no problem. */
const probeFailures = (lambda: LambdaFunction, calls: IMetric, turns: IMetric): IMetric =>
  math(
    "failed or missing checks of the public address",
    `IF(FILL(runs, 0) > 0, FILL(failures, 0), IF(${sumOf(["calls", "turns"])} > 0, 1, 0))`,
    { runs: lambda.metricInvocations(sum), failures: lambda.metricErrors(sum), calls, turns },
  );

const percentOf = (part: string, whole: string, wholeMin: number): string =>
  `IF(${whole} >= ${wholeMin}, 100 * FILL(${part}, 0) / ${whole}, 0)`;

/** Of all callers of the model in the account. */
const modelFailures = (ModelId: string): IMetric =>
  total(
    "model",
    "failed and throttled calls of the model",
    ["InvocationClientErrors", "InvocationServerErrors", "InvocationThrottles"].map(
      (metricName) =>
        new Metric({ namespace: "AWS/Bedrock", metricName, dimensionsMap: { ModelId }, ...sum }),
    ),
  );

const nameOf = ({ node }: LambdaFunction): string => node.scope?.node.id ?? node.id;

export type ServiceMetrics = ReturnType<typeof serviceMetrics>;

/** All metrics of alarms and dashboard: AWS's own metrics, and those in the functions' log lines. */
export function serviceMetrics(scope: Construct, props: ServiceMetricsProps) {
  const gateway = gatewayMetrics(props.restApi);
  const own = ownMetrics(Stack.of(scope).stackName);
  return {
    ...gateway,
    ...queueMetrics(props.ingestion),
    ...tableMetrics(props.tableName),
    ...functionMetrics(props, gateway.calls),
    ...props.counted,
    ...own,
    deadEventPercent: math(
      "dead letters, percent of events",
      percentOf("dead", "(FILL(dead, 0) + FILL(applied, 0))", alarms.deadEvents.eventsMin),
      { dead: own.eventsDead, applied: own.eventsApplied },
    ),
    slowPercent: math("slow calls, percent", percentOf("slow", "calls", alarms.latencyP99.callsMin), {
      slow: props.counted.slowCalls,
      calls: gateway.calls,
    }),
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
  const expression = `IF(FILL(lag, -1) >= 0, FILL(lag, 0), IF(${others} > 0, ${secondsAbove + 1}, 0))`;
  return math("review index behind, seconds", expression, { lag, calls, ...turns });
}

const runsEveryMinute = ({ trigger }: Worker): boolean =>
  trigger.kind === "schedule" && trigger.everyMinutes === 1;

function gatewayMetrics(restApi: SpecRestApi) {
  const calls = restApi.metricCount({ period, label: "calls" });
  const serverErrors = restApi.metricServerError({ period, label: "5xx", statistic: Stats.SUM });
  return {
    calls,
    serverErrors,
    clientErrors: restApi.metricClientError({ period, label: "4xx", statistic: Stats.SUM }),
    rareServerErrors: math(
      "5xx while there are few calls",
      `IF(FILL(calls, 0) < ${alarms.serverErrors.callsMin}, FILL(errors, 0), 0)`,
      { calls, errors: serverErrors },
    ),
    serverErrorPercent: math("5xx percent", percentOf("errors", "calls", alarms.serverErrors.callsMin), {
      calls,
      errors: serverErrors,
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

function tableMetrics(TableName: string) {
  const ofTable = (metricName: string, dimensions: Readonly<Record<string, string>> = {}) =>
    new Metric({
      namespace: "AWS/DynamoDB",
      metricName,
      dimensionsMap: { TableName, ...dimensions },
      ...sum,
    });
  const ofVectorIndex = { VectorIndexName: tableShape.vectorIndex.name };
  return {
    tableThrottles: math("throttled requests of the table", sumOf(["reads", "writes"]), {
      reads: ofTable("ReadThrottleEvents"),
      writes: ofTable("WriteThrottleEvents"),
    }),
    readUnits: ofTable("ConsumedReadCapacityUnits"),
    writeUnits: ofTable("ConsumedWriteCapacityUnits"),
    vectorSearchBytes: ofTable("VectorSearchRequestBytes", ofVectorIndex),
    vectorWriteBytes: ofTable("VectorWriteRequestBytes", ofVectorIndex),
  };
}

function functionMetrics(props: ServiceMetricsProps, calls: IMetric) {
  const { workers, apiFunctions, internalFunctions, bedrockModelId } = props;
  const lambdaOf = (id: string) => workers.find(({ worker }) => worker.id === id)?.made.lambda;
  const [probe, everyMinute] = [probeApi, reconcileIndex].map(({ id }) => lambdaOf(id));
  return {
    workerErrors: total(
      "failed",
      "failed runs of workers",
      workers.map(({ made }) => made.lambda.metricErrors(sum)),
    ),
    workerThrottles: total(
      "throttled",
      "throttled calls of workers",
      workers.map(({ made }) => made.lambda.metricThrottles(sum)),
    ),
    reviewSearchFailures: total(
      "search",
      "failed and throttled searches of the reviewer",
      internalFunctions.flatMap(({ lambda }) => [lambda.metricErrors(sum), lambda.metricThrottles(sum)]),
    ),
    modelFailures: bedrockModelId === undefined ? undefined : modelFailures(bedrockModelId),
    probeFailures: probe && everyMinute && probeFailures(probe, calls, everyMinute.metricInvocations(sum)),
    functionConcurrency: new Metric({
      namespace: "AWS/Lambda",
      metricName: "ConcurrentExecutions",
      label: "functions at once, whole account",
      statistic: Stats.MAXIMUM,
      period,
    }),
    functionTime: [...apiFunctions, ...workers.map(({ made }) => made), ...internalFunctions].map(
      ({ lambda }) => lambda.metricDuration({ ...sum, label: nameOf(lambda) }),
    ),
    requestsByOperation: apiFunctions.map(({ lambda }) =>
      lambda.metricInvocations({ ...sum, label: nameOf(lambda) }),
    ),
    latencyByOperation: apiFunctions.map(({ lambda }) =>
      lambda.metricDuration({ period, statistic: Stats.p(99), label: nameOf(lambda) }),
    ),
  };
}

/** The stack's name is the namespace, so that the metrics of several stacks in an account stay separate. */
function ownMetrics(namespace: string) {
  const of = <Group extends MetricGroup>(
    _: Group,
    metricName: keyof Group["metrics"] & string,
    statistic: string,
  ): IMetric => new Metric({ namespace, metricName, statistic, period });
  return {
    limiterFailures: of(limiterMetrics, "limiter_failures", Stats.SUM),
    eventsApplied: of(eventMetrics, "events_applied", Stats.SUM),
    eventsWaiting: of(eventMetrics, "events_waiting", Stats.SUM),
    eventsDead: of(eventMetrics, "events_dead", Stats.SUM),
    eventsReturned: of(eventMetrics, "events_returned", Stats.SUM),
    indexLag: of(indexMetrics, "index_lag_seconds", Stats.MAXIMUM),
    indexStale: of(indexMetrics, "index_stale", Stats.MAXIMUM),
    indexFailures: of(indexMetrics, "index_failures", Stats.SUM),
    ringsDelivered: of(webhookMetrics, "rings_delivered", Stats.SUM),
    ringsFailed: of(webhookMetrics, "rings_failed", Stats.SUM),
    ringsPostponed: of(webhookMetrics, "rings_postponed", Stats.SUM),
    webhooksUnread: of(webhookMetrics, "webhooks_unread", Stats.SUM),
    vectorSearches: of(searchMetrics, "vector_searches", Stats.SUM),
    refusedSearches: of(refusedSearchMetrics, "refused_searches", Stats.SUM),
  };
}
