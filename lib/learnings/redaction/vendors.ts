import { hasDigit, isUuid, looksRandom } from "./appearance.ts";
import { isPlaceholder } from "./placeholders.ts";
import { type Finder, hasDistinct, kindNamed, type Span, type TokenRule } from "./rule.ts";
import { namedTable, prefixTable } from "./vendor-table.ts";

/** A row of the vendors' table: a kind, what stands before its tokens, and their form. */
export interface VendorRow {
  readonly name: string;
  readonly words: readonly string[];
  readonly alphabet: string;
  readonly length: number;
  readonly isExact: boolean;
  readonly flags: string;
}

/** None can fail after its first character, so none can backtrack. */
const patterns: Record<string, RegExp> = {
  h: /[0-9a-fA-F]+/y,
  u: /[A-Z0-9]+/y,
  a: /[A-Za-z0-9]+/y,
  s: /\w+/y,
  w: /[\w-]+/y,
  b: /[\w+/=%-]+/y,
  d: /[\w=-]+(?:\.[\w=-]+)*/y,
};

function rowsOf(table: string): VendorRow[] {
  return table
    .trim()
    .split("\n")
    .map((line) => {
      const [name = "", fields = ""] = line.split(/: (?=\S+ )/);
      const words = fields.split(" ");
      const [, alphabet = "w", length = "0", flags = ""] =
        /^([a-z])(\d+)(\D*)$/.exec(words.pop() ?? "") ?? [];
      return { name, words, alphabet, length: Number(length), isExact: flags.includes("="), flags };
    });
}

export const prefixRows: readonly VendorRow[] = rowsOf(prefixTable);
export const namedRows: readonly VendorRow[] = rowsOf(namedTable);

/** `ghp_xxxxxxxx` and `AKIAXXXXXXXXXXXXXXXX` are placeholders. */
const isVaried = (token: string) => hasDistinct(token, 8) && !isPlaceholder(token);

const ruleOf = ({ name, words, alphabet, length, isExact, flags }: VendorRow): TokenRule => ({
  ...kindNamed(name),
  prefixes: words,
  pattern: patterns[alphabet] ?? /\w+/y,
  bodyLengthMin: length,
  accept: (token) =>
    isVaried(token) &&
    (!isExact || words.some((word) => token.startsWith(word) && token.length === word.length + length)) &&
    (!flags.includes("#") || hasDigit(token)) &&
    (!flags.includes("~") || looksRandom(token)) &&
    (!flags.includes("U") || isUuid(token.slice(-36))),
});

export const vendorTokens: readonly TokenRule[] = prefixRows.map(ruleOf);

const wordRows = new Map<string, VendorRow[]>();
for (const row of namedRows)
  for (const word of row.words) wordRows.set(word, [...(wordRows.get(word) ?? []), row]);
const vendorWord = new RegExp([...wordRows.keys()].sort((a, b) => b.length - a.length).join("|"), "gi");
const credentialWord = /key|token|secret|passw|auth|credential|login|api/i;
const runPattern = /[\w+/=-]{16,100}/g;
/** How far behind the vendor's name its token may stand, on the same line. */
const reach = 100;

const alphabets: Record<string, RegExp> = {
  h: /^[0-9a-fA-F]+$/,
  u: /^[A-Z0-9-]+$/,
  a: /^[A-Za-z0-9]+$/,
  s: /^\w+$/,
  w: /^[\w-]+$/,
  b: /^[\w+/=-]+$/,
};

function findNamed(text: string): Span[] {
  const spans: Span[] = [];
  let from = 0;
  vendorWord.lastIndex = 0;
  for (let hit = vendorWord.exec(text); hit; hit = vendorWord.exec(text)) {
    if (hit.index < from) continue;
    const end = text.indexOf("\n", hit.index);
    const line = text.slice(hit.index, Math.min(end === -1 ? text.length : end, hit.index + reach));
    if (/search|publi|site|anon|client.?id/i.test(line)) continue;
    const rows = wordRows.get(hit[0].toLowerCase()) ?? [];
    for (const run of line.matchAll(runPattern)) {
      const row = rows.find(
        ({ alphabet, length }) => run[0].length === length && alphabets[alphabet]?.test(run[0]),
      );
      if (!row || !hasDigit(run[0]) || !isVaried(run[0])) continue;
      if (!credentialWord.test(line.slice(0, run.index)) || /id["'\s:=]*$/i.test(line.slice(0, run.index)))
        continue;
      const start = hit.index + run.index;
      from = start + run[0].length;
      spans.push({ start, end: from, kind: kindNamed(row.name).kind });
      break;
    }
  }
  return spans;
}

export const namedVendors: Finder = {
  kinds: namedRows.map(({ name }) => kindNamed(name)),
  keywords: [...wordRows.keys()],
  find: findNamed,
};
