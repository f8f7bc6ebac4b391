import type { FigureName } from "./columns.ts";
import type { PlotInput, PlotSeries } from "./plot-geometry.ts";
import { seriesOf } from "./plot-series.ts";
import { type ReportRow, statedRows } from "./report.ts";
import { countTicks, minuteTicks, shareTicks, wholeTicks } from "./scale.ts";
import {
  definitions,
  formatCount,
  formatMean,
  formatMinutes,
  formatShare,
  noValue,
  rowName,
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

/** A second pale line would hide the first. */
const alone = ({ before: _, ...series }: PlotSeries): PlotSeries => series;

type TimeTrend = {
  readonly title: string;
  readonly help: string;
  /** In the names of its columns. */
  readonly part: "first_review" | "merge";
  readonly look: "first-review" | "merge";
};

/** The median as a line and 90 % as a thin one; the median of the period before is pale. */
const timeTrend = ({ title, help, part, look }: TimeTrend): Trend => ({
  title,
  plot: `${title} by week, median and 90th percentile`,
  help,
  file: `${look}-by-week`,
  caption: `${title} by week`,
  columns: [`${part}_median_minutes`, `${part}_p90_minutes`],
  series: (rows) => [
    seriesOf(rows, `${part}_median_minutes`, { look }),
    alone(seriesOf(rows, `${part}_p90_minutes`, { look: `${look} soft` })),
  ],
  format: formatMinutes,
  ticks: minuteTicks,
});

const outcomes: readonly Trend[] = [
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
    title: "Findings by outcome",
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
    title: "Acceptance by week",
    plot: "Acceptance by week",
    help: definitions.acceptance,
    file: "acceptance-by-week",
    caption: "Acceptance by week",
    columns: ["acceptance", "accepted", "not_accepted", "unknown"],
    series: (rows) => [seriesOf(rows, "acceptance", { look: "accepted" })],
    format: formatShare,
    ticks: shareTicks,
  },
];

/** Charts that stand side by side. */
export const trendRows: ReadonlyArray<readonly Trend[]> = [
  outcomes,
  [
    timeTrend({
      title: "Time to first human review",
      help: definitions.timeToFirstHumanReview,
      part: "first_review",
      look: "first-review",
    }),
    timeTrend({ title: "Time to merge", help: definitions.timeToMerge, part: "merge", look: "merge" }),
  ],
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
  names: weeks.map((week) => `Week of ${rowName(week)}`),
  inPart: weeks.map(({ in_part }) => in_part),
});

export function drawnComplexity(complexity: readonly ReportRow[]): DrawnTrend {
  const rows = statedRows(complexity);
  return {
    ...drawnTrend(byComplexity, rows),
    labels: rows.map(({ id }) => id ?? "none"),
    names: rows.map(({ name }) => `Complexity ${name}`),
  };
}

/** The class of a row of charts. */
export const rowLook = ({ length }: readonly Trend[]): string => (length > 2 ? "row thirds" : "row");

const rowWidth = 1_100;

/** How wide a chart is drawn beside the others of its row, on a page that is a report. */
export const widthOf = ({ length }: readonly Trend[]): number => Math.floor(rowWidth / length);
