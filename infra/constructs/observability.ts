import { Stack } from "aws-cdk-lib";
import { Alarm, ComparisonOperator, type IMetric, Stats, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { FilterPattern, type IFilterPattern, type LogGroup } from "aws-cdk-lib/aws-logs";
import { type ITopic, Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Construct } from "constructs";
import { alarms, rollback } from "../../lib/contract/platform.ts";
import type { Worker } from "../../lib/contract/workers.ts";
import { addLogQueries } from "./log-queries.ts";
import { createDashboard } from "./operator-dashboard.ts";
import type { ServiceFunction } from "./service-function.ts";
import {
  type LineCounts,
  metricPeriod,
  type ServiceMetrics,
  type ServiceMetricsProps,
  serviceMetrics,
} from "./service-metrics.ts";

export type ObservabilityProps = Omit<ServiceMetricsProps, "counted"> & {
  readonly alarmEmail: string | undefined;
  readonly alarmTopicArn: string | undefined;
  readonly accessLogs: LogGroup;
  readonly apiLogs: LogGroup;
  readonly workerLogs: LogGroup;
};

type AlarmName = keyof typeof alarms;

type AlarmRule = {
  readonly metric: IMetric;
  readonly above: number;
  /** Number of five-minute periods. All of them must be above the threshold, or at least `enough` of them. */
  readonly periods: number;
  readonly enough?: number;
};

const rule = (metric: IMetric, above: number, periods = 1): AlarmRule => ({ metric, above, periods });

const rules = (metrics: ServiceMetrics): Readonly<Partial<Record<AlarmName, AlarmRule>>> => ({
  serverErrors: rule(metrics.serverErrorPercent, alarms.serverErrors.percentAbove, 2),
  rareServerErrors: {
    ...rule(
      metrics.rareServerErrors,
      alarms.rareServerErrors.errorsAbove,
      alarms.rareServerErrors.periodsMax,
    ),
    enough: alarms.rareServerErrors.periodsMin,
  },
  ...(metrics.probeFailures && {
    publicAddress: rule(
      metrics.probeFailures,
      alarms.publicAddress.failuresAbove,
      alarms.publicAddress.periods,
    ),
  }),
  failedStarts: rule(metrics.failedStarts, alarms.failedStarts.linesAbove),
  latencyP99: rule(metrics.slowPercent, alarms.latencyP99.percentAbove, 3),
  deadEvents: rule(metrics.deadEventPercent, alarms.deadEvents.percentAbove),
  deadLetters: rule(metrics.deadLetters, alarms.deadLetters.messagesAbove),
  queueAge: rule(metrics.queueAge, alarms.queueAge.secondsAbove),
  queueLength: rule(metrics.queueLength, alarms.queueLength.messagesAbove),
  staleIndex: rule(metrics.indexTrouble, alarms.staleIndex.secondsAbove, 3),
  postponedRings: rule(metrics.ringsPostponed, alarms.postponedRings.ringsAbove, 3),
  unreadWebhooks: rule(metrics.webhooksUnread, alarms.unreadWebhooks.unreadAbove, 3),
  vectorSearches: rule(metrics.vectorSearches, alarms.vectorSearches.searchesAbove, 3),
  vectorWrites: rule(metrics.vectorWriteBytes, alarms.vectorWrites.bytesAbove, 3),
  limiterFailures: rule(metrics.limiterFailures, alarms.limiterFailures.callsAbove),
  workerErrors: rule(metrics.workerErrors, alarms.workerErrors.errorsAbove),
  functionThrottles: rule(metrics.apiThrottles, alarms.functionThrottles.throttlesAbove),
  workerThrottles: rule(metrics.workerThrottles, alarms.workerThrottles.throttlesAbove),
  reviewSearch: rule(metrics.reviewSearchFailures, alarms.reviewSearch.failuresAbove),
  ...(metrics.modelFailures && {
    embeddingModel: rule(metrics.modelFailures, alarms.embeddingModel.failuresAbove, 3),
  }),
  tableThrottles: rule(metrics.tableThrottles, alarms.tableThrottles.throttlesAbove),
});

/** Alarms that name their section of the runbook, and one dashboard. */
export class Observability extends Construct {
  /** ARNs of the alarms that roll a deployment back. */
  readonly rollbackAlarms: readonly string[];

  constructor(scope: Construct, id: string, props: ObservabilityProps) {
    super(scope, id);
    const { alarmEmail, alarmTopicArn } = props;
    const topics: readonly ITopic[] = [
      ...(alarmEmail === undefined ? [] : [createTopic(this, alarmEmail)]),
      ...(alarmTopicArn === undefined ? [] : [Topic.fromTopicArn(this, "ForeignAlarmTopic", alarmTopicArn)]),
    ];
    const metrics = serviceMetrics(this, { ...props, counted: countLines(props) });
    const made = new Map(
      Object.entries(rules(metrics)).map(([name, rule]) => [
        name,
        createAlarm(this, name, { section: name, rule, topics }),
      ]),
    );
    this.rollbackAlarms = rollback.alarms.flatMap((name) => made.get(name)?.alarmArn ?? []);
    for (const { worker, made } of props.workers)
      if (isSlow(worker))
        createAlarm(this, `${worker.id}Errors`, {
          section: "workerErrors",
          rule: slowRule(worker, made),
          topics,
        });
    createDashboard(this, metrics, props.apiLogs);
    addLogQueries(this, props);
  }
}

function countLines({ accessLogs, apiLogs, workerLogs }: ObservabilityProps): LineCounts {
  const count = (logGroup: LogGroup, metricName: string, filterPattern: IFilterPattern, label: string) =>
    logGroup
      .addMetricFilter(metricName, {
        filterPattern,
        metricNamespace: Stack.of(logGroup).stackName,
        metricName,
      })
      .metric({ period: metricPeriod, statistic: Stats.SUM, label });
  // Lambda's own line about an init that crashed or took too long; it writes none about one that worked.
  const failedInit = FilterPattern.allTerms("INIT_REPORT", "Status");
  // Both filters count the same metric.
  count(workerLogs, "failed_starts", failedInit, "");
  return {
    failedStarts: count(apiLogs, "failed_starts", failedInit, "failed starts of functions"),
    slowCalls: count(
      apiLogs,
      "slow_calls",
      FilterPattern.numberValue("$.duration_ms", ">", alarms.latencyP99.millisecondsAbove),
      "slow calls",
    ),
    // Lambda answers API Gateway with 429 if it has no free place for a call.
    apiThrottles: count(
      accessLogs,
      "throttled_calls",
      FilterPattern.stringValue("$.lambdaStatus", "=", "429"),
      "throttled calls of the API's functions",
    ),
  };
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
  readonly topics: readonly ITopic[];
};

function createAlarm(scope: Construct, name: string, { section, rule, topics }: AlarmProps): Alarm {
  const alarm = new Alarm(scope, `${name.charAt(0).toUpperCase()}${name.slice(1)}Alarm`, {
    metric: rule.metric,
    threshold: rule.above,
    evaluationPeriods: rule.periods,
    ...(rule.enough !== undefined && { datapointsToAlarm: rule.enough }),
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    // A new stack emits nothing and must stay silent.
    treatMissingData: TreatMissingData.NOT_BREACHING,
    alarmDescription: `Runbook: docs/operate/runbook.md#${section.toLowerCase()}`,
  });
  for (const topic of topics) {
    const action = new SnsAction(topic);
    alarm.addAlarmAction(action);
    alarm.addOkAction(action);
  }
  return alarm;
}
