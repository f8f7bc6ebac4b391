/** The geometry of a chart, without markup: the dashboard and the report draw the same shapes. */

/** The part of a picture in which values are drawn. */
export type PlotArea = {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
};

export type PlotSeries = {
  readonly name: string;
  readonly kind: "bar" | "line";
  /** Selects colour and dash of the style sheet. */
  readonly look: string;
  /** Null if nothing is known: a gap, not a zero. */
  readonly values: ReadonlyArray<number | null>;
  /** The same of the period before, if it is compared. */
  readonly before?: ReadonlyArray<number | null>;
};

export type PlotInput = {
  readonly labels: readonly string[];
  /** Columns that the period cuts, such as a week of which only some days count. */
  readonly inPart: readonly boolean[];
  /** Bars are stacked, lines are drawn over them. */
  readonly series: readonly PlotSeries[];
  readonly format: (value: number | null) => string;
  /** The values of the grid lines up to the greatest value. */
  readonly ticks: (most: number) => number[];
  readonly width: number;
  readonly height: number;
};

type PlotBar = PlotArea & { readonly column: number; readonly look: string; readonly radius: number };
type PlotShapes = ReturnType<typeof plotShapes>;

const top = 10;
const bottom = 26;
const right = 8;
const letterWidth = 6.5;

export function plotShapes({ labels, inPart, series, format, ticks, width, height }: PlotInput) {
  const stacks = stacksOf(series, labels.length);
  const earlier = stacksOf(
    series.map((each) => ({ ...each, values: each.before ?? [] })),
    labels.length,
  );
  const lineSeries = series.filter(({ kind }) => kind === "line");
  const greatest = Math.max(
    0,
    ...[...stacks, ...earlier].map((stack) => stack.at(-1)?.to ?? 0),
    ...lineSeries.flatMap(({ values, before = [] }) => [...values, ...before].map((value) => value ?? 0)),
  );
  const marks = ticks(greatest > 0 ? greatest : 1);
  const tickText = (value: number) => format(value).replace(/\.0(?=\D|$)/, "");
  const left = 12 + Math.max(...marks.map((mark) => tickText(mark).length)) * letterWidth;
  const area = { left, top, width: width - left - right, height: height - top - bottom };
  const scale = plotScale(area, labels.length, marks.at(-1) ?? 1);
  const { step, x, y } = scale;
  const labelWidth = Math.max(0, ...labels.map(({ length }) => length)) * letterWidth + 12;
  const every = Math.max(1, Math.ceil(labelWidth / step));
  const bars = stacks.flatMap((stack, column) => barsOf(stack, column, scale));
  return {
    height,
    area,
    step,
    x,
    bars,
    // The period before: bars behind those of the period, and lines.
    ghostBars: earlier.flatMap((stack, column) => ghostBar(stack, column, scale)),
    ghostLines: lineSeries.flatMap(({ look, before }) =>
      before ? [{ look, path: linePath(before, scale) }] : [],
    ),
    grid: marks.map((mark) => ({ y: rounded(y(mark)), text: tickText(mark) })),
    lines: lineSeries.map(({ look, values }) => ({
      look,
      path: linePath(values, scale),
      dots: values.flatMap((value, column) => {
        const radius = isAlone(values, column) ? 3 : 2.2;
        return value === null ? [] : [{ column, x: rounded(x(column)), y: rounded(y(value)), radius }];
      }),
    })),
    // Diagonal lines over bars that count only in part, or over the column where there is no bar.
    hatches: [
      ...bars.filter(({ column }) => inPart[column]).map((bar) => ({ look: bar.look, path: hatchPath(bar) })),
      ...labels.flatMap((_, column) =>
        inPart[column] && (lineSeries.length > 0 || stacks[column]?.length === 0)
          ? [{ look: "column", path: hatchPath({ ...area, left: area.left + column * step, width: step }) }]
          : [],
      ),
    ],
    // From the last one backwards: the newest week has its label.
    labels: labels.flatMap((text, column) =>
      (labels.length - 1 - column) % every === 0 ? [{ x: rounded(x(column)), text }] : [],
    ),
  };
}

/** An element of a drawing. */
export type PlotElement = {
  readonly tag: "line" | "text" | "rect" | "path" | "circle";
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly text?: string;
  /** The value that it shows. */
  readonly value?: { readonly look: string; readonly column: number };
};

const rect = (look: string, { left: x, top: y, width, height }: PlotArea, rx = 0): PlotElement => ({
  tag: "rect",
  attributes: { class: look, x, y, width, height, rx },
});

