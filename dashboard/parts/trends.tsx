import { utc } from "../../lib/report/period.ts";
import type { PlotSeries } from "../../lib/report/plot-geometry.ts";
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
import { type FigureName, figureColumnsOf, textColumn } from "../tables.ts";
import { Card } from "./numbers.tsx";
import { Plot } from "./plot.tsx";

export function Trends({ figures: { weeks } }: { readonly figures: ReviewFigures }) {
  const names = weeks.map(
    ({ id, name, in_part }) => `Week of ${longDay(id ?? name)}${in_part ? ", in part" : ""}`,
  );
  const labels = weeks.map(({ id, name }) => shortDay(id ?? name));
  const inPart = weeks.map(({ in_part }) => in_part);
  const numbers = (name: string, caption: string, ...columns: readonly FigureName[]) => ({
    name,
    caption,
    columns: [
      textColumn("week_of", "Week of", ({ id }: ReportRow) => id),
      ...figureColumnsOf<ReportRow>(...columns),
      textColumn("days", "Days", ({ in_part }: ReportRow) => (in_part ? "in part" : "all")),
    ],
    rows: weeks,
  });
  const series = (
    name: string,
    kind: PlotSeries["kind"],
    look: string,
    value: (figures: ReportRow["figures"]) => number | null,
  ): PlotSeries => ({ name, kind, look, values: weeks.map(({ figures }) => value(figures)) });
  const count = (value: number | null) => (value === null ? noValue : formatCount(value));
  return (
    <section aria-labelledby="trends">
      <h2 id="trends">
        By week <small>{weekDefinition(utc)}</small>
      </h2>
      <div class="row">
        <Card
          title="Pull requests reviewed"
          numbers={numbers("pull-requests-by-week", "Pull requests by week", "pull_requests")}
        >
          <Plot
            {...{ labels, names, inPart }}
            title="Pull requests reviewed by week"
            series={[series("Pull requests", "bar", "one", ({ pull_requests }) => pull_requests)]}
            format={count}
            ticks={wholeTicks}
          />
        </Card>
        <Card
          title="Findings and their outcome"
          help={definitions.acceptance}
          numbers={numbers(
            "findings-by-week",
            "Findings by week",
            "findings",
            "accepted",
            "not_accepted",
            "unknown",
          )}
        >
          <Plot
            {...{ labels, names, inPart }}
            title="Findings by week and outcome"
            series={[
              series("Accepted", "bar", "accepted", ({ findings }) => findings.accepted),
              series("Not accepted", "bar", "not-accepted", ({ findings }) => findings.not_accepted),
              series("Unknown", "bar", "unknown", ({ findings }) => findings.unknown),
            ]}
            format={count}
            ticks={wholeTicks}
          />
        </Card>
        <Card
          title="Acceptance, of findings whose outcome is known"
          help={definitions.acceptance}
          numbers={numbers(
            "acceptance-by-week",
            "Acceptance by week",
            "acceptance",
            "accepted",
            "not_accepted",
            "unknown",
          )}
        >
          <Plot
            {...{ labels, names, inPart }}
            title="Acceptance by week"
            series={[series("Acceptance", "line", "accepted", ({ findings }) => findings.acceptance)]}
            format={formatShare}
            ticks={shareTicks}
          />
        </Card>
        <Card
          title="Time to first human review and to merge"
          help={`First review: ${definitions.timeToFirstHumanReview} Merge: ${definitions.timeToMerge}`}
          numbers={numbers(
            "times-by-week",
            "Times by week",
            "first_review_median_minutes",
            "first_review_p90_minutes",
            "merge_median_minutes",
            "merge_p90_minutes",
          )}
        >
          <Plot
            {...{ labels, names, inPart }}
            title="Time to first human review and to merge by week, median and 90th percentile"
            series={[
              series(
                "First review, 90 %",
                "line",
                "first-review soft",
                ({ time_to_first_human_review: time }) => time.p90_minutes,
              ),
              series("Merge, 90 %", "line", "merge soft", ({ time_to_merge }) => time_to_merge.p90_minutes),
              series(
                "First review, median",
                "line",
                "first-review",
                ({ time_to_first_human_review: time }) => time.median_minutes,
              ),
              series("Merge, median", "line", "merge", ({ time_to_merge }) => time_to_merge.median_minutes),
            ]}
            format={formatMinutes}
            ticks={minuteTicks}
          />
        </Card>
      </div>
    </section>
  );
}
