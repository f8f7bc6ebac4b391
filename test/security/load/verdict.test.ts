import { expect, test } from "vitest";
import type { Outcome } from "./driver.ts";
import { overAdmitted, quantile, slopePerSecond, wronglyRefused } from "./verdict.ts";

const limit = { requestsMax: 2, windowMs: 60_000 };
const call = (sentMs: number, status = 200): Outcome => ({
  bucket: "b",
  sentMs,
  receivedMs: sentMs + 5,
  status,
});

test("two calls and a third one a window later are right", () => {
  const outcomes = [call(0), call(10), call(20, 429), call(60_000), call(60_010), call(60_020, 429)];
  expect(overAdmitted(outcomes, limit)).toEqual([]);
  expect(wronglyRefused(outcomes, limit)).toEqual([]);
});

test("a third call within the window is seen, whatever it answered", () => {
  expect(overAdmitted([call(0), call(10), call(59_000, 404)], limit)).toEqual(["b: 3 of 2 within 60000 ms"]);
});

test("a refusal with room in the window is seen", () => {
  expect(wronglyRefused([call(0), call(10, 429)], limit)).toEqual(["b: refused with 1 of 2 in the window"]);
  expect(wronglyRefused([call(0), call(10), call(70_000, 429)], limit)).toHaveLength(1);
});

test("middle and slope", () => {
  expect(quantile([5, 1, 3], 0.5)).toBe(3);
  expect(slopePerSecond([0, 1000, 2000].map((atMs) => ({ atMs, value: 7 + atMs / 500 })))).toBeCloseTo(2);
});
