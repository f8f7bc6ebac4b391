import { Duration, Stack } from "aws-cdk-lib";
import type { RestApi } from "aws-cdk-lib/aws-apigateway";
import {
  Alarm,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  Metric,
  Stats,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import type { CfnTable } from "aws-cdk-lib/aws-dynamodb";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Construct } from "constructs";
import { alarms } from "../../lib/contract/platform.ts";
import type { Ingestion } from "./ingestion.ts";
import type { ServiceFunction } from "./service-function.ts";

export type ObservabilityProps = {
  readonly restApi: RestApi;
  readonly table: CfnTable;
  readonly ingestion: Ingestion;
  readonly workers: readonly ServiceFunction[];
  readonly alarmEmail: string | undefined;
};

type AlarmName = keyof typeof alarms;

const period = Duration.minutes(5);

/** Alarms that name their page of the runbook, and one dashboard. */
export class Observability extends Construct {
  readonly #topic: Topic | undefined;

  constructor(scope: Construct, id: string, props: ObservabilityProps) {
    super(scope, id);
    this.#topic = props.alarmEmail === undefined ? undefined : createTopic(this, props.alarmEmail);
    const metrics = serviceMetrics(props);
    this.#alarm("serverErrors", metrics.serverErrorPercent, alarms.serverErrors.percentAbove, 2);
    this.#alarm("latencyP99", metrics.latencyP99, alarms.latencyP99.millisecondsAbove, 3);
    this.#alarm("deadLetters", metrics.deadLetters, alarms.deadLetters.messagesAbove, 1);
    this.#alarm("queueAge", metrics.queueAge, alarms.queueAge.secondsAbove, 1);
    this.#alarm("workerErrors", metrics.workerErrors, alarms.workerErrors.errorsAbove, 1);
    this.#alarm("functionThrottles", metrics.functionThrottles, alarms.functionThrottles.throttlesAbove, 1);
    this.#alarm("tableThrottles", metrics.tableThrottles, alarms.tableThrottles.throttlesAbove, 1);
    createDashboard(this, metrics);
  }

  #alarm(name: AlarmName, metric: IMetric, threshold: number, evaluationPeriods: number): void {
    const alarm = new Alarm(this, `${name.charAt(0).toUpperCase()}${name.slice(1)}Alarm`, {
      metric,
      threshold,
      evaluationPeriods,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription: `Runbook: docs/runbook.md#${name.toLowerCase()}`,
    });
    if (!this.#topic) return;
    const action = new SnsAction(this.#topic);
    alarm.addAlarmAction(action);
    alarm.addOkAction(action);
  }
}

function createTopic(scope: Construct, email: string): Topic {
  const topic = new Topic(scope, "AlarmTopic", { displayName: "Review API alarms", enforceSSL: true });
  topic.addSubscription(new EmailSubscription(email));
  return topic;
}

type Metrics = ReturnType<typeof serviceMetrics>;

function serviceMetrics({ restApi, table, ingestion, workers }: ObservabilityProps) {
  const calls = restApi.metricCount({ period, label: "calls" });
  const serverErrors = restApi.metricServerError({ period, label: "5xx", statistic: Stats.SUM });
  const sum = { period, statistic: Stats.SUM };
  const ofTable = (metricName: string) =>
    new Metric({ namespace: "AWS/DynamoDB", metricName, dimensionsMap: { TableName: table.ref }, ...sum });
  const deadLetters = ingestion.deadLetterQueue.metricApproximateNumberOfMessagesVisible({ period });
  const queueAge = ingestion.eventsQueue.metricApproximateAgeOfOldestMessage({ period });
  const errors = Object.fromEntries(
    workers.map(({ lambda }, index) => [`e${index}`, lambda.metricErrors(sum)]),
  );
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
    deadLetters,
    queueAge,
    queueLength: ingestion.eventsQueue.metricApproximateNumberOfMessagesVisible({ period }),
    workerErrors: new MathExpression({
      expression: Object.keys(errors).join(" + "),
      usingMetrics: errors,
      label: "failed runs of workers",
      period,
    }),
    functionThrottles: new Metric({
      namespace: "AWS/Lambda",
      metricName: "Throttles",
      label: "throttled calls of functions, whole account",
      ...sum,
    }),
    functionConcurrency: new Metric({
      namespace: "AWS/Lambda",
      metricName: "ConcurrentExecutions",
      label: "functions at once, whole account",
      period,
      statistic: Stats.MAXIMUM,
    }),
    tableThrottles: new MathExpression({
      expression: "reads + writes",
      usingMetrics: { reads: ofTable("ReadThrottleEvents"), writes: ofTable("WriteThrottleEvents") },
      label: "throttled requests of the table",
      period,
    }),
    readUnits: ofTable("ConsumedReadCapacityUnits"),
    writeUnits: ofTable("ConsumedWriteCapacityUnits"),
  };
}

function createDashboard(scope: Construct, metrics: Metrics): void {
  const graph = (title: string, left: IMetric[], right: IMetric[] = []) =>
    new GraphWidget({ title, left, right, width: 8, height: 6 });
  const dashboard = new Dashboard(scope, "Dashboard", { dashboardName: Stack.of(scope).stackName });
  dashboard.addWidgets(
    graph("Traffic", [metrics.calls], [metrics.clientErrors, metrics.serverErrors]),
    graph("Latency", [metrics.latencyP50, metrics.latencyP99]),
    graph("Throttles", [metrics.functionThrottles, metrics.tableThrottles], [metrics.functionConcurrency]),
  );
  dashboard.addWidgets(
    graph("Events", [metrics.queueLength, metrics.deadLetters], [metrics.queueAge]),
    graph("Workers", [metrics.workerErrors]),
    graph("Cost: table units", [metrics.readUnits, metrics.writeUnits]),
  );
}
