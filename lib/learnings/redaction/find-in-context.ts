import type { ContextRule, Finder, Span } from "./rule.ts";

function endOf(value: RegExp, text: string, start: number): number {
  value.lastIndex = start;
  return value.test(text) ? value.lastIndex : start;
}

function findInContext({ kind, pattern, value, upTo, accept }: ContextRule, text: string): Span[] {
  const spans: Span[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const context = value ? match[0] : "";
    const start = match.index + context.length;
    const valueEnd = value ? endOf(value, text, start) : pattern.lastIndex;
    const end = upTo ? start + text.slice(start, valueEnd).lastIndexOf(upTo) : valueEnd;
    // Taken or refused, a value is walked once, however often its context occurs inside it.
    pattern.lastIndex = valueEnd;
    if (
      end <= start ||
      context.includes("[REDACTED:") ||
      !accept(text.slice(start, end), { text, start, end, context })
    )
      continue;
    spans.push({ start, end, kind });
  }
  return spans;
}

export function contextFinder(rule: ContextRule): Finder {
  return { kinds: [rule], keywords: rule.keywords, find: (text) => findInContext(rule, text) };
}
