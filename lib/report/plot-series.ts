import type { Figures } from "./figures.ts";
import type { PlotSeries } from "./plot-geometry.ts";
import type { ReportRow } from "./report.ts";

/** A figure of every row as a series of a chart, with that of the period before. */
export const seriesOf =
  (rows: readonly ReportRow[]) =>
  (
    name: string,
    kind: PlotSeries["kind"],
    look: string,
    value: (figures: Figures) => number | null,
  ): PlotSeries => ({
    ...{ name, kind, look },
    values: rows.map(({ figures }) => value(figures)),
    ...(rows.some(({ before }) => before) && {
      before: rows.map(({ before }) => before && value(before)),
    }),
  });
