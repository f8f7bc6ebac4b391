import { type Markup, markup } from "./markup.ts";
import { type PlotInput, plotShapes } from "./plot-geometry.ts";

export type ChartInput = Omit<PlotInput, "width" | "height"> & {
  readonly title: string;
  /** Longer names of the labels, for the text beside the pointer. */
  readonly names: readonly string[];
  /** The size of the drawing, which is scaled to the available space. */
  readonly width?: number;
  readonly height?: number;
};

/** In the legend of a chart that has it. */
export const periodBeforeName = "the period before";

const widthUsual = 600;
const heightUsual = 208;

/**
 * A chart as SVG text, with the shapes of the dashboard: the same in a file that a job creates without a browser. It has
 * a label for screen readers, and its numbers are in a table next to it. Colours come from the style sheet.
 */
export function chart({
  title,
  names,
  width = widthUsual,
  height = heightUsual,
  ...input
}: ChartInput): Markup {
  const { series, format } = input;
  const { area, grid, bars, lines, hatches, labels, ghostBars, ghostLines } = plotShapes({
    ...{ ...input, width, height },
  });
  const tipOf = (look: string, column: number) => {
    const found = series.find((each) => each.look === look);
    const was = found?.before ? ` (before: ${format(found.before[column] ?? null)})` : "";
    return `${names[column] ?? ""}: ${found?.name ?? ""} ${format(found?.values[column] ?? null)}${was}`;
  };
  return markup`<figure class="plot">
<figcaption class="legend">${series.map(({ name, kind, look }) => markup`<span><i class="swatch ${kind} ${look}"></i> ${name}</span>`)}
${series.some(({ before }) => before) ? [markup`<span><i class="swatch before ${series[0]?.kind ?? ""}"></i> ${periodBeforeName}</span>`] : []}
${input.inPart.includes(true) ? [markup`<span><i class="swatch hatched"></i> in part</span>`] : []}</figcaption>
<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">
${grid.map(
  ({ y, text }) =>
    markup`<line class="grid" x1="${area.left}" x2="${area.left + area.width}" y1="${y}" y2="${y}"/><text class="axis end" x="${area.left - 8}" y="${y + 4}">${text}</text>`,
)}
${ghostBars.map(
  (bar) =>
    markup`<rect class="ghost-bar" x="${bar.left}" y="${bar.top}" width="${bar.width}" height="${bar.height}"/>`,
)}
${ghostLines.map(({ look, path }) => markup`<path class="line ghost-line ${look}" d="${path}"/>`)}
${bars.map(
  (bar) =>
    markup`<rect class="bar ${bar.look}${input.inPart[bar.column] ? " part" : ""}" x="${bar.left}" y="${bar.top}" width="${bar.width}" height="${bar.height}" rx="${bar.radius}"><title>${tipOf(bar.look, bar.column)}</title></rect>`,
)}
${hatches.map(({ look, path }) => markup`<path class="hatch ${look}" d="${path}"/>`)}
${lines.map(
  ({ look, path, dots }) =>
    markup`<path class="line ${look}" d="${path}"/>${dots.map(
      ({ column, x, y, radius }) =>
        markup`<circle class="dot ${look}" cx="${x}" cy="${y}" r="${radius}"><title>${tipOf(look, column)}</title></circle>`,
    )}`,
)}
${labels.map(({ x, text }) => markup`<text class="axis middle" x="${x}" y="${height - 8}">${text}</text>`)}
</svg>
</figure>`;
}
