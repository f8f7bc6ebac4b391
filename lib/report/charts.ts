import { type Markup, markup } from "./markup.ts";

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
const left = 56;
const right = 12;
const top = 12;
const bottom = 40;
const plotWidth = width - left - right;
const plotHeight = height - top - bottom;
const gridLines = 4;
const labelsMax = 8;

export function barChart(points: readonly Point[], options: ChartOptions): Markup {
  const most = topOf(points, options);
  const step = plotWidth / Math.max(1, points.length);
  const bars = points.flatMap(({ label, value }, index) => {
    if (value === null) return [];
    const barHeight = (value / most) * plotHeight;
    return [
      markup`<rect class="bar" x="${round(left + index * step + step * 0.15)}" y="${round(top + plotHeight - barHeight)}" width="${round(step * 0.7)}" height="${round(barHeight)}"><title>${label}: ${options.format(value)}</title></rect>`,
    ];
  });
  const x = (index: number) => left + (index + 0.5) * step;
  return frame(options, { points, most, x }, bars);
}

/** The first series has the labels of the axis. */
export function lineChart(series: readonly [Series, ...Series[]], options: ChartOptions): Markup {
  const [{ points }] = series;
  const most = topOf(
    series.flatMap((each) => each.points),
    options,
  );
  const step = plotWidth / Math.max(1, points.length);
  const x = (index: number) => left + (index + 0.5) * step;
  const y = (value: number) => top + plotHeight * (1 - value / most);
  const lines = series.map(({ name, points: own }, which) => {
    const dots = own.flatMap(({ label, value }, index) =>
      value === null
        ? []
        : [
            markup`<circle class="dot series-${which}" cx="${round(x(index))}" cy="${round(y(value))}" r="3"><title>${name}, ${label}: ${options.format(value)}</title></circle>`,
          ],
    );
    return markup`<path class="line series-${which}" d="${pathOf(own, x, y)}"/>${dots}`;
  });
  const legend =
    series.length > 1
      ? series.map(
          ({ name }, which) =>
            markup`<g class="legend"><circle class="dot series-${which}" cx="${left + 8 + which * 170}" cy="${height - 8}" r="4"/><text x="${left + 18 + which * 170}" y="${height - 4}">${name}</text></g>`,
        )
      : [];
  return frame(options, { points, most, x }, [...lines, ...legend]);
}

/** A line through the known values, with a gap where a value is missing. */
function pathOf(
  points: readonly Point[],
  x: (index: number) => number,
  y: (value: number) => number,
): string {
  let isDrawing = false;
  return points
    .map(({ value }, index) => {
      const command = isDrawing ? "L" : "M";
      isDrawing = value !== null;
      return value === null ? "" : `${command}${round(x(index))} ${round(y(value))}`;
    })
    .filter(Boolean)
    .join(" ");
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
    const y = round(top + (plotHeight * index) / gridLines);
    const value = most * (1 - index / gridLines);
    return markup`<line class="grid" x1="${left}" x2="${width - right}" y1="${y}" y2="${y}"/><text class="axis end" x="${left - 6}" y="${y + 4}">${format(value)}</text>`;
  });
  const every = Math.ceil(points.length / labelsMax);
  const labels = points.flatMap(({ label }, index) =>
    index % every === 0
      ? [markup`<text class="axis middle" x="${round(x(index))}" y="${height - bottom + 16}">${label}</text>`]
      : [],
  );
  return markup`<svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">
${grid}
${labels}
${content}
</svg>`;
}

const round = (value: number): number => Math.round(value * 10) / 10;
