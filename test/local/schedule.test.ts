import { expect, test } from "vitest";
import { runTasks } from "../../lib/local/schedule.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { ManualClock } from "../support/clock.ts";

test("tasks run at once and then repeatedly, independent of each other, until they are stopped", async () => {
  const ran: string[] = [];
  const faults: string[] = [];
  const stop = new AbortController();
  const task = (name: string, everyMs: number, run: () => void) => ({
    name,
    everyMs,
    run: async () => {
      ran.push(name);
      run();
    },
  });
  const tasks = [
    task("often", 5, () => undefined),
    task("rarely", 60_000, () => undefined),
    task("broken", 5, () => {
      throw new Error("always");
    }),
  ];
  const onFault = (name: string) => faults.push(name);
  const running = runTasks(tasks, { clock: systemClock, signal: stop.signal, onFault });
  const times = (name: string) => ran.filter((each) => each === name).length;

  await expect.poll(() => Math.min(times("often"), times("broken"))).toBeGreaterThan(2);
  stop.abort();
  await running;

  expect(times("rarely")).toBe(1);
  expect(new Set(faults)).toEqual(new Set(["broken"]));
});

test("turns are a minute apart although a run takes 42 seconds; a run of 75 seconds leaves out one turn", async () => {
  const clock = new ManualClock();
  const stop = new AbortController();
  const startsMs: number[] = [];
  const takesMs = [42_000, 75_000];
  const run = async () => {
    const ms = takesMs[startsMs.length];
    startsMs.push(clock.nowMs());
    if (ms !== undefined) await clock.sleep(ms);
  };
  const tasks = [{ name: "slow", everyMs: 60_000, run }];
  const running = runTasks(tasks, { clock, signal: stop.signal, onFault: () => undefined });
  for (let ms = 0; ms <= 240_000; ms += 1_000) await clock.advanceTo(ms);
  stop.abort();
  await running;
  expect(startsMs).toEqual([0, 60_000, 180_000, 240_000]);
});
