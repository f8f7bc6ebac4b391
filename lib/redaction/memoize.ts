import type { Accept } from "./rule.ts";

/** Longer values rarely occur twice. */
const keptLengthMax = 64;
const keptMax = 1_024;
/** By value: what each check said of it. */
const kept = new Map<string, (boolean | undefined)[]>();
let checks = 0;

/** Checks a value once, even if several searches find it. `accept` must depend on the value only. */
export function memoize(accept: Accept): Accept {
  const check = checks++;
  return (value) => {
    if (value.length > keptLengthMax) return accept(value);
    let verdicts = kept.get(value);
    if (!verdicts) {
      if (kept.size >= keptMax) kept.clear();
      verdicts = [];
      kept.set(value, verdicts);
    }
    const verdict = verdicts[check] ?? accept(value);
    verdicts[check] = verdict;
    return verdict;
  };
}

/** Call this after every text: the cached values may be credentials, and no credential may stay in memory. */
export const clearMemoized = (): void => kept.clear();
