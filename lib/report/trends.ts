import { type FigureName, figureColumns } from "./columns.ts";
import type { PlotInput, PlotSeries } from "./plot-geometry.ts";
import type { ReportRow } from "./report.ts";
import { minuteTicks, shareTicks, wholeTicks } from "./scale.ts";
import { formatCount, formatMinutes, formatShare, noValue, shortDay } from "./words.ts";

/** A chart of figures by week: the dashboard and the report draw the same. */
export type Trend = Pick<PlotInput, "format" | "ticks"> & {
  readonly card: string;
  readonly title: string;
  readonly kind: PlotSeries["kind"];
  /** The figures, and the look of each. */
  readonly looks: Readonly<Partial<Record<FigureName, string>>>;
};

const wholeNumbers = {
  format: (value: number | null) => (value === null ? noValue : formatCount(value)),
  ticks: wholeTicks,
};

export const trends = {
  pullRequests: {
    card: "Pull requests reviewed",
    title: "Pull requests reviewed by week",
    kind: "bar",
    looks: { pull_requests: "one" },
    ...wholeNumbers,
  },
  findings: {
    card: "Findings and their outcome",
    title: "Findings by week and outcome",
    kind: "bar",
    looks: { accepted: "accepted", not_accepted: "not-accepted", unknown: "unknown" },
    ...wholeNumbers,
  },
  acceptance: {
    card: "Acceptance, of findings whose outcome is known",
    title: "Acceptance by week",
    kind: "line",
    looks: { acceptance: "accepted" },
    ...{ format: formatShare, ticks: shareTicks },
  },
  times: {
    card: "Time to first human review and to merge",
    title: "Median time to first human review and to merge by week",
    kind: "line",
    looks: { first_review_median_minutes: "one", merge_median_minutes: "two" },
    ...{ format: formatMinutes, ticks: minuteTicks },
  },
} as const satisfies Record<string, Trend>;

export function trendPlot({ title, kind, looks, format, ticks }: Trend, weeks: readonly ReportRow[]) {
  const series = Object.entries(looks).flatMap(([figure, look]): PlotSeries[] =>
    figureColumns
      .filter(({ name }) => name === figure)
      .map(({ head, value }) => ({
        ...{ name: head, kind, look },
        values: weeks.map(({ figures }) => value(figures)),
      })),
  );
  return {
    ...{ title, series, format, ticks },
    labels: weeks.map(({ id, name }) => shortDay(id ?? name)),
    inPart: weeks.map(({ in_part }) => in_part),
  };
}
