import type { FigureName } from "../../lib/report/columns.ts";
import { utc } from "../../lib/report/period.ts";
import type { PlotInput, PlotSeries } from "../../lib/report/plot-geometry.ts";
import { seriesOf } from "../../lib/report/plot-series.ts";
import type { ReportRow } from "../../lib/report/report.ts";
import { minuteTicks, shareTicks, wholeTicks } from "../../lib/report/scale.ts";
import {
  definitions,
  formatCount,
  formatMinutes,
  formatShare,
  noValue,
  shortDay,
  weekDefinition,
} from "../../lib/report/words.ts";
import { longDay } from "../days.ts";
import type { ReviewFigures } from "../protocol.ts";
import { figureColumnsOf, textColumn } from "../tables.ts";
import { Card } from "./numbers.tsx";
import { Plot } from "./plot.tsx";

type Weeks = readonly ReportRow[];
type Series = ReturnType<typeof seriesOf>;

type Trend = Pick<PlotInput, "format" | "ticks"> & {
  readonly title: string;
  readonly plot: string;
  readonly help?: string;
  /** Its numbers: the name of the file, their caption and columns. */
  readonly file: string;
  readonly caption: string;
  readonly columns: readonly FigureName[];
  series(of: Series): readonly PlotSeries[];
};

const count = (value: number | null): string => (value === null ? noValue : formatCount(value));

/** A second pair of pale lines would hide the first. */
const alone = ({ before: _, ...series }: PlotSeries): PlotSeries => series;

const trends: readonly Trend[] = [
  {
    title: "Pull requests reviewed",
    plot: "Pull requests reviewed by week",
    ...{ file: "pull-requests-by-week", caption: "Pull requests by week", columns: ["pull_requests"] },
    series: (of) => [of("Pull requests", "bar", "one", ({ pull_requests }) => pull_requests)],
    ...{ format: count, ticks: wholeTicks },
  },
  {
    title: "Findings and their outcome",
    plot: "Findings by week and outcome",
    help: definitions.acceptance,
    ...{ file: "findings-by-week", caption: "Findings by week" },
    columns: ["findings", "accepted", "not_accepted", "unknown"],
    series: (of) => [
      of("Accepted", "bar", "accepted", ({ findings }) => findings.accepted),
      of("Not accepted", "bar", "not-accepted", ({ findings }) => findings.not_accepted),
      of("Unknown", "bar", "unknown", ({ findings }) => findings.unknown),
    ],
    ...{ format: count, ticks: wholeTicks },
  },
  {
    title: "Acceptance, of findings whose outcome is known",
    plot: "Acceptance by week",
    help: definitions.acceptance,
    ...{ file: "acceptance-by-week", caption: "Acceptance by week" },
    columns: ["acceptance", "accepted", "not_accepted", "unknown"],
    series: (of) => [of("Acceptance", "line", "accepted", ({ findings }) => findings.acceptance)],
    ...{ format: formatShare, ticks: shareTicks },
  },
  {
    title: "Time to first human review and to merge",
    plot: "Time to first human review and to merge by week, median and 90th percentile",
    help: `First review: ${definitions.timeToFirstHumanReview} Merge: ${definitions.timeToMerge}`,
    ...{ file: "times-by-week", caption: "Times by week" },
    columns: [
      ...(["first_review_median_minutes", "first_review_p90_minutes"] as const),
      ...(["merge_median_minutes", "merge_p90_minutes"] as const),
    ],
    series: (of) => [
      alone(
        of(
          "First review, 90 %",
          "line",
          "first-review soft",
          (each) => each.time_to_first_human_review.p90_minutes,
        ),
      ),
      alone(of("Merge, 90 %", "line", "merge soft", ({ time_to_merge }) => time_to_merge.p90_minutes)),
      of(
        "First review, median",
        "line",
        "first-review",
        (each) => each.time_to_first_human_review.median_minutes,
      ),
      of("Merge, median", "line", "merge", ({ time_to_merge }) => time_to_merge.median_minutes),
    ],
    ...{ format: formatMinutes, ticks: minuteTicks },
  },
];

export const Trends = ({ figures: { weeks } }: { readonly figures: ReviewFigures }) => (
  <section aria-label="By week">
    <h2>
      By week <small>{weekDefinition(utc)}</small>
    </h2>
    <div class="row">
      {trends.map((trend) => (
        <TrendCard key={trend.file} {...{ trend, weeks }} />
      ))}
    </div>
  </section>
);

const TrendCard = ({ trend, weeks }: { readonly trend: Trend; readonly weeks: Weeks }) => (
  <Card title={trend.title} help={trend.help} numbers={numbersOf(trend, weeks)} class="trend">
    <Plot
      title={trend.plot}
      labels={weeks.map(({ id, name }) => shortDay(id ?? name))}
      names={weeks.map(
        ({ id, name, in_part }) => `Week of ${longDay(id ?? name)}${in_part ? ", in part" : ""}`,
      )}
      inPart={weeks.map(({ in_part }) => in_part)}
      series={trend.series(seriesOf(weeks))}
      format={trend.format}
      ticks={trend.ticks}
    />
  </Card>
);

const numbersOf = ({ file, caption, columns }: Trend, weeks: Weeks) => ({
  name: file,
  caption,
  columns: [
    textColumn("week_of", "Week of", ({ id }: ReportRow) => id),
    ...figureColumnsOf<ReportRow>(...columns),
    textColumn("days", "Days", ({ in_part }: ReportRow) => (in_part ? "in part" : "all")),
  ],
  rows: weeks,
});
