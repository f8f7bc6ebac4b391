import type { ContextRule, Finder, Span } from "./rule.ts";
import { marker } from "./view.ts";

function endOf(value: RegExp, text: string, start: number): number {
  value.lastIndex = start;
  return value.test(text) ? value.lastIndex : start;
}

/**
 * Returns whether the pattern occurs before a position on the same line. Call it with increasing positions: it
 * reads the text once. The distance does not
 * matter: a marker in between makes a line shorter and must not change the answer.
 */
function lineMemory(text: string, pattern: RegExp): (at: number) => boolean {
  pattern.lastIndex = 0;
  let next = pattern.exec(text);
  let lastSeen = -1;
  let lineStart = 0;
  let lineEnd = text.indexOf("\n");
  return (at) => {
    for (; next && next.index < at; next = pattern.exec(text)) lastSeen = next.index;
    for (; lineEnd >= 0 && lineEnd < at; lineEnd = text.indexOf("\n", lineStart)) lineStart = lineEnd + 1;
    return lastSeen >= lineStart;
  };
}

function findInContext({ kind, pattern, value, upTo, behind, accept }: ContextRule, text: string): Span[] {
  const spans: Span[] = [];
  const isBehind = behind ? lineMemory(text, behind) : () => true;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const context = value ? match[0] : "";
    const start = match.index + context.length;
    const valueEnd = value ? endOf(value, text, start) : pattern.lastIndex;
    const end = upTo ? start + text.slice(start, valueEnd).lastIndexOf(upTo) : valueEnd;
    // Reads a value once, accepted or not, even if its context occurs again inside it. The search also
    // continues when context and value are both empty, as at the start of a line.
    pattern.lastIndex = Math.max(valueEnd, match.index + 1);
    if (context.includes(marker) || !isBehind(match.index)) continue;
    if (accept(text.slice(start, end), { text, start, end, context })) spans.push({ start, end, kind });
  }
  return spans;
}

export function contextFinder(rule: ContextRule): Finder {
  return {
    kinds: [rule],
    keywords: rule.keywords,
    ...(rule.reach && { reach: rule.reach }),
    find: (text) => findInContext(rule, text),
  };
}