/** In the order in which they are drawn. */
export function plotElements(shapes: PlotShapes, inPart: readonly boolean[]): PlotElement[] {
  const { area, height } = shapes;
  const path = (look: string, d: string): PlotElement => ({ tag: "path", attributes: { class: look, d } });
  const text = (look: string, x: number, y: number, words: string): PlotElement => ({
    tag: "text",
    attributes: { class: `axis ${look}`, x, y },
    text: words,
  });
  return [
    ...shapes.grid.flatMap(({ y, text: words }): PlotElement[] => [
      { tag: "line", attributes: { class: "grid", x1: area.left, x2: area.left + area.width, y1: y, y2: y } },
      text("end", area.left - 8, y + 4, words),
    ]),
    ...shapes.labels.map((label) => text("middle", label.x, height - 8, label.text)),
    ...shapes.ghostBars.map((bar) => rect("ghost-bar", bar)),
    ...shapes.bars.map(({ look, column, radius, ...bar }) => ({
      ...rect(`bar ${look}${inPart[column] ? " part" : ""}`, bar, radius),
      value: { look, column },
    })),
    ...shapes.hatches.map((hatch) => path(`hatch ${hatch.look}`, hatch.path)),
    ...shapes.ghostLines.map((line) => path(`line ghost-line ${line.look}`, line.path)),
    ...shapes.lines.flatMap(({ look, path: d, dots }): PlotElement[] => [
      path(`line ${look}`, d),
      ...dots.map(
        ({ column, x, y, radius }): PlotElement => ({
          tag: "circle",
          attributes: { class: `dot ${look}`, cx: x, cy: y, r: radius },
          value: { look, column },
        }),
      ),
    ]),
  ];
}

/** The swatches under a chart's title. */
export const legendOf = ({ series, inPart }: Pick<PlotInput, "series" | "inPart">) => [
  ...series.map(({ name, kind, look }) => ({ look: `${kind} ${look}`, name })),
  ...(series.some(({ before }) => before)
    ? [{ look: `before ${series[0]?.kind ?? ""}`, name: "the period before" }]
    : []),
  ...(inPart.includes(true) ? [{ look: "hatched", name: "in part" }] : []),
];

type Piece = { readonly look: string; readonly from: number; readonly to: number };

const stacksOf = (series: readonly PlotSeries[], columns: number): Piece[][] =>
  Array.from({ length: columns }, (_, column) => {
    let from = 0;
    return series
      .filter(({ kind }) => kind === "bar")
      .flatMap(({ look, values }) => {
        const value = values[column] ?? 0;
        const piece = { look, from, to: from + value };
        from = piece.to;
        return value > 0 ? [piece] : [];
      });
  });

/** The lowest of several pieces leaves a gap of one pixel to the next. */
const barsOf = (stack: readonly Piece[], column: number, { step, x, y }: PlotScale): PlotBar[] =>
  stack.map(({ look, from, to }, place) => {
    const tall = y(from) - y(to);
    const isSingle = stack.length === 1;
    return {
      column,
      look,
      left: rounded(x(column) - barWidth(step) / 2),
      top: rounded(y(to)),
      width: rounded(barWidth(step)),
      height: rounded(Math.max(0, tall - (place > 0 || isSingle ? 0 : 1))),
      radius: isSingle ? rounded(Math.min(3, tall / 2)) : 0,
    };
  });

/** Wider than the bar in front of it, so that both are seen. */
function ghostBar(stack: readonly Piece[], column: number, { step, x, y }: PlotScale) {
  const most = stack.at(-1)?.to ?? 0;
  if (most === 0) return [];
  const wide = Math.min(step * 0.9, barWidth(step) + 10);
  const [left, above] = [rounded(x(column) - wide / 2), rounded(y(most))];
  return [{ left, top: above, width: rounded(wide), height: rounded(y(0) - y(most)) }];
}

const barWidth = (step: number): number => Math.max(2, Math.min(44, step * 0.62));

const isAlone = (values: ReadonlyArray<number | null>, index: number): boolean =>
  (values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null;

/** Where the columns and values of a chart are: `x` is the middle of a column, `most` is at the top. */
function plotScale({ left, top: above, width, height }: PlotArea, columns: number, most: number) {
  const step = width / Math.max(1, columns);
  return {
    step,
    x: (index: number): number => left + (index + 0.5) * step,
    y: (value: number): number => above + height * (1 - value / most),
  };
}
type PlotScale = ReturnType<typeof plotScale>;

const rounded = (value: number): number => Math.round(value * 10) / 10;

/** A line through the known values; it is interrupted where a value is null. */
export function linePath(values: ReadonlyArray<number | null>, { x, y }: Pick<PlotScale, "x" | "y">): string {
  let isDrawing = false;
  return values
    .map((value, index) => {
      const command = isDrawing ? "L" : "M";
      isDrawing = value !== null;
      return value === null ? "" : `${command}${rounded(x(index))} ${rounded(y(value))}`;
    })
    .filter(Boolean)
    .join(" ");
}

const hatchGap = 6;

/** Diagonals that rise to the right, cut at the edges of the area. */
export function hatchPath({ left, top: above, width, height }: PlotArea): string {
  const segments: string[] = [];
  for (let offset = hatchGap; offset < width + height; offset += hatchGap) {
    // On a diagonal, the distances from the left and from the top edge add up to the offset.
    const [fromLeft, toLeft] = [Math.max(0, offset - height), Math.min(width, offset)];
    const point = (distance: number) => `${rounded(left + distance)} ${rounded(above + offset - distance)}`;
    segments.push(`M${point(fromLeft)}L${point(toLeft)}`);
  }
  return segments.join("");
}
