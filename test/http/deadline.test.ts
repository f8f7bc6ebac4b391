import { describe, expect, test } from "vitest";
import { requestLimits } from "../../lib/contract/limits.ts";
import { apiGatewayLimits, functionSettings, lambdaLimits } from "../../lib/contract/platform.ts";
import { openDeadline } from "../../lib/http/deadline.ts";
import { ManualClock } from "../support/clock.ts";

const work = { totalMs: 1_000, wrapUpMs: 300, answerMs: 100 };
const never = new Promise<never>(() => {});

describe("a deadline", () => {
  test("a deadline fires the soft signal first, then the hard one", async () => {
    const clock = new ManualClock();
    const deadline = openDeadline(clock, work, 60_000);
    const refusal = expect(deadline.within(never)).rejects.toMatchObject({ name: "TimeoutError" });
    const state = () => [deadline.softDeadline.aborted, deadline.hardDeadline.aborted];
    await clock.advanceTo(699);
    expect(state()).toEqual([false, false]);
    await clock.advanceTo(700);
    expect(state()).toEqual([true, false]);
    await clock.advanceTo(1_000);
    expect(state()).toEqual([true, true]);
    await refusal;
  });

  test("a function with less time than planned keeps Lambda's last milliseconds for the answer", async () => {
    const clock = new ManualClock();
    const deadline = openDeadline(clock, work, 500);
    await clock.advanceTo(100);
    expect(deadline.softDeadline.aborted).toBe(true);
    await clock.advanceTo(400);
    expect(deadline.hardDeadline.aborted).toBe(true);
  });

  test("a deadline returns the result or the error of the work while there is time", async () => {
    const deadline = openDeadline(new ManualClock(), work, 60_000);
    expect(await deadline.within(Promise.resolve("done"))).toBe("done");
    await expect(deadline.within(Promise.reject(new Error("own")))).rejects.toThrow("own");
  });

  test("the deadline of an aborted request ends the work at once, with the reason of the abort", async () => {
    const deadline = openDeadline(new ManualClock(), work, 60_000);
    const refusal = new Error("refused");
    const waiting = expect(deadline.within(never)).rejects.toBe(refusal);
    deadline.stop(refusal);
    await waiting;
    expect([deadline.softDeadline.reason, deadline.hardDeadline.aborted]).toEqual([refusal, false]);
  });

  test("a deadline that is disposed never fires", async () => {
    const clock = new ManualClock();
    const deadline = openDeadline(clock, work, 60_000);
    deadline.dispose();
    await clock.advanceTo(10_000);
    expect([deadline.softDeadline.aborted, deadline.hardDeadline.aborted]).toEqual([false, false]);
  });
});

describe("the time limits of the functions", () => {
  const { operation, streaming } = functionSettings;

  test.each([
    ["buffered", operation],
    ["streamed", streaming],
  ])(
    "work and answer of a %s function fit Lambda's timeout",
    (_, { timeoutSeconds, work: { totalMs, wrapUpMs, answerMs } }) => {
      expect(totalMs + answerMs).toBeLessThanOrEqual(timeoutSeconds * 1000);
      expect(wrapUpMs).toBeLessThan(totalMs);
    },
  );

  test("a buffered answer is ready before the gateway gives up", () => {
    expect(operation.work.totalMs + operation.work.answerMs).toBeLessThan(apiGatewayLimits.integrationMsMax);
  });

  test("the largest streamed answer is sent at Lambda's slow rate within half the time reserved for it", () => {
    const slowBytes = requestLimits.responseBytesMax - lambdaLimits.streamFullSpeedBytes;
    const sendMs = (slowBytes / lambdaLimits.streamBytesPerSecond) * 1000;
    expect(2 * sendMs).toBeLessThan(streaming.work.answerMs);
    expect(requestLimits.responseBytesMax).toBeLessThan(lambdaLimits.streamBytesMax);
    expect(streaming.work.totalMs).toBeLessThan(apiGatewayLimits.streamSilenceMsMax);
    expect(streaming.timeoutSeconds * 1000).toBeLessThan(apiGatewayLimits.streamMsMax);
  });
});
