import { type FigureName, figure } from "./columns.ts";
import type { PlotSeries } from "./plot-geometry.ts";
import type { ReportRow } from "./report.ts";

/** A figure of every row as a series of a chart, with that of the period before. */
export function seriesOf(
  rows: readonly ReportRow[],
  of: FigureName,
  {
    name = figure(of).head,
    kind = "line",
    look = "one",
  }: Partial<Pick<PlotSeries, "name" | "kind" | "look">> = {},
): PlotSeries {
  const { value } = figure(of);
  return {
    name,
    kind,
    look,
    values: rows.map(({ figures }) => value(figures)),
    ...(rows.some(({ before }) => before) && { before: rows.map(({ before }) => before && value(before)) }),
  };
}
