import { describe, expect, it } from "vitest";
import { redact } from "../../../lib/redaction/redact.ts";
import { shapes } from "./shapes.ts";

/** The length of the longest Learning, and a tenth of it. */
const learningLength = 10_000;
const shortLength = 1_000;
/** Longer than what the last search reads, so that a text is searched as a long one. */
const longLength = 32 * 1_024;
const cpuMsMax = 150;
/** Below this the growth is noise. */
const cpuMsMin = 10;
const growthMax = 15;

const cpuMs = (text: string, times = 1): number => {
  const before = process.threadCpuUsage();
  for (let time = 0; time < times; time++) redact(text);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000 / times;
};
const bestOf = (count: number, measure: () => number): number =>
  Math.min(...Array.from({ length: count }, measure));

describe("a Learning of 10,000 characters, whatever its shape", { timeout: 600_000 }, () => {
  it(`at least 120 hostile shapes cost at most ${cpuMsMax} ms of processor time each`, () => {
    expect(shapes.length).toBeGreaterThanOrEqual(120);
    const measured = shapes.map(({ shape, ofLength }) => {
      const text = ofLength(learningLength);
      return { shape, text, ms: bestOf(2, () => cpuMs(text)) };
    });
    const worst = measured.toSorted((a, b) => b.ms - a.ms);
    console.log(`worst of ${shapes.length} shapes: ${worst[0]?.ms.toFixed(0)} ms on ${worst[0]?.shape}`);
    expect(worst.filter(({ ms }) => ms > cpuMsMax).map(({ shape, ms }) => `${shape}: ${ms} ms`)).toEqual([]);
  });

  it(`ten times the length costs at most ${growthMax} times as much, above ${cpuMsMin} ms`, () => {
    const growths = shapes.flatMap(({ shape, ofLength }) => {
      const long = ofLength(learningLength);
      const short = ofLength(shortLength);
      if (bestOf(2, () => cpuMs(long)) <= cpuMsMin) return [];
      // Many short ones at once: the clock of a processor counts in milliseconds.
      const growthOf = (tries: number) =>
        bestOf(tries, () => cpuMs(long, 2)) / bestOf(tries, () => cpuMs(short, 20));
      const first = growthOf(2);
      return [{ shape, growth: first > growthMax ? growthOf(8) : first }];
    });
    const worst = growths.toSorted((a, b) => b.growth - a.growth);
    console.log(
      `largest growth: ${worst[0]?.growth.toFixed(1)} on ${worst[0]?.shape} (${growths.length} above ${cpuMsMin} ms)`,
    );
    expect(worst.filter(({ growth }) => growth > growthMax)).toEqual([]);
  });

  it("redacting twice is redacting once, for every shape at its full length and at 32 KB", () => {
    const changed = shapes.flatMap(({ shape, ofLength }) =>
      [learningLength, longLength].flatMap((length) => {
        const once = redact(ofLength(length)).text;
        return redact(once).text === once ? [] : [`${shape}, ${length} characters`];
      }),
    );
    console.log(`changed by a second redaction: ${changed.length} of ${2 * shapes.length} texts`);
    expect(changed).toEqual([]);
  });
});
