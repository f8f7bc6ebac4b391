import { required } from "../runtime/required.ts";
import { type Finder, hasDistinct, type Span, type TokenRule } from "./rule.ts";

function isAlphanumeric(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

const backslash = 92;
const percent = 37;

/** A token has no letter or digit before it, except at the end of an escape such as `\n` or `%3D`. */
function opensAt(text: string, at: number): boolean {
  if (!isAlphanumeric(text.charCodeAt(at - 1))) return true;
  const before = text.charCodeAt(at - 2);
  return before === backslash || before === percent || text.charCodeAt(at - 3) === percent;
}

/** Whether another part of the same word comes directly before `at`. */
const isInside = (text: string, at: number) =>
  "_-".includes(text.charAt(at - 1) || " ") && isAlphanumeric(text.charCodeAt(at - 2));

/** The search takes the whole token or nothing: a remaining part could match on its own next time. */
const closesAt = (text: string, at: number) => !isAlphanumeric(text.charCodeAt(at));

interface Opening {
  readonly prefix: string;
  readonly rule: TokenRule;
}

/**
 * Prefixes are ASCII, so their first two characters give one of 16,384 numbers. Other characters can give the
 * same number; the comparison with the whole prefix rejects them.
 */
const pairsCount = 128 * 128;
const pairOf = (first: number, second: number) => ((first << 7) ^ second) & (pairsCount - 1);

/** Groups the prefixes by their first two characters, longest first: one pass then serves every rule. */
function openingsOf(rules: readonly TokenRule[]): Map<number, Opening[]> {
  const all = rules.flatMap((rule) => rule.prefixes.map((prefix) => ({ prefix, rule })));
  return Map.groupBy(
    all.sort((a, b) => b.prefix.length - a.prefix.length),
    ({ prefix }) => pairOf(prefix.charCodeAt(0), prefix.charCodeAt(1)),
  );
}

/**
 * A bit mask of the third characters of all prefixes with the same pair. The low five bits of a character
 * select its bit. A prefix of two characters sets all bits.
 */
const bitOf = (third: number) => 1 << (third & 31);
const thirdsOf = (openings: readonly Opening[]) =>
  openings.reduce((bits, { prefix }) => bits | (prefix.length > 2 ? bitOf(prefix.charCodeAt(2)) : -1), 0);

/** Fewer different characters mean a placeholder: `ghp_xxxxxxxx`, `xoxb-0000-0000-xxxx`. */
const bodyDistinctMin = 6;

/** Returns the end of the token that begins at `start`, or `start` if there is no token. */
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
  const thirds = new Int32Array(pairsCount);
  for (const [pair, openings] of byPair) thirds[pair] = thirdsOf(openings);

  function find(text: string): Span[] {
    const spans: Span[] = [];
    let walkedTo = 0;
    let first = text.charCodeAt(0);
    let second = text.charCodeAt(1);
    for (let at = 0; at < text.length; at++) {
      const third = text.charCodeAt(at + 2);
      const pair = pairOf(first, second);
      first = second;
      second = third;
      if (((thirds[pair] ?? 0) & bitOf(third)) === 0 || at < walkedTo || !opensAt(text, at)) continue;
      for (const opening of required(byPair.get(pair), "prefixes of a pair")) {
        // `pk_test_…` is not a `test_…` token.
        if (opening.prefix.length <= 5 && isInside(text, at)) continue;
        const end = tokenEnd(text, at, opening);
        // Reads a long token once, accepted or not: the search continues after it.
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
