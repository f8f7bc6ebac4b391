import { describe, expect, test } from "vitest";
import { CheckFailed, waitUntil } from "../../lib/checks/service/check.ts";
import { TestClock } from "../support/clock.ts";

describe("a check that waits", () => {
  const clock = new TestClock("2026-11-16T00:00:00.000Z");
  const wait = (over: object) => ({
    untilMs: clock.nowMs() + 1_000,
    otherwise: "It is not there.",
    clock,
    ...over,
  });

  test("a search of a new index that fails at first is repeated until it answers", async () => {
    const answers = [new Error("transient"), new Error("transient"), false, true];
    const search = async () => {
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer ?? expect.fail("asked once more than needed");
    };
    await waitUntil(search, wait({ retryErrors: true }));
    expect(answers).toEqual([]);
  });

  test("an error that stays is reported in its own words, after the deadline", async () => {
    const startMs = clock.nowMs();
    const failing = () => Promise.reject(new Error("AccessDenied"));
    await expect(waitUntil(failing, wait({ retryErrors: true }))).rejects.toThrow("AccessDenied");
    expect(clock.nowMs()).toBeGreaterThan(startMs + 1_000);
  });

  test("other checks fail at the first error, and say what is missing at the deadline", async () => {
    let tries = 0;
    const failing = () => Promise.reject(new Error(`broken ${++tries}`));
    await expect(waitUntil(failing, wait({}))).rejects.toThrow("broken 1");
    await expect(waitUntil(async () => false, wait({}))).rejects.toThrow(CheckFailed);
  });
});
