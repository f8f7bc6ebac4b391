import { hasNoSpaces, looksVeryRandom } from "./appearance.ts";
import { type Claim, claimOf, isConstant, kindOf, likely, sure } from "./assignment-names.ts";
import { isCredential } from "./evidence.ts";
import { isKeyId, isWordPair } from "./features.ts";
import { nearIn } from "./next-in.ts";
import { isPlaced } from "./places.ts";
import { type Finder, kindNamed, type NameHit, type Span } from "./rule.ts";
import { sentencesIn, verbsBeforeName } from "./sentences.ts";
import type { Name, Separator } from "./separators.ts";
import { isEnvironment, isLineStart, isTextName, separatorsAt } from "./separators.ts";
import { bareValue, type Value, valueAt } from "./values.ts";
import { pattern } from "./words.ts";

/**
 * Finds `password=…`, `api_key: …`, `"clientSecret": "…"`, "the token is …", in the many ways people write them.
 * Three steps: a name that claims a credential, a separator or a sentence from the name to a value, and a value that
 * looks like a credential.
 */
const nameRestPattern = /[\w\u00c0-\u0fff-]*(?:\.[\w-]+)*/y;

/** A longer text is not a name. */
const nameLengthMax = 80;
/** A refused value may contain other names, unless it is longer than this. */
const refusedLengthMax = 160;

const linkedLengthMax = 256;
/** The whole content of an element. */
const elementContent = /[^<>\n]{1,512}(?=\s{0,20}<[/!])/y;

