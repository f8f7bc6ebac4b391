import { seriesOf } from "../../lib/report/plot-series.ts";
import type { ReportRow } from "../../lib/report/report.ts";
import { countTicks } from "../../lib/report/scale.ts";
import { definitions, formatMean } from "../../lib/report/words.ts";
import type { ReviewFigures } from "../protocol.ts";
import { figureColumnsOf, textColumn } from "../tables.ts";
import { Card } from "./numbers.tsx";
import { Plot } from "./plot.tsx";

export function Complexity({ figures: { complexity, total } }: { readonly figures: ReviewFigures }) {
  const rows = complexity.filter(({ id, figures }) => id !== null || figures.pull_requests > 0);
  const numbers = {
    name: "findings-by-complexity",
    caption: "Findings per pull request by estimated complexity",
    columns: [
      textColumn("complexity", "Complexity", ({ name }: ReportRow) => name),
      ...figureColumnsOf<ReportRow>("pull_requests", "findings", "findings_per_pull_request", "acceptance"),
    ],
    rows,
  };
  return (
    <Card
      title="Findings per pull request"
      definition={`By estimated complexity, 1 (simple) to 5. Over all pull requests: ${formatMean(total.findings_per_pull_request)}.`}
      help={definitions.acceptance}
      numbers={numbers}
    >
      <Plot
        title="Findings per pull request by estimated complexity"
        inPart={rows.map(() => false)}
        labels={rows.map(({ id }) => id ?? "none")}
        names={rows.map(({ id, name }) => (id === null ? "Complexity not stated" : `Complexity ${name}`))}
        series={[
          seriesOf(rows)(
            "Findings per pull request",
            "bar",
            "one",
            (figures) => figures.findings_per_pull_request,
          ),
        ]}
        format={formatMean}
        ticks={countTicks}
        height={280}
      />
    </Card>
  );
}
