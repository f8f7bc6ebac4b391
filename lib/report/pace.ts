import type { Clock } from "../runtime/clock.ts";

type Fetch = typeof globalThis.fetch;
export type Pace = { readonly requestsMax: number; readonly windowMs: number };

/** Half of a rate limit: exports of the same customer that run at the same time keep the other half. */
export const halfOf = (limit: { readonly requestsMax: number; readonly windowSeconds: number }): Pace => ({
  requestsMax: Math.floor(limit.requestsMax / 2),
  windowMs: limit.windowSeconds * 1000,
});

/**
 * Sends at most `requestsMax` requests in any window; further requests wait. It counts from the time of the response,
 * which is never earlier than the time at which the service counted the request.
 */
export function pacedFetch(fetch: Fetch, { requestsMax, windowMs }: Pace, clock: Clock): Fetch {
  /** The response times of the last requests, oldest first. */
  let answeredMs: ReadonlyArray<Promise<number>> = [];
  let turn: Promise<void> = Promise.resolve();
  const nowMs = () => clock.nowMs();
  const waitForPlace = async (oldestMs: Promise<number> | undefined) => {
    if (oldestMs === undefined) return;
    const waitMs = (await oldestMs) + windowMs - clock.nowMs();
    if (waitMs > 0) await clock.sleep(waitMs);
  };
  return (...request) => {
    const oldestMs = answeredMs.at(-requestsMax);
    // Requests are sent in order, so that a request that has waited takes all earlier ones into account.
    turn = turn.then(() => waitForPlace(oldestMs));
    const answer = turn.then(() => fetch(...request));
    answeredMs = [...answeredMs, answer.then(nowMs, nowMs)].slice(-requestsMax);
    return answer;
  };
}
