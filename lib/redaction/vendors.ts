import { required } from "../runtime/required.ts";
import { hasDigit, isUuid, looksRandom } from "./appearance.ts";
import { isScrambled } from "./features.ts";
import { isPlaceholder } from "./placeholders.ts";
import { hasDistinct, kindNamed, type TokenRule } from "./rule.ts";
import { keyTable, otherTable, tokenTable } from "./vendor-table.ts";

/** A row of a vendors' table: a kind, the prefixes or vendor names before its tokens, and their form. */
export interface VendorRow {
  readonly name: string;
  readonly words: readonly string[];
  readonly alphabet: string;
  readonly length: number;
  readonly isExact: boolean;
  readonly flags: string;
}

/** `Acme: acme_live_ acme_test_ a32#`: the kind, the words before its tokens, and their form. */
const rowPattern = /^(.+?): (.* )?([a-z])(\d+)(\D*)$/;

function rowsOf(table: string, called = ""): VendorRow[] {
  return table
    .trim()
    .split("\n")
    .map((line) => {
      const row = required(rowPattern.exec(line), `form of the vendor in the row "${line}"`);
      const [, name = "", listed, alphabet = "", length = "", flags = ""] = row;
      const [vendor = ""] = name.toLowerCase().split(" ");
      return {
        name: name + called,
        words: listed ? listed.trim().split(" ") : [vendor],
        alphabet,
        length: Number(length),
        isExact: flags.includes("="),
        flags,
      };
    });
}

export const prefixRows: readonly VendorRow[] = [...rowsOf(keyTable, " key"), ...rowsOf(tokenTable, " token"), ...rowsOf(otherTable)];

/** Patterns by alphabet. None can fail after its first character, so none can backtrack. */
const patterns: Record<string, RegExp> = {
  h: /[0-9a-fA-F]+/y,
  u: /[A-Z0-9]+/y,
  a: /[A-Za-z0-9]+/y,
  s: /\w+/y,
  w: /[\w-]+/y,
  b: /[\w+/=%-]+/y,
  d: /[\w=-]+(?:\.[\w=-]+)*/y,
};

/** `ghp_xxxxxxxx` and `AKIAXXXXXXXXXXXXXXXX` are placeholders. */
const isVaried = (token: string) => hasDistinct(token, 8) && !isPlaceholder(token);

const ruleOf = ({ name, words, alphabet, length, isExact, flags }: VendorRow): TokenRule => ({
  ...kindNamed(name),
  prefixes: words,
  pattern: required(patterns[alphabet], `alphabet of ${name}`),
  bodyLengthMin: length,
  accept: (token) =>
    isVaried(token) &&
    (!isExact || words.some((word) => token.startsWith(word) && token.length === word.length + length)) &&
    (!flags.includes("#") || hasDigit(token)) &&
    (!flags.includes("~") || looksRandom(token) || isScrambled(token.replace(/^.*[^A-Za-z0-9]/, ""))) &&
    (!flags.includes("U") || isUuid(token.slice(-36))),
});

export const vendorTokens: readonly TokenRule[] = prefixRows.map(ruleOf);
