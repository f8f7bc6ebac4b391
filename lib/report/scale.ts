/** The positions of a chart's grid lines: few, at round values, the last at or above the greatest value. */
export function countTicks(most: number): number[] {
  return ticksBy(niceStep(most / linesWanted, [1, 2, 2.5, 5, 10]), most);
}

const linesWanted = 4;

/** Counts are whole numbers. */
export const wholeTicks = (most: number): number[] =>
  ticksBy(Math.max(1, Math.ceil(niceStep(most / linesWanted, [1, 2, 5, 10]))), most);

export const shareTicks = (): number[] => [0, 0.25, 0.5, 0.75, 1];

const stepsMinutes = [5, 10, 15, 30, 60, 120, 180, 240, 360, 720, 1440, 2880, 4320, 7200, 10_080, 20_160];

/** Durations in minutes have their lines at whole hours and days. */
export function minuteTicks(most: number): number[] {
  const step =
    stepsMinutes.find((each) => each * linesWanted >= most) ?? niceStep(most / linesWanted, [1, 2, 5, 10]);
  return ticksBy(step, most);
}

function niceStep(rough: number, factors: readonly number[]): number {
  if (rough <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  return (factors.find((factor) => factor * power >= rough) ?? 10) * power;
}

function ticksBy(step: number, most: number): number[] {
  const count = Math.max(1, Math.ceil(most / step - 1e-9));
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}
