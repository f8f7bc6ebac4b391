import { utc } from "../../lib/report/period.ts";
import type { ReportRow } from "../../lib/report/report.ts";
import { byComplexity, drawnComplexity, drawnTrend, type Trend, trends } from "../../lib/report/trends.ts";
import { formatMean, weekDefinition } from "../../lib/report/words.ts";
import { longDay } from "../days.ts";
import type { ReviewFigures } from "../protocol.ts";
import { figureColumnsOf, type TableColumn, textColumn } from "../tables.ts";
import { Card } from "./numbers.tsx";
import { Plot } from "./plot.tsx";

type Rows = readonly ReportRow[];

export const Trends = ({ figures: { weeks } }: { readonly figures: ReviewFigures }) => (
  <section aria-label="By week">
    <h2>
      By week <small>{weekDefinition(utc)}</small>
    </h2>
    <div class="row">
      {trends.map((trend) => (
        <Card
          key={trend.file}
          title={trend.title}
          help={trend.help}
          numbers={numbersOf(trend, weeks, weekOf, daysOf)}
          class="trend"
        >
          <Plot {...drawnTrend(trend, weeks)} names={weeks.map(weekName)} />
        </Card>
      ))}
    </div>
  </section>
);

const weekName = ({ id, name, in_part }: ReportRow): string =>
  `Week of ${longDay(id ?? name)}${in_part ? ", in part" : ""}`;
const weekOf = textColumn("week_of", "Week of", ({ id }: ReportRow) => id);
const daysOf = textColumn("days", "Days", ({ in_part }: ReportRow) => (in_part ? "in part" : "all"));
const complexityOf = textColumn("complexity", "Complexity", ({ name }: ReportRow) => name);

const numbersOf = (
  { file, caption, columns }: Trend,
  rows: Rows,
  first: TableColumn<ReportRow>,
  ...last: ReadonlyArray<TableColumn<ReportRow>>
) => ({ name: file, caption, columns: [first, ...figureColumnsOf<ReportRow>(...columns), ...last], rows });

export function Complexity({ figures: { complexity, total } }: { readonly figures: ReviewFigures }) {
  const rows = complexity.filter(({ id, figures }) => id !== null || figures.pull_requests > 0);
  return (
    <Card
      title={byComplexity.title}
      definition={`By estimated complexity, 1 (simple) to 5. Over all pull requests: ${formatMean(total.findings_per_pull_request)}.`}
      help={byComplexity.help}
      numbers={numbersOf(byComplexity, rows, complexityOf)}
    >
      <Plot {...drawnComplexity(rows)} height={280} />
    </Card>
  );
}
