import * as z from "zod";
import type { Deployment } from "./deployment.ts";

/** The complete output of the functions, unchanged. */
export const logsOf = ({ functions }: Deployment): string[] =>
  [...functions.values()].map(({ log }) => log.join(""));

const lineSchema = z.looseObject({ level: z.string(), message: z.string() });
export type LogLine = z.output<typeof lineSchema>;

/** The lines of our own logger; other output of a function is ignored. */
export const logLines = (deployment: Deployment): LogLine[] =>
  logsOf(deployment)
    .flatMap((log) => log.split("\n"))
    .flatMap((line) => {
      const parsed = line.startsWith("{") ? lineSchema.safeParse(JSON.parse(line)) : undefined;
      return parsed?.success ? [parsed.data] : [];
    });

const embedded = z.object({
  Timestamp: z.number(),
  CloudWatchMetrics: z.array(
    z.strictObject({
      Namespace: z.string(),
      Dimensions: z.tuple([z.array(z.string()).max(1)]),
      Metrics: z.array(z.strictObject({ Name: z.string(), Unit: z.enum(["Count", "Seconds"]) })),
    }),
  ),
});

/**
 * The metrics that CloudWatch would extract from a line: namespace, name, dimension. It silently drops values that are
 * not numbers.
 */
export function metricsOf(line: LogLine): string[] {
  if (line._aws === undefined) return [];
  return embedded
    .parse(line._aws)
    .CloudWatchMetrics.flatMap(({ Namespace, Dimensions: [dimensions], Metrics }) =>
      Metrics.map(({ Name }) => {
        z.number().parse(line[Name], { error: () => `${Name} is no number of its line` });
        const values = dimensions.map((name) => `${name}=${z.string().parse(line[name])}`);
        return [Namespace, Name, ...values].join(" ");
      }),
    );
}
