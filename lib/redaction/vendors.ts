import { required } from "../runtime/required.ts";
import { hasDigit, isUuid, looksRandom } from "./appearance.ts";
import { isScrambled, isTokenLike } from "./assignment-values.ts";
import { isPlaceholder } from "./placeholders.ts";
import { type Finder, hasDistinct, kindNamed, type Span, type TokenRule } from "./rule.ts";
import { prefixRows, type VendorRow, vendorWords } from "./vendor-rows.ts";

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

const words = [...vendorWords];
const vendorWord = new RegExp(words.sort((a, b) => b.length - a.length).join("|"), "gi");
const credentialWord =
  /key|token|secret|passw|auth|credential|certificate|login|licen|api(?![/.])|schlüssel|clé|clave|chave|chiave|klucz|ключ|密钥|キー/i;
/** "the key of …": the vendor's name may come after the word for a credential. */
const saidBefore = new RegExp(`(?:${credentialWord.source})[^\\n.;:]{0,24}$`, "i");
/** Verbs that sentences use for credentials and for little else. */
const spokenOf = /\b(?:rotat|revok|leak|expos)/i;
/** Labels of values that look like a key but are ids, hashes, builds or users. */
const otherLabel =
  /(?:id|hash|(?<![A-Za-z])(?:sha\d*|md5|digest|commit|release|build|trace|event|message|job|run|workflow|issue|app|orgs?|projects?|users?|accounts?|teams?|in|at))["'\s:=/]*$/i;
/** Minimum length of a key without a known form: a shorter run may be a word. */
const formlessMin = 20;
const isFormlessKey = (run: string, next: string) =>
  run.length >= formlessMin && /^[\w-]+={0,2}$/.test(run) && !/[\w+/=.-]/.test(next) && isTokenLike(run);
const runPattern = /[\w+/=-]{16,100}/g;
/** Maximum distance in which a token may follow the vendor's name, on the same line. */
const reach = 160;

function nextRunFrom(text: string, at: number): number {
  runPattern.lastIndex = at;
  const next = runPattern.exec(text)?.index ?? Number.POSITIVE_INFINITY;
  // `matchAll` also starts at `lastIndex`.
  runPattern.lastIndex = 0;
  return next;
}

const formless = kindNamed("API key");

const isSaid = (text: string, at: number, before: string, line: string) =>
  credentialWord.test(before) || spokenOf.test(line) || saidBefore.test(text.slice(Math.max(0, at - 40), at));

function findNamed(text: string): Span[] {
  const spans: Span[] = [];
  let from = 0;
  let nextRun = -1;
  vendorWord.lastIndex = 0;
  for (let hit = vendorWord.exec(text); hit; hit = vendorWord.exec(text)) {
    if (hit.index < from) continue;
    // Most names have no possible key within reach after them.
    if (nextRun < hit.index) nextRun = nextRunFrom(text, hit.index);
    if (nextRun > hit.index + reach) continue;
    const end = text.indexOf("\n", hit.index);
    const line = text.slice(hit.index, Math.min(end === -1 ? text.length : end, hit.index + reach));
    if (/search.?(?:only|key|api)|publi|\bsite.?key|anon|client.?id/i.test(line)) continue;
    for (const run of line.matchAll(runPattern)) {
      const start = hit.index + run.index;
      const runEnd = start + run[0].length;
      if (!isFormlessKey(run[0], text.charAt(runEnd)) || !hasDigit(run[0]) || !isVaried(run[0])) continue;
      const before = line.slice(0, run.index);
      if (otherLabel.test(before) || !isSaid(text, hit.index, before, line)) continue;
      from = runEnd;
      spans.push({ start, end: from, kind: formless.kind });
      break;
    }
  }
  return spans;
}

export const namedVendors: Finder = {
  kinds: [formless],
  keywords: words,
  find: findNamed,
};
