import type { Accept } from "./rule.ts";

/** Longer values rarely occur twice. */
const keptLengthMax = 64;
const keptMax = 1_024;
const memories: Map<string, boolean>[] = [];

/** Checks a value once, even if several searches find it. `accept` must depend on the value only. */
export function memoize(accept: Accept): Accept {
  const verdicts = new Map<string, boolean>();
  memories.push(verdicts);
  return (value) => {
    if (value.length > keptLengthMax) return accept(value);
    const known = verdicts.get(value);
    if (known !== undefined) return known;
    const verdict = accept(value);
    if (verdicts.size >= keptMax) verdicts.clear();
    verdicts.set(value, verdict);
    return verdict;
  };
}

/** Call this after every text: the cached values may be credentials, and no credential may stay in memory. */
export function clearMemoized(): void {
  for (const verdicts of memories) verdicts.clear();
}
