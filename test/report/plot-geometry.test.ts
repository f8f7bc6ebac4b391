import { describe, expect, test } from "vitest";
import { hatchPath, type PlotInput, plotShapes } from "../../lib/report/plot-geometry.ts";
import { wholeTicks } from "../../lib/report/scale.ts";

const drawn = (more: Partial<PlotInput>) => {
  const labels = more.labels ?? ["a", "b", "c", "d"];
  return plotShapes({
    labels,
    inPart: labels.map(() => false),
    series: [],
    format: String,
    ticks: wholeTicks,
    width: 600,
    height: 208,
    ...more,
  });
};
const line = (values: Array<number | null>) => ({ name: "one", kind: "line", look: "one", values }) as const;
const bar = (look: string, values: Array<number | null>) =>
  ({ name: look, kind: "bar", look, values }) as const;

describe("a chart", () => {
  test("a missing value is a gap in the line, not a zero", () => {
    const [{ path = "", dots = [] } = {}] = drawn({ series: [line([1, null, 3, 4])] }).lines;
    expect([path.replaceAll(/[\d. ]+/g, ""), dots.length]).toEqual(["MML", 3]);
  });

  test("the tallest bar reaches a round value at the top, half of it is half as high", () => {
    const { bars, area, grid } = drawn({ series: [bar("one", [20, 10, null, 0])] });
    expect(bars.map(({ height }) => height)).toEqual([area.height, area.height / 2]);
    expect(grid.map(({ text }) => text)).toEqual(["0", "5", "10", "15", "20"]);
  });

  test("bars of several series stand on each other", () => {
    const { bars } = drawn({ labels: ["a"], series: [bar("one", [2]), bar("two", [3])] });
    const [low, high] = bars;
    expect((high?.top ?? 0) + (high?.height ?? 0)).toBeCloseTo((low?.top ?? 0) - 1 + 1, 1);
  });

  test("labels have room, and the last column always has one", () => {
    const labels = Array.from({ length: 60 }, (_, index) => `w${index}`);
    const shown = drawn({ labels, series: [line(labels.map(() => 1))] }).labels;
    const gaps = shown.slice(1).map(({ x }, index) => x - (shown[index]?.x ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual("w59".length * 6.5 + 12);
    expect(shown.at(-1)?.text).toBe("w59");
  });

  test("what counts only in part is hatched: bars themselves, columns of lines and without bars", () => {
    const inPart = [true, false, false, true];
    const looks = (series: PlotInput["series"]) => drawn({ inPart, series }).hatches.map(({ look }) => look);
    expect(looks([bar("one", [1, 2, 3, 0])])).toEqual(["one", "column"]);
    expect(looks([line([1, 2, 3, null])])).toEqual(["column", "column"]);
    expect(drawn({ series: [bar("one", [1, 1, 1, 1])] }).hatches).toEqual([]);
  });

  test("hatching stays inside its area", () => {
    const path = hatchPath({ left: 10, top: 20, width: 30, height: 7 });
    const points = [...path.matchAll(/([\d.]+) ([\d.]+)/g)].map(
      ([, x, y]) => [Number(x), Number(y)] as const,
    );
    expect(points.length).toBeGreaterThan(8);
    for (const [x, y] of points) expect(x >= 10 && x <= 40 && y >= 20 && y <= 27, `${x} ${y}`).toBe(true);
  });

  test("a chart without columns is an empty frame", () => {
    expect(JSON.stringify(drawn({ labels: [] }))).not.toMatch(/null|NaN/);
  });
});
