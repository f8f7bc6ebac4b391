import { expect, test } from "vitest";
import {
  decodeWeeks,
  encodeWeeks,
  noteWeeks,
  weekMeets,
  weekOf,
  weekStartMs,
} from "../../lib/stream/weeks.ts";
import fc from "../support/property.ts";

const placed = fc.array(
  fc.record({ week: fc.integer({ min: 0, max: 4095 }), number: fc.integer({ min: 1, max: 9_999_999_999 }) }),
  { maxLength: 200 },
);

test("weeks begin on Monday, and the first one holds 2000-01-01", () => {
  expect(weekOf(Date.UTC(2000, 0, 1))).toBe(0);
  expect(weekOf(Date.UTC(2000, 0, 2, 23, 59, 59, 999))).toBe(0);
  expect(weekOf(Date.UTC(2000, 0, 3))).toBe(1);
  expect(weekStartMs(weekOf(Date.UTC(2026, 10, 15)))).toBe(Date.UTC(2026, 10, 9));
});

test("a time outside the calendar is refused", () => {
  expect(() => weekOf(Date.UTC(1999, 0, 1))).toThrow(RangeError);
  expect(() => weekOf(Date.UTC(2090, 0, 1))).toThrow(RangeError);
  expect(() => weekOf(Number.NaN)).toThrow(RangeError);
});

test("a window overlaps a week exactly when they share an instant", () => {
  const week = 1400;
  const startMs = weekStartMs(week);
  const endMs = weekStartMs(week + 1);
  expect(weekMeets(week, startMs - 10, startMs)).toBe(false);
  expect(weekMeets(week, startMs - 10, startMs + 1)).toBe(true);
  expect(weekMeets(week, endMs - 1, endMs + 10)).toBe(true);
  expect(weekMeets(week, endMs, endMs + 10)).toBe(false);
});

test("the stored form names every used week, no other, and bounds that contain every number", () => {
  fc.assert(
    fc.property(placed, placed, (first, second) => {
      const stored = encodeWeeks(noteWeeks(decodeWeeks(encodeWeeks(noteWeeks([], first))), second));
      const spans = new Map(decodeWeeks(stored).map((span) => [span.week, span]));

      const all = [...first, ...second];
      expect([...spans.keys()]).toEqual([...new Set(all.map(({ week }) => week))].sort((a, b) => a - b));
      for (const { week, number } of all) {
        expect(spans.get(week)?.lowest).toBeLessThanOrEqual(number);
        expect(spans.get(week)?.highest).toBeGreaterThanOrEqual(number);
      }
    }),
  );
});

test("ten years of weeks take 1.2 KB, with a thousand entries or a million", () => {
  const tenYears = (entries: number) =>
    encodeWeeks(
      noteWeeks(
        [],
        Array.from({ length: 522 }, (_, index) => ({
          week: 880 + index,
          number: Math.ceil((entries * (index + 1)) / 522),
        })),
      ),
    ).length;
  expect(tenYears(1_000)).toBeLessThan(1_250);
  expect(tenYears(1_000_000)).toBe(tenYears(1_000));
});

test("bounds stay narrow enough to open a week only when it is reached", () => {
  const stored = encodeWeeks(
    noteWeeks(
      [],
      Array.from({ length: 522 }, (_, week) => ({ week, number: (week + 1) * 2000 })),
    ),
  );
  const width = decodeWeeks(stored).map(({ lowest, highest }) => highest - lowest);
  expect(Math.max(...width)).toBeLessThan(522 * 2000 * 0.01);
});
