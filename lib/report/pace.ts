import type { Clock } from "../runtime/clock.ts";

type Fetch = typeof globalThis.fetch;
export type Pace = { readonly requestsMax: number; readonly windowMs: number };

/** Half of a rate limit: exports of the same customer that run at the same time keep the other half. */
export const halfOf = (limit: { readonly requestsMax: number; readonly windowSeconds: number }): Pace => ({
  requestsMax: Math.floor(limit.requestsMax / 2),
  windowMs: limit.windowSeconds * 1000,
});

/** Never more than so many requests in any window; the one too many waits. */
export function pacedFetch(fetch: Fetch, { requestsMax, windowMs }: Pace, clock: Clock): Fetch {
  /** When each of the last requests went out, oldest first. */
  let sentMs: readonly number[] = [];
  let turn: Promise<void> = Promise.resolve();
  const waitForTurn = async () => {
    const oldestMs = sentMs.length < requestsMax ? undefined : sentMs[0];
    if (oldestMs !== undefined) {
      const waitMs = oldestMs + windowMs - clock.nowMs();
      if (waitMs > 0) await clock.sleep(waitMs);
    }
    sentMs = [...sentMs, clock.nowMs()].slice(-requestsMax);
  };
  return async (...request) => {
    // One after the other: two that wait for the same place would both take it.
    turn = turn.then(waitForTurn);
    await turn;
    return fetch(...request);
  };
}
