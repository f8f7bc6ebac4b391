import { required } from "../runtime/required.ts";
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
    if (required(spans[middle], "span").end <= at) low = middle + 1;
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
    const known = spans[first];
    if (!known || known.start >= span.end) {
      added.push(span);
      continue;
    }
    let covered = 0;
    let last = first;
    let knownEnd = known.end;
    for (let next: Span | undefined = known; next && next.start < span.end; next = spans[++last]) {
      covered += Math.min(next.end, span.end) - Math.max(next.start, span.start);
      knownEnd = next.end;
    }
    if (covered * 2 < span.end - span.start) continue;
    // `user:token` and `token@host` have two parts, and only one of them is the credential.
    const whole = text.slice(span.start, span.end);
    if (span.start < known.start && isApart(text.charAt(known.start - 1), whole)) continue;
    if (span.end > knownEnd && isApart(text.charAt(knownEnd), whole)) continue;
    for (let index = first + 1; index < last; index++) swallowed.add(index);
    const { start, kind } = grown.get(first) ?? known;
    grown.set(first, { start: Math.min(start, span.start), end: Math.max(span.end, knownEnd), kind });
  }
  const kept = spans.flatMap((span, index) => (swallowed.has(index) ? [] : [grown.get(index) ?? span]));
  return [...kept, ...added].sort((a, b) => a.start - b.start);
}
