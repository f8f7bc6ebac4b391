import type { Picture } from "./section.ts";

export type Series = {
  readonly name: string;
  readonly points: ReadonlyArray<readonly [x: number, y: number]>;
};

export type Chart = {
  readonly name: string;
  readonly title: string;
  readonly alt: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly series: readonly Series[];
};

const width = 760;
const height = 400;
const plot = { left: 70, right: 540, top: 50, bottom: 340 };
/** Distinguishable for people with colour blindness (Okabe and Ito). */
const colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

type Scale = { readonly place: (value: number) => number; readonly ticks: readonly number[] };

/** Both axes in powers of ten: a value that grows with the data rises, a constant value is level. */
export function lineChart({ name, title, alt, xLabel, yLabel, series }: Chart): Picture {
  const points = series.flatMap((each) => each.points);
  const x = scaleOf(
    points.map(([value]) => value),
    plot.left,
    plot.right,
  );
  const y = scaleOf([1, ...points.map(([, value]) => value)], plot.bottom, plot.top);
  const parts = [
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    text(plot.left, 24, title, 'font-weight="bold" font-size="15"'),
    ...x.ticks.map((tick) => xTick(x, tick)),
    ...y.ticks.map((tick) => yTick(y, tick)),
    text((plot.left + plot.right) / 2, height - 16, xLabel, 'text-anchor="middle"'),
    text(plot.left, plot.top - 10, yLabel, ""),
    ...series.map((each, index) => drawn(each, colours[index % colours.length] ?? "#000000", x, y)),
    ...legend(series, y),
  ];
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(alt)}" font-family="sans-serif" font-size="12" fill="#222222">\n${parts.join("\n")}\n</svg>\n`;
  return { name, alt, svg };
}

function scaleOf(values: readonly number[], from: number, to: number): Scale {
  const lowest = Math.floor(Math.log10(Math.max(Math.min(...values), 0.1)));
  const highest = Math.max(lowest + 1, Math.ceil(Math.log10(Math.max(...values))));
  const place = (value: number) =>
    rounded(from + ((Math.log10(Math.max(value, 0.1)) - lowest) / (highest - lowest)) * (to - from));
  return { place, ticks: Array.from({ length: highest - lowest + 1 }, (_, index) => 10 ** (lowest + index)) };
}

const xTick = ({ place }: Scale, value: number): string =>
  `<path d="M${place(value)} ${plot.top}V${plot.bottom}" stroke="#eeeeee"/>` +
  text(place(value), plot.bottom + 18, inWords(value), 'text-anchor="middle"');

const yTick = ({ place }: Scale, value: number): string =>
  `<path d="M${plot.left} ${place(value)}H${plot.right}" stroke="#dddddd"/>` +
  text(plot.left - 8, place(value) + 4, inWords(value), 'text-anchor="end"');

function drawn({ points }: Series, colour: string, x: Scale, y: Scale): string {
  const path = points.map(
    ([one, other], index) => `${index === 0 ? "M" : "L"}${x.place(one)} ${y.place(other)}`,
  );
  const dots = points.map(
    ([one, other]) => `<circle cx="${x.place(one)}" cy="${y.place(other)}" r="4" fill="${colour}"/>`,
  );
  return `<path d="${path.join("")}" fill="none" stroke="${colour}" stroke-width="2"/>${dots.join("")}`;
}

/** Labels beside the end of each line, moved apart if lines end close together. */
function legend(series: readonly Series[], y: Scale): string[] {
  const ends = series
    .map(({ name, points }, index) => ({ name, index, at: y.place(points.at(-1)?.[1] ?? 1) }))
    .toSorted((one, other) => one.at - other.at);
  let lowest = 0;
  return ends.map(({ name, index, at }) => {
    lowest = Math.max(at + 4, lowest + 16);
    return text(plot.right + 12, lowest, name, `fill="${colours[index % colours.length]}"`);
  });
}

const text = (x: number, y: number, words: string, attributes: string): string =>
  `<text x="${x}" y="${y}" ${attributes}>${escaped(words)}</text>`;

const escaped = (words: string): string =>
  words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

const rounded = (value: number): number => Math.round(value * 10) / 10;

const inWords = (value: number): string => value.toLocaleString("en-US");
