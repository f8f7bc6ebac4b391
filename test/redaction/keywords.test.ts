import { describe, expect, it } from "vitest";
import { finders } from "../../lib/redaction/finders.ts";
import { findSearchRanges } from "../../lib/redaction/line-ranges.ts";
import { redact } from "../../lib/redaction/redact.ts";
import type { ContextRule } from "../../lib/redaction/rule.ts";
import fc from "../support/property.ts";

const isContextRule = (kind: object): kind is ContextRule => "keywords" in kind && "accept" in kind;
const contextFinders = finders.flatMap((finder) => {
  const [rule] = finder.kinds;
  return rule && isContextRule(rule) && rule.keywords.length > 0 ? [{ finder, rule }] : [];
});

/** Returns where the group that opens at `at` ends. */
function groupEnd(source: string, at: number): number {
  let depth = 0;
  let isInClass = false;
  for (let index = at; index < source.length; index++) {
    const character = source.charAt(index);
    if (character === "\\") index++;
    else if (isInClass) isInClass = character !== "]";
    else if (character === "[") isInClass = true;
    else if (character === "(") depth++;
    else if (character === ")" && --depth === 0) return index + 1;
  }
  throw new Error(`The group at ${at} of /${source}/ has no end.`);
}

/** Returns the pattern in the syntax that the generator knows: what may not follow is left out, what must follow is written. */
function generable({ source }: RegExp): RegExp {
  let rest = source;
  for (let at = rest.search(/\(\?<?!/); at !== -1; at = rest.search(/\(\?<?!/))
    rest = rest.slice(0, at) + rest.slice(groupEnd(rest, at));
  return new RegExp(`^(?:${rest.replaceAll(/\(\?<?=/g, "(?:").replaceAll("\\b", "")})$`);
}

const samplesMax = 1_000;
/** Texts that the pattern of a rule describes: each alternative comes often. */
function textsOf({ pattern, behind, upTo = "" }: ContextRule): string[] {
  const matched = fc.stringMatching(generable(pattern));
  const texts = behind
    ? fc.tuple(fc.stringMatching(generable(behind)), matched).map((parts) => parts.join(" "))
    : matched;
  return fc.sample(texts, { numRuns: samplesMax, seed: 1 }).map((text) => `${text}${upTo}x`);
}

const placesIn = findSearchRanges(finders);
const named = ({ rule }: (typeof contextFinders)[number]) =>
  `${rule.kind} ${rule.pattern.source.slice(0, 60)}`;

describe("the keywords of a rule", () => {
  const ownWords = contextFinders.filter(({ rule }) => !rule.isNear);
  it.each(ownWords.map((each) => [named(each), each] as const))(
    "every text that the pattern describes has a keyword near all of it: %s",
    (_, { finder, rule }) => {
      const unheard = textsOf(rule).filter((text) => {
        const range = placesIn(text).searches.find((each) => each.finder === finder)?.ranges[0];
        return range?.start !== 0 || range.end !== text.length;
      });
      expect(unheard.slice(0, 3)).toEqual([]);
    },
  );

  it("a rule whose pattern has no keyword rejects every text that has none near it", () => {
    const isSilent = (rule: ContextRule, text: string) =>
      !rule.keywords.some((keyword) => text.toLowerCase().includes(keyword));
    for (const { rule } of contextFinders.filter(({ rule }) => rule.isNear)) {
      const silent = textsOf(rule).filter((text) => isSilent(rule, text));
      const accepted = silent.filter((text) =>
        rule.accept(text, { text, start: 0, end: text.length, context: rule.value ? text : "" }),
      );
      expect(accepted, rule.kind).toEqual([]);
    }
  });

  it("a word of the pattern is enough, whatever else is on the line", () => {
    const codes = "35064534, 76429564";
    for (const [text, secret] of [
      [`Emergency codes: ${codes}`, codes],
      [`One-time codes: ${codes}`, codes],
      [`Codes de secours : ${codes}`, codes],
      [`Códigos de respaldo: ${codes}`, codes],
      ["rabbitmqctl authenticate_user anna Bluebird77", "Bluebird77"],
      ["sudo dscl . -passwd /Users/anna Bluebird77", "Bluebird77"],
    ] as const)
      expect(redact(text).text, text).not.toContain(secret);
  });
});
