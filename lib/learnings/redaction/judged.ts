import type { Accept } from "./rule.ts";

/** A longer value is rarely seen twice. */
const keptLengthMax = 64;
const keptMax = 1_024;
const memories: Map<string, boolean>[] = [];

/** A value is judged once, however many searches meet it in a text: the judge sees nothing but the value. */
export function judgedOnce(judge: Accept): Accept {
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

/** Behind every text: what was judged may be a credential, and no credential stays in memory. */
export function forgetJudged(): void {
  for (const verdicts of memories) verdicts.clear();
}
