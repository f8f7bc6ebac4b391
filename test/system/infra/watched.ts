import * as z from "zod";
import { ofType, type StackTemplate } from "./support.ts";

/** A metric that an alarm or a widget uses; references to resources stay as in the template. */
export type Watched = {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, unknown>>;
};

const metricSchema = z.object({
  Namespace: z.string(),
  MetricName: z.string(),
  Dimensions: z.array(z.object({ Name: z.string(), Value: z.unknown() })).default([]),
});
const alarmSchema = z.union([
  metricSchema.transform((metric) => [metric]),
  z
    .object({ Metrics: z.array(z.object({ MetricStat: z.object({ Metric: metricSchema }).optional() })) })
    .transform(({ Metrics }) => Metrics.flatMap(({ MetricStat }) => (MetricStat ? [MetricStat.Metric] : []))),
]);

export const metricsOfAlarm = (properties: unknown): Watched[] =>
  alarmSchema.parse(properties).map(({ Namespace, MetricName, Dimensions }) => ({
    namespace: Namespace,
    name: MetricName,
    dimensions: Object.fromEntries(Dimensions.map(({ Name, Value }) => [Name, Value])),
  }));

export const alarmMetrics = (template: StackTemplate): Watched[] =>
  ofType(template, "AWS::CloudWatch::Alarm").flatMap(([, { Properties }]) => metricsOfAlarm(Properties));

const join = z.object({ "Fn::Join": z.tuple([z.literal(""), z.array(z.unknown())]) });
const widgetSchema = z.object({
  properties: z.object({ title: z.string(), metrics: z.array(z.array(z.unknown())).default([]) }),
});

export function widgetsOf(template: StackTemplate) {
  const [[, dashboard] = []] = ofType(template, "AWS::CloudWatch::Dashboard");
  const [, parts] = join.parse(dashboard?.Properties.DashboardBody)["Fn::Join"];
  const text = parts.map((part) => (typeof part === "string" ? part : "reference")).join("");
  return z.object({ widgets: z.array(widgetSchema) }).parse(JSON.parse(text)).widgets;
}

/**
 * In the dashboard's JSON a metric is its namespace, its name, then alternating dimensions and values, then display
 * options.
 */
export const dashboardMetrics = (template: StackTemplate): Watched[] =>
  widgetsOf(template)
    .flatMap(({ properties: { metrics } }) => metrics)
    .filter(([namespace]) => typeof namespace === "string")
    .map(([namespace, name, ...rest]) => {
      const texts = rest.filter((each) => typeof each === "string");
      const pairs = texts.flatMap((each, index) =>
        index % 2 === 0 ? [[each, texts[index + 1]] as const] : [],
      );
      return { namespace: String(namespace), name: String(name), dimensions: Object.fromEntries(pairs) };
    });
