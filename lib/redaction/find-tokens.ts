import { wordSearch } from "./keywords.ts";
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
  const openings = rules.flatMap((rule) =>
    rule.prefixes.map((prefix) => ({ prefix, rule, word: prefix.toLowerCase() })),
  );
  // The longest prefix first: only the first token at a position counts.
  const search = wordSearch(openings.sort((a, b) => b.prefix.length - a.prefix.length));

  function find(text: string): Span[] {
    const spans: Span[] = [];
    let walkedTo = 0;
    let current = -1;
    search(text, (opening, at) => {
      if (at !== current && (at < walkedTo || !opensAt(text, at))) return;
      current = at;
      // `pk_test_…` is not a `test_…` token.
      if (spans.at(-1)?.start === at || (opening.prefix.length <= 5 && isInside(text, at))) return;
      const end = tokenEnd(text, at, opening);
      // Reads a long token once, accepted or not: the search continues after it.
      walkedTo = Math.max(walkedTo, end);
      const isToken =
        closesAt(text, end) &&
        hasDistinct(text.slice(at + opening.prefix.length, end), bodyDistinctMin) &&
        opening.rule.accept(text.slice(at, end));
      if (isToken) spans.push({ start: at, end, kind: opening.rule.kind });
    });
    return spans;
  }

  return { kinds: rules, keywords: [], find };
}
