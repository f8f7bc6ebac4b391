import type { Span } from "./rule.ts";

/** Adds the spans of a later search to those of a more precise search. Where both overlap, the precise span stays. */
export function mergeSpans(spans: readonly Span[], found: readonly Span[]): readonly Span[] {
  if (found.length === 0 || spans.length === 0) return found.length === 0 ? spans : found;
  const merged = [...spans];
  let next = 0;
  for (const span of found) {
    while (next < spans.length && (spans[next]?.end ?? 0) <= span.start) next++;
    if ((spans[next]?.start ?? span.end) >= span.end) merged.push(span);
  }
  return merged.sort((a, b) => a.start - b.start);
}
