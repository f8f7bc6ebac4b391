import type { Outcome } from "./driver.ts";

export type Limit = { readonly requestsMax: number; readonly windowMs: number };

/** Everything that is not refused counts, whatever it answered. */
const isAdmitted = ({ status }: Outcome): boolean => status !== 429;

/** The service stamps calls with whole milliseconds: the earliest that one sent now can get. */
const earliestStampMs = ({ sentMs }: Outcome): number => Math.floor(sentMs);

/**
 * Surely too many: admitted calls that all began and ended within less than one window of the first one's
 * beginning. A call's own stamp lies somewhere between its two times, so nothing exact is ever accused.
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

/** Surely wrong: a refusal although even all calls that may have been in its window are fewer than the limit. */
export function wronglyRefused(outcomes: readonly Outcome[], { requestsMax, windowMs }: Limit): string[] {
  const admitted = outcomes.filter(isAdmitted);
  return outcomes.flatMap((refused) => {
    if (isAdmitted(refused)) return [];
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

/** Least squares: units a second. */
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
  /** Of the processor, by the service, for one request. */
  readonly serviceMs: number;
  /** Share of the time in which the service was at work. */
  readonly busyShare: number;
};

/**
 * What one caller in twenty waits behind others where a single process serves all of them in turn (M/M/1). On AWS
 * every request has a function of its own; the local service is one process, and its tail has this in it.
 */
export const queueMs = ({ serviceMs, busyShare }: Latency): number =>
  busyShare >= 1
    ? Number.POSITIVE_INFINITY
    : (serviceMs / (1 - busyShare)) * Math.log(Math.max(1, busyShare / 0.05));

/** Twice the idle value, in the middle; and of the slowest twentieth, beside what waiting in line explains. */
export function latencyProblems(latency: Latency): string[] {
  const { idleMs, underLoadMs } = latency;
  const middleMax = 2 * quantile(idleMs, 0.5);
  const tailMax = 2 * quantile(idleMs, 0.95) + queueMs(latency);
  const [middle, tail] = [quantile(underLoadMs, 0.5), quantile(underLoadMs, 0.95)];
  // Not "more than": nothing measured is a problem too.
  return [
    ...(middle <= middleMax
      ? []
      : [`the middle is ${middle.toFixed(1)} ms, at most ${middleMax.toFixed(1)}`]),
    ...(tail <= tailMax ? [] : [`95 % are within ${tail.toFixed(1)} ms, at most ${tailMax.toFixed(1)}`]),
  ];
}
