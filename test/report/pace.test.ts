import { expect, test } from "vitest";
import { halfOf, pacedFetch } from "../../lib/report/pace.ts";

test("half of a limit of 60 is never more than 30 requests in any 60 seconds", async () => {
  let nowMs = 0;
  const clock = {
    nowMs: () => nowMs,
    sleep: async (ms: number) => {
      nowMs += ms;
    },
  };
  const arrivedMs: number[] = [];
  const fetch = pacedFetch(
    async () => {
      // The first requests are slow in transit: the service counts them later than they were sent.
      if (arrivedMs.length < 30) nowMs += 300;
      arrivedMs.push(nowMs);
      nowMs += 7;
      return new Response();
    },
    halfOf({ requestsMax: 60, windowSeconds: 60 }),
    clock,
  );
  // Two at a time, like a walk that requests one page ahead.
  for (let index = 0; index < 100; index += 2) await Promise.all([fetch("http://a"), fetch("http://b")]);
  const busiest = Math.max(
    ...arrivedMs.map((fromMs) => arrivedMs.filter((ms) => ms >= fromMs && ms < fromMs + 60_000).length),
  );
  expect([arrivedMs.length, busiest]).toEqual([100, 30]);
});

test("a failed request keeps its slot in the window, and the next request continues", async () => {
  let nowMs = 0;
  let isBroken = true;
  const clock = {
    nowMs: () => nowMs,
    sleep: async (ms: number) => {
      nowMs += ms;
    },
  };
  const broken = async () => {
    if (isBroken) throw new TypeError("broken");
    return new Response();
  };
  const fetch = pacedFetch(broken, { requestsMax: 1, windowMs: 1_000 }, clock);
  await expect(fetch("http://a")).rejects.toThrow("broken");
  isBroken = false;
  await fetch("http://a");
  expect(nowMs).toBe(1_000);
});
