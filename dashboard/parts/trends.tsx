import type { FigureName } from "../../lib/report/columns.ts";
import { utc } from "../../lib/report/period.ts";
import type { ReportRow } from "../../lib/report/report.ts";
import { type Trend, trendPlot, trends } from "../../lib/report/trends.ts";
import { definitions, weekDefinition } from "../../lib/report/words.ts";
import { longDay } from "../days.ts";
import type { ReviewFigures } from "../protocol.ts";
import { figureColumnsOf, textColumn } from "../tables.ts";
import { Card } from "./numbers.tsx";
import { Plot } from "./plot.tsx";

type TrendCard = {
  readonly trend: Trend;
  readonly help?: string;
  /** The name of the file of its numbers, their caption and columns. */
  readonly name: string;
  readonly caption: string;
  readonly columns: readonly FigureName[];
};

const cards: readonly TrendCard[] = [
  {
    trend: trends.pullRequests,
    name: "pull-requests-by-week",
    caption: "Pull requests by week",
    columns: ["pull_requests"],
  },
  {
    trend: trends.findings,
    help: definitions.acceptance,
    name: "findings-by-week",
    caption: "Findings by week",
    columns: ["findings", "accepted", "not_accepted", "unknown"],
  },
  {
    trend: trends.acceptance,
    help: definitions.acceptance,
    name: "acceptance-by-week",
    caption: "Acceptance by week",
    columns: ["acceptance", "accepted", "not_accepted", "unknown"],
  },
  {
    trend: {
      ...trends.times,
      title: "Time to first human review and to merge by week, median and 90th percentile",
      // The medians are drawn over the others.
      looks: {
        first_review_p90_minutes: "one soft",
        merge_p90_minutes: "two soft",
        ...trends.times.looks,
      },
    },
    help: `First review: ${definitions.timeToFirstHumanReview} Merge: ${definitions.timeToMerge}`,
    name: "times-by-week",
    caption: "Times by week",
    columns: [
      ...(["first_review_median_minutes", "first_review_p90_minutes"] as const),
      ...(["merge_median_minutes", "merge_p90_minutes"] as const),
    ],
  },
];

export function Trends({ figures: { weeks } }: { readonly figures: ReviewFigures }) {
  const names = weeks.map(
    ({ id, name, in_part }) => `Week of ${longDay(id ?? name)}${in_part ? ", in part" : ""}`,
  );
  const numbers = ({ name, caption, columns }: TrendCard) => ({
    name,
    caption,
    columns: [
      textColumn("week_of", "Week of", ({ id }: ReportRow) => id),
      textColumn("days", "Days", ({ in_part }: ReportRow) => (in_part ? "in part" : "all")),
      ...figureColumnsOf<ReportRow>(...columns),
    ],
    rows: weeks,
  });
  return (
    <section aria-labelledby="trends">
      <h2 id="trends">
        By week <small>{weekDefinition(utc)}</small>
      </h2>
      <div class="row">
        {cards.map((card) => (
          <Card key={card.name} title={card.trend.card} help={card.help} numbers={numbers(card)}>
            <Plot {...trendPlot(card.trend, weeks)} names={names} />
          </Card>
        ))}
      </div>
    </section>
  );
}
