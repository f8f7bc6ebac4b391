import { expect, test } from "vitest";
import type { Outcome } from "./driver.ts";
import {
  latencyProblems,
  overAdmitted,
  quantile,
  queueMs,
  slopePerSecond,
  wronglyRefused,
} from "./verdict.ts";

const limit = { requestsMax: 2, windowMs: 60_000 };
const call = (sentMs: number, status = 200): Outcome => ({
  bucket: "b",
  sentMs,
  receivedMs: sentMs + 5,
  status,
  isRepeated: false,
});

test("two calls and a third one a window later are allowed", () => {
  const outcomes = [call(0), call(10), call(20, 429), call(60_000), call(60_010), call(60_020, 429)];
  expect(overAdmitted(outcomes, limit)).toEqual([]);
  expect(wronglyRefused(outcomes, limit)).toEqual([]);
});

test("a third call within the window is detected, whatever its answer", () => {
  expect(overAdmitted([call(0), call(10), call(59_000, 404)], limit)).toEqual(["b: 3 of 2 within 60000 ms"]);
});

test("a call without an answer may have been admitted or not: it proves nothing", () => {
  expect(overAdmitted([call(0), call(10), call(20, 0)], limit)).toEqual([]);
  expect(wronglyRefused([call(0), call(10, 0), call(20, 429)], limit)).toEqual([]);
});

test("a refusal with room in the window is detected", () => {
  expect(wronglyRefused([call(0), call(10, 429)], limit)).toEqual(["b: refused with 1 of 2 in the window"]);
  expect(wronglyRefused([call(0), call(10), call(70_000, 429)], limit)).toHaveLength(1);
});

test("median and slope are computed correctly", () => {
  expect(quantile([5, 1, 3], 0.5)).toBe(3);
  expect(slopePerSecond([0, 1000, 2000].map((atMs) => ({ atMs, value: 7 + atMs / 500 })))).toBeCloseTo(2);
});

test("fractions of a millisecond cause no false alarm: the service uses whole milliseconds", () => {
  const first = { ...call(0.7), receivedMs: 0.9 };
  const third = { ...call(60_000.1), receivedMs: 60_000.3 };
  expect(overAdmitted([first, call(10), third], limit)).toEqual([]);
  expect(overAdmitted([first, call(10), { ...third, receivedMs: 59_999.9 }], limit)).toHaveLength(1);
  const refused = { ...call(60_000.8, 429), receivedMs: 60_000.9 };
  expect(wronglyRefused([{ ...first, receivedMs: 0.75 }, call(10), refused], limit)).toEqual([]);
});

const steady = (ms: number, count = 100) => Array.from({ length: count }, () => ms);
const busy = { idleMs: steady(5), serviceMs: 5, busyShare: 0.5 };

test("latency within twice the idle value passes, and a higher median is detected", () => {
  expect(latencyProblems({ ...busy, underLoadMs: steady(10) })).toEqual([]);
  expect(latencyProblems({ ...busy, underLoadMs: steady(10.4) })).toEqual([
    "the middle is 10.4 ms, at most 10.0",
  ]);
});

test("a slow twentieth is detected if queueing does not explain it", () => {
  expect(queueMs({ ...busy, underLoadMs: [] })).toBeCloseTo(10 * Math.log(10));
  const withTail = (ms: number) => ({ ...busy, underLoadMs: [...steady(5, 90), ...steady(ms, 10)] });
  expect(latencyProblems(withTail(33))).toEqual([]);
  expect(latencyProblems(withTail(34))).toEqual(["95 % are within 34.0 ms, at most 33.0"]);
});

test("queueing explains nothing at a service that is hardly busy", () => {
  const idling = { ...busy, busyShare: 0.04, underLoadMs: [...steady(5, 90), ...steady(10.4, 10)] };
  expect(latencyProblems(idling)).toEqual(["95 % are within 10.4 ms, at most 10.0"]);
});

test("a missing measurement is not within any bound", () => {
  expect(latencyProblems({ ...busy, underLoadMs: [] })).toHaveLength(2);
});
