import { type Finder, hasDistinct, type ShapeRule, type Span, type TokenRule } from "./rule.ts";

function isAlphanumeric(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

const backslash = 92;
const percent = 37;

/** A token begins where no letter or digit stands before it, unless that ends an escape such as `\n` or `%3D`. */
function opensAt(text: string, at: number): boolean {
  if (!isAlphanumeric(text.charCodeAt(at - 1))) return true;
  const before = text.charCodeAt(at - 2);
  return before === backslash || before === percent || text.charCodeAt(at - 3) === percent;
}

/** Behind another part of the same word. */
const isInside = (text: string, at: number) =>
  "_-".includes(text.charAt(at - 1) || " ") && isAlphanumeric(text.charCodeAt(at - 2));

/** The whole token or nothing: a rest left behind could match on its own next time. */
const closesAt = (text: string, at: number) => !isAlphanumeric(text.charCodeAt(at));

interface Opening {
  readonly prefix: string;
  readonly rule: TokenRule;
}

/** Prefixes are ASCII, so their first two characters give one of 16,384 numbers; what shares it begins otherwise. */
const pairsCount = 128 * 128;
const pairOf = (first: number, second: number) => ((first << 7) ^ second) & (pairsCount - 1);

/** By the first two characters of their prefixes, the longest prefix first, so that one walk serves every rule. */
function openingsOf(rules: readonly TokenRule[]): Map<number, Opening[]> {
  const all = rules.flatMap((rule) => rule.prefixes.map((prefix) => ({ prefix, rule })));
  return Map.groupBy(
    all.sort((a, b) => b.prefix.length - a.prefix.length),
    ({ prefix }) => pairOf(prefix.charCodeAt(0), prefix.charCodeAt(1)),
  );
}

/** `ghp_xxxxxxxx` and `xoxb-0000-0000-xxxx` are placeholders. */
const bodyDistinctMin = 6;

/** Where the token that opens at `start` ends; `start` if it is none. */
function tokenEnd(text: string, start: number, { prefix, rule }: Opening): number {
  if (!text.startsWith(prefix, start)) return start;
  const bodyStart = start + prefix.length;
  rule.pattern.lastIndex = bodyStart;
  if (!rule.pattern.test(text)) return start;
  const end = rule.pattern.lastIndex;
  return end - bodyStart < rule.bodyLengthMin ? start : end;
}

export function tokenFinder(rules: readonly TokenRule[]): Finder {
  const byPair = openingsOf(rules);
  const openings = Array.from({ length: pairsCount }, (_, pair) => byPair.get(pair));

  function find(text: string): Span[] {
    const spans: Span[] = [];
    let walkedTo = 0;
    for (let at = 0; at < text.length; at++) {
      const candidates = openings[pairOf(text.charCodeAt(at), text.charCodeAt(at + 1))];
      if (!candidates || at < walkedTo || !opensAt(text, at)) continue;
      for (const opening of candidates) {
        // `pk_test_…` is no `test_…`.
        if (opening.prefix.length <= 5 && isInside(text, at)) continue;
        const end = tokenEnd(text, at, opening);
        // Refused or not, a long token is walked once: its inside is not searched again.
        walkedTo = Math.max(walkedTo, end);
        const isToken =
          closesAt(text, end) &&
          hasDistinct(text.slice(at + opening.prefix.length, end), bodyDistinctMin) &&
          opening.rule.accept(text.slice(at, end));
        if (!isToken) continue;
        spans.push({ start: at, end, kind: opening.rule.kind });
        break;
      }
    }
    return spans;
  }

  return { kinds: rules, keywords: [], find };
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
        const rule = rules.find(({ pattern, accept }) => pattern.test(secret) && accept(secret));
        if (rule) spans.push({ start: run.index, end: run.index + secret.length, kind: rule.kind });
      }
      return spans;
    },
  };
}
