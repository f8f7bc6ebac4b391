import type { Outcome } from "./driver.ts";

export type Limit = { readonly requestsMax: number; readonly windowMs: number };

/** Everything that is not refused counts, whatever it answered. */
const isAdmitted = ({ status }: Outcome): boolean => status !== 429;

/**
 * Surely too many: admitted calls that all began and ended within less than one window of the first one's
 * beginning. A call's own stamp lies somewhere between its two times, so nothing exact is ever accused.
 */
export function overAdmitted(outcomes: readonly Outcome[], { requestsMax, windowMs }: Limit): string[] {
  const admitted = outcomes.filter(isAdmitted);
  return admitted.flatMap(({ bucket, sentMs }) => {
    const within = admitted.filter((other) => other.sentMs >= sentMs && other.receivedMs < sentMs + windowMs);
    return within.length > requestsMax
      ? [`${bucket}: ${within.length} of ${requestsMax} within ${windowMs} ms`]
      : [];
  });
}

/** Surely wrong: a refusal although even all calls that may have been in its window are fewer than the limit. */
export function wronglyRefused(outcomes: readonly Outcome[], { requestsMax, windowMs }: Limit): string[] {
  const admitted = outcomes.filter(isAdmitted);
  return outcomes.flatMap((refused) => {
    if (isAdmitted(refused)) return [];
    const within = admitted.filter(
      ({ sentMs, receivedMs }) => receivedMs >= refused.sentMs - windowMs && sentMs <= refused.receivedMs,
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
