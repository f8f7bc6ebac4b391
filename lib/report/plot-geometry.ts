/** The part of a picture in which values are drawn. */
export type PlotArea = {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
};

/** Where the columns and values of a chart are: `x` is the middle of a column, `most` is at the top. */
export function plotScale({ left, top, width, height }: PlotArea, columns: number, most: number) {
  const step = width / Math.max(1, columns);
  return {
    step,
    x: (index: number): number => left + (index + 0.5) * step,
    y: (value: number): number => top + height * (1 - value / most),
  };
}

export const rounded = (value: number): number => Math.round(value * 10) / 10;

/** A line through the known values; it is interrupted where a value is null. */
export function linePath(
  values: ReadonlyArray<number | null>,
  { x, y }: Pick<ReturnType<typeof plotScale>, "x" | "y">,
): string {
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
