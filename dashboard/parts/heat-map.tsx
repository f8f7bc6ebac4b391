import { type HeatCell, heatAxes, heatLegend, heatOf, withSpaces } from "../../lib/report/report.ts";
import { definitions, formatShare, knownWords } from "../../lib/report/words.ts";
import type { ReviewFigures } from "../protocol.ts";
import { countColumn, textColumn } from "../tables.ts";
import { Card, Table } from "./numbers.tsx";

/** Colour and number show the same value. */
export function HeatMap({ figures: { heatMap } }: { readonly figures: ReviewFigures }) {
  const { columns, rows } = heatAxes(heatMap);
  const shown = [
    { head: "Category", cell: withSpaces },
    ...columns.map((severity) => {
      const findingsOf = (category: HeatCell["category"]) =>
        heatMap.find((each) => each.severity === severity && each.category === category)?.findings;
      return {
        head: withSpaces(severity),
        look: (category: HeatCell["category"]) => `heat-${heatOf(findingsOf(category)?.acceptance ?? null)}`,
        cell: (category: HeatCell["category"]) => <Heat findings={findingsOf(category)} />,
      };
    }),
  ];
  return (
    <Card
      title="Acceptance by severity and category"
      definition={definitions.heatMap}
      help={definitions.acceptance}
      numbers={numbersOf(heatMap)}
    >
      <p class="legend">
        {heatLegend.map(({ look, name }) => (
          <span key={look}>
            <i class={`swatch ${look}`} /> {name}
          </span>
        ))}
      </p>
      <Table label="Heat map of acceptance" class="heat" columns={shown} rows={rows} />
    </Card>
  );
}

const numbersOf = (heatMap: readonly HeatCell[]) => ({
  name: "acceptance-by-severity-and-category",
  caption: "Acceptance by severity and category",
  columns: [
    textColumn("category", "Category", ({ category }: HeatCell) => withSpaces(category)),
    countColumn("acceptance", "Acceptance", ({ findings }: HeatCell) => findings.acceptance, formatShare),
    textColumn("severity", "Severity", ({ severity }: HeatCell) => withSpaces(severity)),
    countColumn("posted", "Findings", ({ findings }: HeatCell) => findings.posted),
    countColumn("accepted", "Accepted", ({ findings }: HeatCell) => findings.accepted),
    countColumn("not_accepted", "Not accepted", ({ findings }: HeatCell) => findings.not_accepted),
    countColumn("unknown", "Unknown", ({ findings }: HeatCell) => findings.unknown),
  ],
  rows: heatMap.filter(({ findings }) => findings.posted > 0),
});

const Heat = ({ findings }: { readonly findings: HeatCell["findings"] | undefined }) =>
  findings &&
  findings.posted > 0 && (
    <>
      <b>{formatShare(findings.acceptance)}</b> <small>{knownWords(findings)}</small>
    </>
  );
