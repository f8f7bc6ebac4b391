import type { ContextRule, Finder, Span } from "./rule.ts";
import { marker } from "./view.ts";

function endOf(value: RegExp, text: string, start: number): number {
  value.lastIndex = start;
  return value.test(text) ? value.lastIndex : start;
}

/**
 * Answers, for ever later places, whether the pattern occurs before them on their line. It walks the text once, and it
 * knows no distance: a marker in between makes a line shorter and must not change the answer.
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
    // Taken or refused, a value is walked once, however often its context occurs inside it. Where both are empty, as at
    // the start of a line, the search still goes on.
    pattern.lastIndex = Math.max(valueEnd, match.index + 1);
    if (context.includes(marker) || !isBehind(match.index)) continue;
    if (accept(text.slice(start, end), { text, start, end, context })) spans.push({ start, end, kind });
  }
  return spans;
}

export function contextFinder(rule: ContextRule): Finder {
  return { kinds: [rule], keywords: rule.keywords, find: (text) => findInContext(rule, text) };
}
