import { required } from "../runtime/required.ts";
import { hasDigit, isPlainCase, isUuid, looksRandom } from "./appearance.ts";
import { isScrambled } from "./features.ts";
import { isPlaceholder } from "./placeholders.ts";
import { hasDistinct, kindNamed, type TokenRule } from "./rule.ts";
import { keyTable, otherTable, tokenTable } from "./vendor-table.ts";

/** An entry of a vendors' table: a kind, the prefixes of its tokens, and their form. */
export interface VendorRow {
  readonly name: string;
  readonly words: readonly string[];
  readonly alphabet: string;
  readonly length: number;
  readonly flags: string;
}

/** `a32~ Acme: acme_live_ acme_test_, Zenith: zen_`: a form, and the kinds with the prefixes of their tokens. */
const linePattern = /^([a-z])(\d+)([=~U]*) (.+)$/;

const rowsOf = (table: string, called = ""): VendorRow[] =>
  table
    .trim()
    .split(/\n| \| /)
    .flatMap((line) => {
      const [, alphabet = "", length = "", flags = "", kinds = ""] = required(
        linePattern.exec(line),
        `form of the vendors in the line "${line}"`,
      );
      return kinds.split(", ").map((kind) => {
        const at = kind.indexOf(": ");
        return {
          name: kind.slice(0, at) + called,
          words: kind.slice(at + 2).split(" "),
          alphabet,
          length: Number(length),
          flags,
        };
      });
    });

export const prefixRows: readonly VendorRow[] = [
  ...rowsOf(keyTable, " key"),
  ...rowsOf(tokenTable, " token"),
  ...rowsOf(otherTable),
];

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

/** `ghp_xxxxxxxx` is a placeholder, `unkey_verification_middleware` a name. */
const isOfForm = (token: string, prefix: string, length: number, flags: string) =>
  hasDistinct(token, 8) &&
  !isPlaceholder(token) &&
  !isPlaceholder(token.slice(prefix.length)) &&
  (flags.includes("=")
    ? token.length === prefix.length + length
    : hasDigit(token.slice(prefix.length)) || !isPlainCase(token.slice(prefix.length))) &&
  (!flags.includes("~") || looksRandom(token) || isScrambled(token.replace(/^.*[^A-Za-z0-9]/, ""))) &&
  (!flags.includes("U") || isUuid(token.slice(-36)));

const ruleOf = ({ name, words, alphabet, length, flags }: VendorRow): TokenRule => ({
  ...kindNamed(name),
  prefixes: words,
  pattern: required(patterns[alphabet], `alphabet of ${name}`),
  bodyLengthMin: length,
  accept: (token) =>
    words.some((prefix) => token.startsWith(prefix) && isOfForm(token, prefix, length, flags)),
});

export const vendorTokens: readonly TokenRule[] = prefixRows.map(ruleOf);
