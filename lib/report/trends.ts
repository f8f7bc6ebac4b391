import type { FigureName } from "./columns.ts";
import type { PlotInput, PlotSeries } from "./plot-geometry.ts";
import { seriesOf } from "./plot-series.ts";
import type { ReportRow } from "./report.ts";
import { countTicks, minuteTicks, shareTicks, wholeTicks } from "./scale.ts";
import {
  definitions,
  formatCount,
  formatMean,
  formatMinutes,
  formatShare,
  noValue,
  shortDay,
} from "./words.ts";

/** A chart of rows, the same in a report and in the dashboard. */
export type Trend = Pick<PlotInput, "format" | "ticks"> & {
  readonly title: string;
  /** For screen readers. */
  readonly plot: string;
  readonly help?: string;
  /** Its numbers: the name of the file, their caption and columns. */
  readonly file: string;
  readonly caption: string;
  readonly columns: readonly FigureName[];
  series(rows: readonly ReportRow[]): readonly PlotSeries[];
};

const count = (value: number | null): string => (value === null ? noValue : formatCount(value));

/** A second pair of pale lines would hide the first. */
const alone = ({ before: _, ...series }: PlotSeries): PlotSeries => series;

export const trends: readonly Trend[] = [
  {
    title: "Pull requests reviewed",
    plot: "Pull requests reviewed by week",
    file: "pull-requests-by-week",
    caption: "Pull requests by week",
    columns: ["pull_requests"],
    series: (rows) => [seriesOf(rows, "pull_requests", { kind: "bar" })],
    format: count,
    ticks: wholeTicks,
  },
  {
    title: "Findings and their outcome",
    plot: "Findings by week and outcome",
    help: definitions.acceptance,
    file: "findings-by-week",
    caption: "Findings by week",
    columns: ["findings", "accepted", "not_accepted", "unknown"],
    series: (rows) => [
      seriesOf(rows, "accepted", { kind: "bar", look: "accepted" }),
      seriesOf(rows, "not_accepted", { kind: "bar", look: "not-accepted" }),
      seriesOf(rows, "unknown", { kind: "bar", look: "unknown" }),
    ],
    format: count,
    ticks: wholeTicks,
  },
  {
    title: "Acceptance, of findings whose outcome is known",
    plot: "Acceptance by week",
    help: definitions.acceptance,
    file: "acceptance-by-week",
    caption: "Acceptance by week",
    columns: ["acceptance", "accepted", "not_accepted", "unknown"],
    series: (rows) => [seriesOf(rows, "acceptance", { look: "accepted" })],
    format: formatShare,
    ticks: shareTicks,
  },
  {
    title: "Time to first human review and to merge",
    plot: "Time to first human review and to merge by week, median and 90th percentile",
    help: `First review: ${definitions.timeToFirstHumanReview} Merge: ${definitions.timeToMerge}`,
    file: "times-by-week",
    caption: "Times by week",
    columns: [
      ...(["first_review_median_minutes", "first_review_p90_minutes"] as const),
      ...(["merge_median_minutes", "merge_p90_minutes"] as const),
    ],
    series: (rows) => [
      alone(seriesOf(rows, "first_review_p90_minutes", { look: "first-review soft" })),
      alone(seriesOf(rows, "merge_p90_minutes", { look: "merge soft" })),
      seriesOf(rows, "first_review_median_minutes", { look: "first-review" }),
      seriesOf(rows, "merge_median_minutes", { look: "merge" }),
    ],
    format: formatMinutes,
    ticks: minuteTicks,
  },
];

export const byComplexity: Trend = {
  title: "Findings per pull request",
  plot: "Findings per pull request by estimated complexity",
  help: definitions.acceptance,
  file: "findings-by-complexity",
  caption: "Findings per pull request by estimated complexity",
  columns: ["pull_requests", "findings", "findings_per_pull_request", "acceptance"],
  series: (rows) => [
    seriesOf(rows, "findings_per_pull_request", { name: "Findings per pull request", kind: "bar" }),
  ],
  format: formatMean,
  ticks: countTicks,
};

/** What a chart draws, with names in full for the text beside the pointer. */
export type DrawnTrend = Omit<PlotInput, "width" | "height"> & {
  readonly title: string;
  readonly names: readonly string[];
};

export const drawnTrend = (
  { plot, format, ticks, series }: Trend,
  weeks: readonly ReportRow[],
): DrawnTrend => ({
  title: plot,
  format,
  ticks,
  series: series(weeks),
  labels: weeks.map(({ id, name }) => shortDay(id ?? name)),
  names: weeks.map(({ name }) => `Week of ${name}`),
  inPart: weeks.map(({ in_part }) => in_part),
});

export const drawnComplexity = (rows: readonly ReportRow[]): DrawnTrend => ({
  ...drawnTrend(byComplexity, rows),
  labels: rows.map(({ id }) => id ?? "none"),
  names: rows.map(({ name }) => `Complexity ${name}`),
});
