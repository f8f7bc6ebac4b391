import { hasBothCases, hasDigit } from "./appearance.ts";
import type { Span } from "./rule.ts";

/** In base64 a slash is part of the value, not a separator. */
const isBase64 = (value: string) =>
  /^[A-Za-z\d+/]{24,}={0,2}$/.test(value) && hasDigit(value) && hasBothCases(value);
const isApart = (neighbour: string, span: string) =>
  /[:/@=,;&|?\s]/.test(neighbour) && !(neighbour === "/" && isBase64(span));

/** Returns the index of the first span that ends after `at`. */
function firstBehind(spans: readonly Span[], at: number): number {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle]?.end ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Adds the spans of a later search to those of a more precise search. Where both overlap, the more precise
 * span keeps its kind. If it covers at least half of the later span, it grows to include that span, so that
 * the whole value is redacted.
 */
export function mergeSpans(text: string, spans: readonly Span[], found: readonly Span[]): readonly Span[] {
  if (found.length === 0) return spans;
  if (spans.length === 0) return found;
  const grown = new Map<number, Span>();
  const swallowed = new Set<number>();
  const added: Span[] = [];
  for (const span of found) {
    const first = firstBehind(spans, span.start);
    let covered = 0;
    let last = first;
    for (let known = spans[last]; known && known.start < span.end; known = spans[++last])
      covered += Math.min(known.end, span.end) - Math.max(known.start, span.start);
    if (last === first) added.push(span);
    if (last === first || covered * 2 < span.end - span.start) continue;
    // `user:token` and `token@host` have two parts, and only one of them is the credential.
    const knownStart = spans[first]?.start ?? 0;
    const knownEnd = spans[last - 1]?.end ?? 0;
    const whole = text.slice(span.start, span.end);
    if (span.start < knownStart && isApart(text.charAt(knownStart - 1), whole)) continue;
    if (span.end > knownEnd && isApart(text.charAt(knownEnd), whole)) continue;
    for (let index = first + 1; index < last; index++) swallowed.add(index);
    const known = grown.get(first) ?? spans[first] ?? span;
    const end = Math.max(span.end, knownEnd);
    grown.set(first, { start: Math.min(known.start, span.start), end, kind: known.kind });
  }
  const kept = spans.flatMap((span, index) => (swallowed.has(index) ? [] : [grown.get(index) ?? span]));
  return [...kept, ...added].sort((a, b) => a.start - b.start);
}
