import * as z from "zod";
import {
  eventMetrics,
  indexMetrics,
  limiterMetrics,
  type MetricGroup,
  refusedSearchMetrics,
  searchMetrics,
} from "../../../../lib/contract/telemetry.ts";
import { type WorkerId, workers } from "../../../../lib/contract/workers.ts";
import { ofType, type Resource, type StackTemplate } from "../../../system/infra/support.ts";
import { assumedTripMs, prices } from "../cost/prices.ts";
import { monthlyPrices } from "./monthly-prices.ts";

/** AWS's monthly price of a resource without any calls; "by use" if only use costs, "free" if nothing does. */
type Price = "free" | "by use" | ((resource: Resource) => number);

const minutesPerMonth = 30 * 24 * 60;
/** How often Lambda's pollers query an empty queue: five of them, each for 20 seconds. */
const pollsPerMinute = 15;
const fifoRequestDollars = prices.fifoRequestsMillion / 1e6;

const alarmSchema = z.object({
  Metrics: z.array(z.object({ MetricStat: z.unknown().optional() })).optional(),
});
/** An alarm is charged for every metric that its expression reads. */
const alarmDollars = ({ Properties }: Resource): number => {
  const { Metrics } = alarmSchema.parse(Properties);
  const metrics = Metrics?.filter(({ MetricStat }) => MetricStat !== undefined).length ?? 1;
  return metrics * monthlyPrices.alarmOfOneMetric.dollars;
};

const rulesSchema = z.object({ Rules: z.array(z.unknown()) });

/** Every type of resource that the stack can have. A missing type makes the page fail. */
const priceOf: Readonly<Record<string, Price>> = {
  "AWS::ApiGateway::Account": "free",
  "AWS::ApiGateway::BasePathMapping": "free",
  "AWS::ApiGateway::Deployment": "free",
  "AWS::ApiGateway::DomainName": "free",
  "AWS::ApiGateway::RestApi": "by use",
  "AWS::ApiGateway::Stage": "free",
  "AWS::CloudWatch::Alarm": alarmDollars,
  "AWS::CloudWatch::Dashboard": () => monthlyPrices.dashboard.dollars,
  "AWS::DynamoDB::Table": "by use",
  "AWS::Events::Rule": "free",
  "AWS::IAM::Role": "free",
  "AWS::KMS::Key": () => monthlyPrices.encryptionKey.dollars,
  "AWS::Lambda::EventInvokeConfig": "free",
  "AWS::Lambda::EventSourceMapping": () => minutesPerMonth * pollsPerMinute * fifoRequestDollars,
  "AWS::Lambda::Function": "by use",
  "AWS::Lambda::Permission": "free",
  "AWS::Logs::LogGroup": "by use",
  "AWS::Logs::MetricFilter": "free",
  "AWS::Logs::QueryDefinition": "free",
  "AWS::Route53::RecordSet": "free",
  "AWS::S3::Bucket": "by use",
  "AWS::S3::BucketPolicy": "free",
  "AWS::SNS::Subscription": "by use",
  "AWS::SNS::Topic": "by use",
  "AWS::SNS::TopicPolicy": "free",
  "AWS::SQS::Queue": "by use",
  "AWS::SQS::QueuePolicy": "free",
  "AWS::WAFv2::WebACL": ({ Properties }) =>
    monthlyPrices.firewall.dollars +
    rulesSchema.parse(Properties).Rules.length * monthlyPrices.firewallRule.dollars,
  "AWS::WAFv2::LoggingConfiguration": "free",
  "AWS::WAFv2::WebACLAssociation": "free",
  "Custom::WorkerRun": "free",
};

export type ResourceCost = {
  readonly type: string;
  readonly count: number;
  readonly monthly: number | "free" | "by use";
};

export function resourceCosts(template: StackTemplate): readonly ResourceCost[] {
  const types = [...new Set(Object.values(template.Resources).map(({ Type }) => Type))].toSorted();
  return types.map((type) => {
    const price = priceOf[type];
    if (price === undefined)
      throw new Error(
        `${type} has no price in test/measure/bench/scale/resources.ts: look it up and add it.`,
      );
    const resources = ofType(template, type).map(([, resource]) => resource);
    const monthly =
      typeof price === "string" ? price : resources.reduce((sum, resource) => sum + price(resource), 0);
    return { type, count: resources.length, monthly };
  });
}

/** An idle run of a scheduled worker: a few reads, one log line. Assumed, since nothing was deployed. */
const idleTurn = { milliseconds: 4 * assumedTripMs + 20, logBytes: 400 } as const;

/** Read units of a scheduled worker that finds nothing to do; a test counts them. The probe asks the API, not the table. */
export const idleReadUnits: Readonly<Partial<Record<WorkerId, number>>> = {
  expireWaiting: 1,
  approveDue: 2,
  reconcileIndex: 34,
  finishMoves: 3,
  housekeeping: 3,
  rotateCursorKeys: 1,
  ringWebhooks: 8,
};

/** The monthly cost of the scheduled workers in a stack without calls. */
export function idleWorkersDollars(): number {
  return workers.reduce((sum, { id, trigger, memoryMegabytes }) => {
    if (trigger.kind !== "schedule") return sum;
    const turns = minutesPerMonth / trigger.everyMinutes;
    const lambda =
      (turns * prices.lambdaRequestsMillion) / 1e6 +
      turns * (memoryMegabytes / 1024) * (idleTurn.milliseconds / 1000) * prices.lambdaGigabyteSecond;
    const reads = (turns * (idleReadUnits[id] ?? 0) * prices.readUnitsMillion) / 1e6;
    const logs = ((turns * idleTurn.logBytes) / 1024 ** 3) * prices.logsGigabyte;
    return sum + lambda + reads + logs;
  }, 0);
}

const namesIn = ({ metrics }: MetricGroup): number => Object.keys(metrics).length;

/** Metrics that workers emit on every run, with or without calls: those of the index and of events. */
export const idleMetrics = namesIn(indexMetrics) + namesIn(eventMetrics);

/** Counted by filters of log groups. */
const countedLines = ["throttled_calls", "slow_calls", "failed_starts"];

/** With those that only calls cause: the maximum. */
export const usedMetrics =
  idleMetrics +
  namesIn(limiterMetrics) +
  namesIn(searchMetrics) +
  namesIn(refusedSearchMetrics) +
  countedLines.length;