function valueFor(name: Name, separator: Separator, at: number, isEnv: boolean): Value | undefined {
  if (separator.link === "element" && !name.text.startsWith("<!", at)) {
    elementContent.lastIndex = at;
    const content = elementContent.exec(name.text)?.[0].trimEnd();
    if (content && !/^["']/.test(content))
      return { ...bareValue(content, at), isQuoted: /\s/.test(content), isClosed: true };
  }
  if (separator.link === undefined) return valueAt(name.text, at, isEnv && isLineStart(name));
  const bar = separator.link === "cell" ? name.text.slice(at, at + linkedLengthMax).indexOf("|") : 0;
  return valueAt(name.text, at, false, bar > 0 ? bar : linkedLengthMax);
}

interface SearchResult {
  readonly spans: readonly Span[];
  /** Where the search continues: inside a refused value, unless that value is too long. */
  readonly resume: number;
}

const found = ({ start, end }: Value, claim: Claim): SearchResult => ({
  spans: [{ start, end, kind: kindOf(claim) }],
  resume: end,
});

/** "md5 of the dump with the master key: …", "leaked in …": a digest or a commit, not the key. */
const digestWord = pattern(
  "i",
  String.raw`\b(?:(?:(?:md5(?:sum)?|etag|checksum|digest|reverts?|submodule|git show|hash(?:es)? of)\b`,
  String.raw`|sha-?\d{1,3}\()[^\n]{0,90}|(?:commit|(?:fixed`,
  String.raw`|introduced|added|merged|landed|leaked) (?:by|in|with))\b[^\n]{0,16})$`,
);
export const isDigest = (text: string, { start, end }: Pick<Span, "start" | "end">) =>
  /^(?:[0-9a-f]{8}){2,8}$/.test(text.slice(start, end)) &&
  digestWord.test(text.slice(Math.max(0, start - 120), start));

const isPassword = ({ kind }: Claim) => kind === "password" || kind === "passphrase";

function findAfterSeparator(name: Name, claim: Claim): SearchResult | undefined {
  const { text, end } = name;
  const separators = separatorsAt(text, end);
  if (separators.length === 0) return undefined;
  const isEnv = isEnvironment(name);
  for (const separator of separators) {
    const { link, pattern, serves, isBlock = false } = separator;
    if (serves && !serves(name)) continue;
    pattern.lastIndex = end;
    if (!pattern.test(text)) continue;
    const value = valueFor(name, separator, pattern.lastIndex, isEnv && link === undefined);
    if (!value || (isKeyId(value.text) && /sign|gpg|pgp|keys$/i.test(name.name))) continue;
    const named = {
      claim,
      link,
      isConstant: isConstant(name.name),
      isEnvironment: isEnv,
      isText: () => isEnv || link === "line" || isBlock || isTextName(name, value.end),
    };
    const isChosen = isPassword(claim) || (claim.kind === "secret" && isWordPair(value.text));
    const isOne = (isChosen && isPlaced(name, value, link)) || isCredential(value, named);
    if (isOne) return found(value, claim);
    if (link !== undefined) continue;
    return {
      spans: [],
      resume: value.isQuoted ? end : value.text.length <= refusedLengthMax ? value.start : value.end,
    };
  }
  return undefined;
}

const isNameCharacter = (character: string) => /[\w.\u00c0-\u0fff-]/.test(character);

/** Returns where the word that ends at `end` begins; `end` + 1, after the space, if there is no word. */
function wordStart(text: string, end: number, from: number): number {
  let start = end;
  while (start > from && isNameCharacter(text.charAt(start - 1))) start--;
  return start < end ? start : end + 1;
}

/** `--set-secrets=NAME=secret:version` gives the place of a secret, not its value. */
const isSecretRef = (before: string) =>
  before.includes("-secrets") && /(?:set|update|remove)-secrets[= ]["']?[^\s"']*$/.test(before);
const verbObject =
  /^ (?:(?:it|an?|the|this|that|them|in|along|through|any|your|custom) |`[^`\n]{1,60}` (?:to|in|as|for|when|if)\b)/;
/** Part of an ARN (`…:secret:…`), the user of a URL, a reference to a secret, a field, random, or too long. */
const isNoName = ({ text, name, start, end }: Name) =>
  name.length > nameLengthMax ||
  (name.length >= 24 && looksVeryRandom(name)) ||
  // "you can pass a comparator to …": a verb.
  (/^pass$/i.test(name) && verbObject.test(text.slice(end, end + 70))) ||
  (text.startsWith("=", end) && isSecretRef(text.slice(Math.max(0, start - 80), start))) ||
  (text.charAt(end) === ":" && /[\w*]:$/.test(text.slice(Math.max(0, start - 2), start))) ||
  // `auth.verifyToken 640 ms`: a function.
  (text.charAt(end) === " " &&
    /(?:^|\.)(?:verify|validate|check|parse|decode|revoke|refresh)[A-Z]\w*$/.test(name)) ||
  // `lpass show --password "Shared-Infra/NAS"`: the name of an entry in a store.
  /\b(?:lpass|gopass|bws?|op) (?:\w+ )?(?:show|get|read)\b/.test(
    text.slice(Math.max(0, start - 40), end + 5),
  ) ||
  (text.startsWith("://", start - 3) && text.charAt(end) === ":");

/** `/run/pw`, `.htpasswd`, `$PW`: a file or a variable, with no password behind it. In `user/password …` one is. */
const isNoNoun = ({ text, name, start }: Name) =>
  name.startsWith(".") ||
  ("/${".includes(text.charAt(start - 1) || " ") &&
    /(?:^|\s)(?!\S*(?:user|login|name|mail|id)\/$)[~.\w-]*(?:\/[\w.-]+)*\/$|\$\{?$/.test(
      text.slice(Math.max(0, start - 80), start),
    ));

function nameAt(text: string, { at, length }: NameHit, from: number): Name {
  let start = at;
  while (start > from && start > at - nameLengthMax && isNameCharacter(text.charAt(start - 1))) start--;
  const hitEnd = at + length;
  nameRestPattern.lastIndex = hitEnd;
  const isLatin = !hasNoSpaces(text.charCodeAt(at));
  let end = isLatin && nameRestPattern.test(text) ? nameRestPattern.lastIndex : hitEnd;
  if (text.charAt(end) === "(") end -= /\.equals\w{0,12}$/.exec(text.slice(start, end))?.[0].length ?? 0;
  // "secret id: …", "Secret Access Key: …", "pass phrase: …" are one name.
  if (/secret$/i.test(text.slice(start, end)))
    end += /^ (?:id|(?:access )?key)\b/i.exec(text.slice(end, end + 12))?.[0].length ?? 0;
  else if (/^pass$/i.test(text.slice(start, end)) && / phrase/iy.test(text.slice(end, end + 7))) end += 7;
  // In a sentence the word before "key" says what the key is for: "api key: …", "cache key: …".
  if (
    end - start <= 9 &&
    text.charAt(start - 1) === " " &&
    /^(?:(?:key|token)s?|community)$/i.test(text.slice(start, end))
  ) {
    const owner = wordStart(text, start - 1, from);
    // "… as token": "as" is not part of the name, and the value is before it.
    if (!verbsBeforeName.has(text.slice(owner, start - 1))) start = owner;
  }
  return { text, name: text.slice(start, end), start, end };
}

/** A key near the name of a Wi-Fi network is the password of that network. */
const networkWord = /ssid|wi-?fi|wlan|\bwpa|wireless|\bpsk/gi;
const foreignKey = /(?:schlüssel|schluessel|cl[eé]f?|llave|chave|chiave|klucz|sleutel|ключ)$/i;
/** A key near a cipher is a secret, even if it looks like a hash. */
const cipherWord = pattern(
  "gi",
  String.raw`cipher|crypt|\baes\b|hmac|jwt|getBytes|fernet|\biv\b|\bnonce\b|fromhex|hex2bin|unhexlify`,
  String.raw`|['"]hex['"]|\b(?:sign|verify)\(key`,
);
/** A name may begin with the name before it: "bearer token", "session key". */
const ownerReach = 20;

export const assignments: Finder = {
  kinds: ["Password", "Secret", "Token", "API key", "PIN"].map(kindNamed),
  keywords: [],
  find(text, names) {
    const spans: Span[] = [];
    const claims = new Map<string, Claim | null>();
    const inSentence = sentencesIn(text);
    const isNearNetwork = nearIn(text, networkWord);
    const isNearCipher = nearIn(text, cipherWord);
    let from = 0;
    for (const hit of names) {
      if (hit.at < from) continue;
      const lastEnd = spans.at(-1)?.end ?? 0;
      const name = nameAt(text, hit, Math.min(from, Math.max(lastEnd, hit.at - ownerReach)));
      let outcome: SearchResult | undefined;
      if (!isNoName(name)) {
        let claim = claims.get(name.name);
        if (claim === undefined) {
          claim = claimOf(name.name) ?? null;
          claims.set(name.name, claim);
        }
        if (claim?.kind === "api_key" && foreignKey.test(name.name) && isNearNetwork(name.start))
          claim = sure("password");
        if (claim?.kind === "key" && /key$/i.test(name.name)) {
          if (isNearNetwork(name.start)) claim = sure("password");
          else if (isNearCipher(name.start)) claim = likely;
        }
        if (claim) outcome = findAfterSeparator(name, claim);
        // `ACME_INGESTION_KEY` in a sentence is always an API key of Acme.
        if (claim?.kind === "key" && claim.certainty === "likely" && /^[A-Z]+_[A-Z_]+$/.test(name.name))
          claim = sure("api_key");
        if (
          claim &&
          claim.kind !== "pin" &&
          (claim.kind !== "key" || claim.certainty === "likely") &&
          !outcome?.spans.length &&
          !isNoNoun(name)
        ) {
          const value = inSentence(name, claim);
          if (value) outcome = found(value, claim);
        }
      }
      spans.push(...(outcome?.spans ?? []).filter((span) => !isDigest(text, span)));
      from = Math.max(outcome?.resume ?? name.end, hit.at + 1);
    }
    return spans;
  },
};
