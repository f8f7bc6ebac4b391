import { type Markup, markup } from "./markup.ts";
import { linePath, type PlotArea, plotScale, rounded } from "./plot-geometry.ts";

/**
 * Charts as SVG text: the same in a file that a job creates without a browser, and on a page. A chart has a label for
 * screen readers, and its numbers are in a table next to it. Colours come from the page's style sheet.
 */
export type Point = {
  readonly label: string;
  /** Null if the value is unknown: shown as a gap, not as zero. */
  readonly value: number | null;
};
export type Series = { readonly name: string; readonly points: readonly Point[] };

export type ChartOptions = {
  readonly title: string;
  /** Converts a value to its label. */
  readonly format: (value: number) => string;
  /** The top of the scale; by default the greatest value. */
  readonly most?: number;
};

const width = 640;
const height = 220;
const area: PlotArea = { left: 56, top: 12, width: 572, height: 168 };
const right = area.left + area.width;
const bottom = area.top + area.height;
const gridLines = 4;
const labelsMax = 8;

export function barChart(points: readonly Point[], options: ChartOptions): Markup {
  const most = topOf(points, options);
  const { step, x, y } = plotScale(area, points.length, most);
  const bars = points.flatMap(({ label, value }, index) =>
    value === null
      ? []
      : [
          markup`<rect class="bar" x="${rounded(x(index) - step * 0.35)}" y="${rounded(y(value))}" width="${rounded(step * 0.7)}" height="${rounded(bottom - y(value))}"><title>${label}: ${options.format(value)}</title></rect>`,
        ],
  );
  return frame(options, { points, most, x }, bars);
}

/** The first series has the labels of the axis. */
export function lineChart(series: readonly [Series, ...Series[]], options: ChartOptions): Markup {
  const [{ points }] = series;
  const most = topOf(
    series.flatMap((each) => each.points),
    options,
  );
  const scale = plotScale(area, points.length, most);
  const { x, y } = scale;
  const lines = series.map(({ name, points: own }, which) => {
    const dots = own.flatMap(({ label, value }, index) =>
      value === null
        ? []
        : [
            markup`<circle class="dot series-${which}" cx="${rounded(x(index))}" cy="${rounded(y(value))}" r="3"><title>${name}, ${label}: ${options.format(value)}</title></circle>`,
          ],
    );
    return markup`<path class="line series-${which}" d="${linePath(
      own.map(({ value }) => value),
      scale,
    )}"/>${dots}`;
  });
  const legend =
    series.length > 1
      ? series.map(
          ({ name }, which) =>
            markup`<g class="legend"><circle class="dot series-${which}" cx="${area.left + 8 + which * 170}" cy="${height - 8}" r="4"/><text x="${area.left + 18 + which * 170}" y="${height - 4}">${name}</text></g>`,
        )
      : [];
  return frame(options, { points, most, x }, [...lines, ...legend]);
}

const topOf = (points: readonly Point[], { most }: ChartOptions): number =>
  most ?? Math.max(1, ...points.map(({ value }) => value ?? 0));

type Axes = {
  readonly points: readonly Point[];
  readonly most: number;
  readonly x: (index: number) => number;
};

function frame(
  { title, format }: ChartOptions,
  { points, most, x }: Axes,
  content: readonly Markup[],
): Markup {
  const grid = Array.from({ length: gridLines + 1 }, (_, index) => {
    const y = rounded(area.top + (area.height * index) / gridLines);
    const value = most * (1 - index / gridLines);
    return markup`<line class="grid" x1="${area.left}" x2="${right}" y1="${y}" y2="${y}"/><text class="axis end" x="${area.left - 6}" y="${y + 4}">${format(value)}</text>`;
  });
  const every = Math.ceil(points.length / labelsMax);
  const labels = points.flatMap(({ label }, index) =>
    index % every === 0
      ? [markup`<text class="axis middle" x="${rounded(x(index))}" y="${bottom + 16}">${label}</text>`]
      : [],
  );
  return markup`<svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">
${grid}
${labels}
${content}
</svg>`;
}
