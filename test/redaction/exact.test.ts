import { describe, expect, it, vi } from "vitest";
import { finders, rules } from "../../lib/redaction/finders.ts";
import { findSearchRanges } from "../../lib/redaction/line-ranges.ts";
import { redact } from "../../lib/redaction/redact.ts";
import { bridges, nameEnds } from "./exact/assignments.ts";
import { highEntropy } from "./exact/high-entropy.ts";
import { names } from "./exact/names.ts";
import { privateKeys } from "./exact/private-keys.ts";
import { cloud, headers, statements, urls } from "./exact/rules.ts";
import { contexts, tokens } from "./exact/tokens.ts";
import { values } from "./exact/values.ts";
import { vendorKeys } from "./exact/vendors.ts";
import { exactSample } from "./samples/template.ts";

/** Without the last search, which needs no name right before the value: see mentions.test.ts. */
vi.mock("../../lib/redaction/mentions.ts", () => ({
  mentions: { kinds: [], keywords: [], find: () => [] },
}));

const subjects = {
  "private keys": privateKeys,
  tokens,
  contexts,
  names,
  "the ends of names": nameEnds,
  "the text between a name and its value": bridges,
  values,
  "random texts": highEntropy,
  "credentials of clouds and services": cloud,
  "credentials in headers": headers,
  "credentials in URLs": urls,
  passwords: statements,
  "vendors' keys": vendorKeys,
};

/** Where each rule begins and where it ends: texts with the credentials marked in them, and texts that come close. */
describe.each(Object.entries(subjects))("%s", (_, guarantees) => {
  it.each(Object.entries(guarantees))("%s", (_guarantee, written) => {
    for (const each of written) {
      const { text, kinds, expected } = exactSample(each);
      const answer = redact(text);
      expect(answer.text, each).toBe(expected);
      expect(new Set(answer.kinds), each).toEqual(new Set(kinds));
    }
  });
});

describe("a rule", () => {
  it("a rule of tokens has prefixes of two characters or more, because the search uses the first two", () => {
    const prefixes = rules.flatMap((rule) => ("prefixes" in rule ? rule.prefixes : []));
    expect(prefixes.filter((prefix) => prefix.length < 2)).toEqual([]);
  });

  it("a rule of contexts has keywords in lower case, except for four rules without keywords", () => {
    const contextRules = rules.filter((rule) => "keywords" in rule);
    // These begin with a sign that is cheap to find and too common for a keyword.
    expect(contextRules.filter(({ keywords }) => keywords.length === 0).map(({ kind }) => kind)).toEqual([
      "discord_token",
      "mailgun_key",
      "licence_key",
      "url_token",
    ]);
    const all = contextRules.flatMap(({ keywords }) => keywords);
    expect(all.filter((keyword) => keyword === "" || keyword !== keyword.toLowerCase())).toEqual([]);
  });

  it("a finder with keywords searches the line of each of its keywords", () => {
    const searchRanges = findSearchRanges(finders);
    const keywords = finders.flatMap((finder) => finder.keywords.map((keyword) => ({ finder, keyword })));
    const unheard = keywords.filter(
      ({ finder, keyword }) =>
        searchRanges(`a ${keyword} b`).searches.find((each) => each.finder === finder)?.ranges.length !== 1,
    );
    expect(unheard.map(({ keyword }) => keyword)).toEqual([]);
  });

  it("a rule of contexts rejects an empty secret, whatever text is around it", () => {
    const contextRules = rules.filter((rule) => "keywords" in rule);
    const text = contextRules.flatMap(({ keywords }) => keywords).join(" ");
    const found = { text, start: 0, end: 0, context: text };
    const accepting = contextRules.filter(({ value, accept }) => value && accept("", found));
    expect(accepting.map(({ kind }) => kind)).toEqual([]);
  });
});
