import { Markup, markup } from "./markup.ts";
import { legendOf, plotElements, plotShapes } from "./plot-geometry.ts";
import type { DrawnTrend } from "./trends.ts";

export type ChartInput = DrawnTrend & {
  /** The size of the drawing, which is scaled to the available space. */
  readonly width?: number;
  readonly height?: number;
};

const widthUsual = 600;
const heightUsual = 208;

/**
 * A chart as SVG text, with the shapes of the dashboard: the same in a file that a job creates without a browser. It has
 * a label for screen readers, and its numbers are in a table next to it. Colours come from the style sheet.
 */
export function chart({ width = widthUsual, height = heightUsual, ...input }: ChartInput): Markup {
  const { title, names, series, format } = input;
  const tipOf = (look: string, column: number) => {
    const found = series.find((each) => each.look === look);
    const was = found?.before ? ` (before: ${format(found.before[column] ?? null)})` : "";
    return `${names[column] ?? ""}: ${found?.name ?? ""} ${format(found?.values[column] ?? null)}${was}`;
  };
  const elements = plotElements(plotShapes({ ...input, width, height }), input.inPart);
  return markup`<figure class="plot">
<figcaption class="legend">${legendOf(input).map(({ look, name }) => markup`<span><i class="swatch ${look}"></i> ${name}</span>`)}</figcaption>
<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">
${elements.map(({ tag, attributes, text, value }) => {
  const words = Object.entries(attributes).map(([name, each]) => markup` ${name}="${each}"`.text);
  const tip = value ? [markup`<title>${tipOf(value.look, value.column)}</title>`] : [];
  return markup`<${tag}${new Markup(words.join(""))}>${text ?? ""}${tip}</${tag}>`;
})}
</svg>
</figure>`;
}
