import type { Random } from "./random.ts";

export type BackOffPolicy = { readonly baseDelayMs: number; readonly delayMsMax: number };

/** Full jitter: a random wait below the exponential bound, so that competing requests do not collide again. */
export function backOffMs(random: Random, policy: BackOffPolicy, attempt: number): number {
  const bound = Math.min(policy.delayMsMax, policy.baseDelayMs * 2 ** attempt);
  return random.below(Math.max(1, Math.ceil(bound)));
}
