import { expect, test } from "vitest";
import { toTimestamp } from "../../lib/runtime/clock.ts";
import fc from "../support/property.ts";

const inDate = { min: -8.64e15, max: 8.64e15 };

test("every point in time is written as Date does, also before 1970, beyond four digits and with fractions", () => {
  fc.assert(
    fc.property(fc.oneof(fc.integer(inDate), fc.double({ ...inDate, noNaN: true })), (ms) => {
      expect(toTimestamp(ms)).toBe(new Date(ms).toISOString());
    }),
    { numRuns: 2_000, examples: [[0], [-1], [-0.5], [inDate.min], [inDate.max], [86_400_000 - 1]] },
  );
});

test("a day that is asked for after thousands of others is still right", () => {
  const days = Array.from({ length: 9_000 }, (_, number) => number * 86_400_000 + number);
  for (const ms of [...days, ...days.toReversed()]) expect(toTimestamp(ms)).toBe(new Date(ms).toISOString());
});

test("what is no point in time is an error, never a text", () => {
  for (const ms of [Number.NaN, Number.POSITIVE_INFINITY, 8.64e15 + 1])
    expect(() => toTimestamp(ms)).toThrow(RangeError);
});
