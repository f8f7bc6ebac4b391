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
  const sentMs: number[] = [];
  const fetch = pacedFetch(
    async () => {
      sentMs.push(nowMs);
      nowMs += 7;
      return new Response();
    },
    halfOf({ requestsMax: 60, windowSeconds: 60 }),
    clock,
  );
  // Two at a time, as a walk that asks one page ahead.
  for (let index = 0; index < 100; index += 2) await Promise.all([fetch("http://a"), fetch("http://b")]);
  const busiest = Math.max(
    ...sentMs.map((fromMs) => sentMs.filter((ms) => ms >= fromMs && ms < fromMs + 60_000).length),
  );
  expect([sentMs.length, busiest]).toEqual([100, 30]);
});
