import { Stack } from "aws-cdk-lib";
import {
  Alarm,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IMetric,
  Stats,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Construct } from "constructs";
import { alarms } from "../../lib/contract/platform.ts";
import type { Worker } from "../../lib/contract/workers.ts";
import type { ServiceFunction } from "./service-function.ts";
import {
  metricPeriod,
  type ServiceMetrics,
  type ServiceMetricsProps,
  serviceMetrics,
} from "./service-metrics.ts";

export type ObservabilityProps = ServiceMetricsProps & { readonly alarmEmail: string | undefined };

type AlarmName = keyof typeof alarms;

type AlarmRule = {
  readonly metric: IMetric;
  readonly above: number;
  /** Number of five-minute periods. All of them must be above the threshold, or at least `enough` of them. */
  readonly periods: number;
  readonly enough?: number;
};

const rules = (metrics: ServiceMetrics): Readonly<Record<AlarmName, AlarmRule>> => ({
  serverErrors: { metric: metrics.serverErrorPercent, above: alarms.serverErrors.percentAbove, periods: 2 },
  latencyP99: { metric: metrics.latencyP99, above: alarms.latencyP99.millisecondsAbove, periods: 3 },
  deadLetters: { metric: metrics.deadLetters, above: alarms.deadLetters.messagesAbove, periods: 1 },
  queueAge: { metric: metrics.queueAge, above: alarms.queueAge.secondsAbove, periods: 1 },
  staleIndex: {
    metric: metrics.indexTrouble,
    above: alarms.staleIndex.secondsAbove,
    periods: 3,
  },
  vectorSearches: {
    metric: metrics.vectorSearches,
    above: alarms.vectorSearches.searchesAbove,
    periods: 3,
  },
  vectorWrites: {
    metric: metrics.vectorWriteBytes,
    above: alarms.vectorWrites.bytesAbove,
    periods: 3,
  },
  limiterFailures: { metric: metrics.limiterFailures, above: alarms.limiterFailures.callsAbove, periods: 1 },
  workerErrors: { metric: metrics.workerErrors, above: alarms.workerErrors.errorsAbove, periods: 1 },
  functionThrottles: {
    metric: metrics.functionThrottles,
    above: alarms.functionThrottles.throttlesAbove,
    periods: 1,
  },
  tableThrottles: { metric: metrics.tableThrottles, above: alarms.tableThrottles.throttlesAbove, periods: 1 },
});

/** Alarms that name their section of the runbook, and one dashboard. */
export class Observability extends Construct {
  constructor(scope: Construct, id: string, props: ObservabilityProps) {
    super(scope, id);
    const topic = props.alarmEmail === undefined ? undefined : createTopic(this, props.alarmEmail);
    const metrics = serviceMetrics(this, props);
    for (const [name, rule] of Object.entries(rules(metrics)))
      createAlarm(this, name, { section: name, rule, topic });
    for (const { worker, made } of props.workers)
      if (isSlow(worker))
        createAlarm(this, `${worker.id}Errors`, {
          section: "workerErrors",
          rule: slowRule(worker, made),
          topic,
        });
    createDashboard(this, metrics);
  }
}

type SlowWorker = Worker & { readonly trigger: { readonly kind: "schedule" } };

const periodMinutes = metricPeriod.toMinutes();

/** The worker runs too rarely to reach the failures per period that `workerErrors` requires. */
const isSlow = (worker: Worker): worker is SlowWorker =>
  worker.trigger.kind === "schedule" &&
  periodMinutes / worker.trigger.everyMinutes <= alarms.workerErrors.errorsAbove;

/** Fires at the first failure, and stays until a whole interval of the schedule has passed without one. */
const slowRule = ({ trigger }: SlowWorker, { lambda }: ServiceFunction): AlarmRule => ({
  metric: lambda.metricErrors({ period: metricPeriod, statistic: Stats.SUM }),
  above: alarms.workerErrors.slowErrorsAbove,
  periods: Math.ceil(trigger.everyMinutes / periodMinutes),
  enough: 1,
});

function createTopic(scope: Construct, email: string): Topic {
  const topic = new Topic(scope, "AlarmTopic", { displayName: "Review API alarms", enforceSSL: true });
  // Requiring TLS adds a policy, and a policy replaces SNS's default one, which lets the account's alarms publish.
  topic.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal("cloudwatch.amazonaws.com")],
      actions: ["sns:Publish"],
      resources: [topic.topicArn],
      conditions: { StringEquals: { "aws:SourceAccount": Stack.of(scope).account } },
    }),
  );
  topic.addSubscription(new EmailSubscription(email));
  return topic;
}

type AlarmProps = {
  /** The section of the runbook. */
  readonly section: string;
  readonly rule: AlarmRule;
  readonly topic: Topic | undefined;
};

function createAlarm(scope: Construct, name: string, { section, rule, topic }: AlarmProps): void {
  const alarm = new Alarm(scope, `${name.charAt(0).toUpperCase()}${name.slice(1)}Alarm`, {
    metric: rule.metric,
    threshold: rule.above,
    evaluationPeriods: rule.periods,
    ...(rule.enough !== undefined && { datapointsToAlarm: rule.enough }),
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    treatMissingData: TreatMissingData.NOT_BREACHING,
    alarmDescription: `Runbook: docs/runbook.md#${section.toLowerCase()}`,
  });
  if (!topic) return;
  const action = new SnsAction(topic);
  alarm.addAlarmAction(action);
  alarm.addOkAction(action);
}

function createDashboard(scope: Construct, metrics: ServiceMetrics): void {
  const graph = (title: string, left: readonly IMetric[], right: readonly IMetric[] = [], stacked = false) =>
    new GraphWidget({ title, left: [...left], right: [...right], width: 8, height: 6, stacked });
  const dashboard = new Dashboard(scope, "Dashboard", { dashboardName: Stack.of(scope).stackName });
  dashboard.addWidgets(
    graph("Traffic", [metrics.calls], [metrics.clientErrors, metrics.serverErrors]),
    graph("Traffic by operation", metrics.requestsByOperation, [], true),
    graph("Errors by code", metrics.errorsByCode, [], true),
  );
  dashboard.addWidgets(
    graph("Latency at the gateway, ms", [metrics.latencyP50, metrics.latencyP99]),
    graph("Latency by operation, p99, ms", metrics.latencyByOperation),
    graph(
      "Throttles and limiter",
      [metrics.functionThrottles, metrics.tableThrottles, metrics.limiterFailures],
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
    graph("Workers", [metrics.workerErrors]),
    graph("Cost: table units", [metrics.readUnits, metrics.writeUnits]),
    graph("Cost: function time, ms", metrics.functionTime, [], true),
  );
  dashboard.addWidgets(
    graph("Cost: read units by operation", metrics.readUnitsByOperation, [], true),
    graph("Cost: write units by operation", metrics.writeUnitsByOperation, [], true),
    graph("Cost: vector index, bytes", [metrics.vectorSearchBytes], [metrics.vectorWriteBytes]),
  );
}
