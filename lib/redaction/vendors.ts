import { required } from "../runtime/required.ts";
import { hasDigit, isUuid, looksRandom } from "./appearance.ts";
import { isScrambled } from "./features.ts";
import { isPlaceholder } from "./placeholders.ts";
import { hasDistinct, kindNamed, type TokenRule } from "./rule.ts";
import { prefixRows, type VendorRow } from "./vendor-rows.ts";

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
