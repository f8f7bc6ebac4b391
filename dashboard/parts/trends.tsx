import { utc } from "../../lib/report/period.ts";
import { type ReportRow, statedRows } from "../../lib/report/report.ts";
import {
  byComplexity,
  drawnComplexity,
  drawnTrend,
  rowLook,
  type Trend,
  trendRows,
} from "../../lib/report/trends.ts";
import { formatMean, weekDefinition } from "../../lib/report/words.ts";
import type { ReviewFigures } from "../protocol.ts";
import { dateColumn, figureColumnsOf, type TableColumn, textColumn } from "../tables.ts";
import { Card } from "./numbers.tsx";
import { Plot } from "./plot.tsx";

type Rows = readonly ReportRow[];

export const Trends = ({ figures: { weeks } }: { readonly figures: ReviewFigures }) => (
  <section aria-label="By week">
    <h2>
      By week <small>{weekDefinition(utc)}</small>
    </h2>
    {trendRows.map((trends) => (
      <div key={trends.length} class={rowLook(trends)}>
        {trends.map((trend) => (
          <Card
            key={trend.file}
            title={trend.title}
            help={trend.help}
            numbers={numbersOf(trend, weeks, weekOf, daysOf)}
            class="trend"
          >
            <Plot {...drawnTrend(trend, weeks)} beside={trends.length} />
          </Card>
        ))}
      </div>
    ))}
  </section>
);

const weekOf = dateColumn("week_of", "Week of", ({ id }: ReportRow) => id);
const daysOf = textColumn("days", "Days", ({ in_part }: ReportRow) => (in_part ? "in part" : "all"));
const complexityOf = textColumn("complexity", "Complexity", ({ name }: ReportRow) => name);

const numbersOf = (
  { file, caption, columns }: Trend,
  rows: Rows,
  first: TableColumn<ReportRow>,
  ...last: ReadonlyArray<TableColumn<ReportRow>>
) => ({ name: file, caption, columns: [first, ...figureColumnsOf<ReportRow>(...columns), ...last], rows });

export const Complexity = ({ figures: { complexity, total } }: { readonly figures: ReviewFigures }) => (
  <Card
    title={byComplexity.title}
    definition={`By estimated complexity, 1 (simple) to 5. Over all pull requests: ${formatMean(total.findings_per_pull_request)}.`}
    help={byComplexity.help}
    numbers={numbersOf(byComplexity, statedRows(complexity), complexityOf)}
    class="trend"
  >
    <Plot {...drawnComplexity(complexity)} height={335} />
  </Card>
);
