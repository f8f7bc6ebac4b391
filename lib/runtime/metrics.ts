import { environmentVariables } from "../contract/platform.ts";
import type { MetricGroup } from "../contract/telemetry.ts";
import type { Clock } from "./clock.ts";
import { optionalVariable } from "./environment.ts";
import type { LogFields } from "./log.ts";

/**
 * Makes fields of a log line into metrics: CloudWatch reads them from the line, without a request. If no namespace is
 * set (locally, in tests), the line has no metrics.
 */
export function embedMetrics(clock: Clock, groups: readonly MetricGroup[]): LogFields {
  const Namespace = optionalVariable(environmentVariables.metricsNamespace);
  if (Namespace === undefined) return {};
  const CloudWatchMetrics = groups.map(({ metrics }) => ({
    Namespace,
    Dimensions: [[]],
    Metrics: Object.entries(metrics).map(([Name, Unit]) => ({ Name, Unit })),
  }));
  return { _aws: { Timestamp: clock.nowMs(), CloudWatchMetrics } };
}
