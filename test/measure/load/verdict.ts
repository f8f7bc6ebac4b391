import type { Outcome } from "./driver.ts";

export type Limit = { readonly requestsMax: number; readonly windowMs: number };

/** Every call that is not refused counts, whatever its answer. A call without an answer may have been either. */
const mayBeAdmitted = ({ status }: Outcome): boolean => status !== 429;
const isAdmitted = (outcome: Outcome): boolean => mayBeAdmitted(outcome) && outcome.status !== 0;

/** The service stamps calls with whole milliseconds: the earliest stamp that a call sent now can get. */
const earliestStampMs = ({ sentMs }: Outcome): number => Math.floor(sentMs);

/**
 * Certainly too many: admitted calls that all began and ended within less than one window of the first one's beginning.
 * A call's own stamp is between its two times, so an exact limiter is never reported.
 */
export function overAdmitted(outcomes: readonly Outcome[], { requestsMax, windowMs }: Limit): string[] {
  const admitted = outcomes.filter(isAdmitted);
  return admitted.flatMap((first) => {
    const endMs = earliestStampMs(first) + windowMs;
    const within = admitted.filter((other) => other.sentMs >= first.sentMs && other.receivedMs < endMs);
    return within.length > requestsMax
      ? [`${first.bucket}: ${within.length} of ${requestsMax} within ${windowMs} ms`]
      : [];
  });
}

/** Certainly wrong: a refusal although all calls that may have been in its window are fewer than the limit. */
export function wronglyRefused(outcomes: readonly Outcome[], { requestsMax, windowMs }: Limit): string[] {
  const admitted = outcomes.filter(mayBeAdmitted);
  return outcomes.flatMap((refused) => {
    if (mayBeAdmitted(refused)) return [];
    const within = admitted.filter(
      ({ sentMs, receivedMs }) =>
        receivedMs >= earliestStampMs(refused) - windowMs && sentMs <= refused.receivedMs,
    );
    return within.length < requestsMax
      ? [`${refused.bucket}: refused with ${within.length} of ${requestsMax} in the window`]
      : [];
  });
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** Least squares, in units per second. */
export function slopePerSecond(samples: ReadonlyArray<{ atMs: number; value: number }>): number {
  const meanAt = samples.reduce((sum, { atMs }) => sum + atMs, 0) / samples.length;
  const mean = samples.reduce((sum, { value }) => sum + value, 0) / samples.length;
  const above = samples.reduce((sum, { atMs, value }) => sum + (atMs - meanAt) * (value - mean), 0);
  const below = samples.reduce((sum, { atMs }) => sum + (atMs - meanAt) ** 2, 0);
  return (1000 * above) / below;
}

export type Latency = {
  readonly idleMs: readonly number[];
  readonly underLoadMs: readonly number[];
  /** CPU time of the service for one request. */
  readonly serviceMs: number;
  /** Share of the time in which the service was busy. */
  readonly busyShare: number;
};

/**
 * The time that one caller in twenty waits behind others if a single process serves all of them in turn (M/M/1). On AWS
 * every request has its own function; the local service is one process, and its tail includes this wait.
 */
export const queueMs = ({ serviceMs, busyShare }: Latency): number =>
  busyShare >= 1
    ? Number.POSITIVE_INFINITY
    : (serviceMs / (1 - busyShare)) * Math.log(Math.max(1, busyShare / 0.05));

/** At most twice the idle value, for the median and for the slowest twentieth without the explained queueing. */
export function latencyProblems(latency: Latency): string[] {
  const { idleMs, underLoadMs } = latency;
  const middleMax = 2 * quantile(idleMs, 0.5);
  const tailMax = 2 * quantile(idleMs, 0.95) + queueMs(latency);
  const [middle, tail] = [quantile(underLoadMs, 0.5), quantile(underLoadMs, 0.95)];
  // Not "more than": a missing measurement is a problem too.
  return [
    ...(middle <= middleMax
      ? []
      : [`the middle is ${middle.toFixed(1)} ms, at most ${middleMax.toFixed(1)}`]),
    ...(tail <= tailMax ? [] : [`95 % are within ${tail.toFixed(1)} ms, at most ${tailMax.toFixed(1)}`]),
  ];
}
