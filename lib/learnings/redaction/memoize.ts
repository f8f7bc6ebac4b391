import type { Accept } from "./rule.ts";

/** Longer values rarely occur twice. */
const keptLengthMax = 64;
const keptMax = 1_024;
const memories: Map<string, boolean>[] = [];

/** Judges a value once, even if several searches find it. The judge must depend on the value only. */
export function memoize(judge: Accept): Accept {
  const verdicts = new Map<string, boolean>();
  memories.push(verdicts);
  return (value) => {
    if (value.length > keptLengthMax) return judge(value);
    const known = verdicts.get(value);
    if (known !== undefined) return known;
    const verdict = judge(value);
    if (verdicts.size >= keptMax) verdicts.clear();
    verdicts.set(value, verdict);
    return verdict;
  };
}

/** Call this after every text: the cached values may be credentials, and no credential may stay in memory. */
export function clearMemoized(): void {
  for (const verdicts of memories) verdicts.clear();
}
