import type { Finder, ShapeRule, Span, TokenRule } from "./rule.ts";

function isAlphanumeric(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

const backslash = 92;
const percent = 37;

/** A token begins where no letter or digit stands before it, unless that ends an escape such as `\n` or `%3D`. */
function opensAt(text: string, at: number): boolean {
  if (at === 0 || !isAlphanumeric(text.charCodeAt(at - 1))) return true;
  const before = text.charCodeAt(at - 2);
  return before === backslash || before === percent || text.charCodeAt(at - 3) === percent;
}

/** The whole token or nothing: a rest left behind could match on its own next time. */
const closesAt = (text: string, at: number) => at >= text.length || !isAlphanumeric(text.charCodeAt(at));

interface Opening {
  readonly prefix: string;
  readonly rule: TokenRule;
}

const pairKey = (text: string, at: number) => text.charCodeAt(at) * 0x10000 + text.charCodeAt(at + 1);

/** By the first two characters of their prefixes, the longest prefix first, so that one walk serves every rule. */
function openingsOf(rules: readonly TokenRule[]): Map<number, Opening[]> {
  const openings = new Map<number, Opening[]>();
  for (const rule of rules) {
    for (const prefix of rule.prefixes) {
      const key = pairKey(prefix, 0);
      openings.set(key, [...(openings.get(key) ?? []), { prefix, rule }]);
    }
  }
  for (const list of openings.values()) list.sort((a, b) => b.prefix.length - a.prefix.length);
  return openings;
}

/** Where the token that opens at `start` ends; `start` if it is none. */
function tokenEnd(text: string, start: number, { prefix, rule }: Opening): number {
  if (!text.startsWith(prefix, start)) return start;
  const bodyStart = start + prefix.length;
  rule.pattern.lastIndex = bodyStart;
  if (!rule.pattern.test(text)) return start;
  return rule.pattern.lastIndex - bodyStart < rule.bodyLengthMin ? start : rule.pattern.lastIndex;
}

export function tokenFinder(rules: readonly TokenRule[]): Finder {
  const openings = openingsOf(rules);
  return {
    kinds: rules,
    keywords: [],
    find(text) {
      const spans: Span[] = [];
      for (let at = 0; at < text.length; at++) {
        if (!opensAt(text, at)) continue;
        const candidates = openings.get(pairKey(text, at));
        if (!candidates) continue;
        let walkedTo = at + 1;
        for (const candidate of candidates) {
          const end = tokenEnd(text, at, candidate);
          walkedTo = Math.max(walkedTo, end);
          if (end === at || !closesAt(text, end)) continue;
          if (!candidate.rule.accept(text.slice(at, end), { text, start: at, end, context: "" })) continue;
          spans.push({ start: at, end, kind: candidate.rule.kind });
          break;
        }
        // Refused or not, a long token is walked once: its inside is not searched again.
        at = walkedTo - 1;
      }
      return spans;
    },
  };
}

/** Below this no shape is told from an ordinary word. */
const runLengthMin = 34;
export const runPattern = /[\w~-]+(?:\.[\w~-]+)*/g;

export function shapeFinder(rules: readonly ShapeRule[]): Finder {
  return {
    kinds: rules,
    keywords: [],
    find(text) {
      const spans: Span[] = [];
      runPattern.lastIndex = 0;
      for (let run = runPattern.exec(text); run; run = runPattern.exec(text)) {
        const [secret] = run;
        if (secret.length < runLengthMin) continue;
        const found = { text, start: run.index, end: run.index + secret.length, context: "" };
        const rule = rules.find(({ pattern, accept }) => pattern.test(secret) && accept(secret, found));
        if (rule) spans.push({ start: found.start, end: found.end, kind: rule.kind });
      }
      return spans;
    },
  };
}
