import { hasBothCases, hasDigit, hasLetter, isPlainCase } from "./appearance.ts";
import type { Claim } from "./assignment-names.ts";
import { isCredential } from "./evidence.ts";
import * as features from "./features.ts";
import { memoize } from "./memoize.ts";
import { nextIn } from "./next-in.ts";
import { hasSentenceWord, isNamingWord, isWordPassphrase } from "./passphrases.ts";
import { isPlaceholder, isStandIn } from "./placeholders.ts";
import type { Accept } from "./rule.ts";
import type { Name } from "./separators.ts";
import { type Value, valueAt } from "./values.ts";

/** The value that a sentence gives a name: "the password for staging is …", "der Token lautet …", "密码是…". */

const setOf = (spaced: string) => new Set(spaced.split(" "));

const verbs = setOf(
  "is was are be been s it's now equals contains contient contiene enthält reads becomes stays remains ist war lautet lauten heißt est sera était es era será é foi fica è sarà jest brzmi to это был является равен будет auf à a na на zu in as au al em para por en com er är on olyan je este jetzt nun maintenant ahora agora ora adesso teraz теперь bisher derzeit aktuell momentan vorher previously formerly temporarily simply just actually actuellement actualmente atualmente attualmente obecnie сейчас still toujours encore ancora ainda todavía currently always vaut vale gleich sei sería seria będzie wynosi равна - → -> => = :",
);
/** After one of these words the sentence describes the credential and does not give its value. */
const aboutWords = setOf(
  "hash hashes hashed digest checksum fingerprint sha sha1 sha256 sha512 md5 commit id ids uuid guid version url uri path file filename length size bucket count limit type format algorithm kid arn issue ticket pr pull release build revision trace request correlation expires expired ttl see docs rotated rotation policy manager page field column header named called accessor -accessor -username --username -user --user -u -name --name",
);
const prepositions = setOf("in of from on with by for to");
/** "password string …", "secret hex …": these words still belong to the name. */
const carriers = setOf("string value hex base64 text phrase literal here below code");
const sureVerbs = setOf("is was are were");
const wordsMax = 14;
const wordLengthMax = 128;
const valueLengthMax = 512;
const wordReadMax = 200;
const listedLengthMax = 24;

/** Values with digits that are not credentials: `v2.4.1-rc1`, `ISO27001`, `user42`, `2024-01-01`. */
export const isOrdinary: Accept = memoize(
  (value) =>
    /^[A-Za-z]{1,10}-?\d{1,5}$/.test(value) ||
    /^v?\d[\d.,:/-]*[a-z]{0,6}\d*$|^\d{4}-\d\d-\d\dT/i.test(value) ||
    /PBKDF|[Ss][Hh][Aa]-?\d|HMAC|[Hh]mac|AES|aes-?\d|RSA|OAuth|oauth|Argon|argon|crypt|[Bb]ase64|UTF|utf-?\d|ISO[- ]?\d|RFC|TLS|HTTP|http|JWT|X509|FIDO|WebAuthn/.test(
      value,
    ) ||
    value.includes("://"),
);

/** For a value after a preposition or after no verb: the value alone must look like a credential. */
const isLikely = (value: string) =>
  features.isStrong(value) ||
  (value.length >= 8 &&
    hasDigit(value) &&
    hasBothCases(value) &&
    hasLetter(value) &&
    /^[\w!@#$%^&*+=?~.-]+$/.test(value) &&
    !/^[A-Z]?[a-z]+\d+$/.test(value) &&
    !isPlainCase(value.replace(/\d/g, "")));

/** `user=anna`, `?token=…`, `--flag`, a path: such text has its own name or meaning. */
const isOwnAssignment = (value: string) =>
  features.isField(value) ||
  /^[?&#-]?(?:[a-z_.[\]-]{2,}|[A-Z_]{2,})=|^(?:[a-z_.-]+|[A-Z_]+):|^--|^[./+&=?;,|]|:\/\/|\/.*\.[a-z]{1,5}(?::\d+)?$/.test(
    value,
  );

/** `1Password`, `Base64-encoded`, `PasswordPolicyV2`: names that occur in sentences about credentials. */
const isNamed = /^1Password|^[Bb]ase(?:32|64)|[a-z]V\d{1,2}$/;

/** A word of a sentence behind the name of a credential. */
export interface Spoken {
  readonly value: Value;
  readonly claim: Claim;
  /** A person may have chosen the value. */
  readonly isChoice: boolean;
  /** A verb, a colon or an arrow leads to the value. */
  readonly isAfterSaying: boolean;
  /** The value is next to the name, behind "enter", or ends its line. */
  readonly isNext: boolean;
}

export interface SpokenEvidence {
  readonly evidence: string;
  readonly holds: (spoken: Spoken) => boolean;
}

const isLinked = ({ value, claim }: Spoken, link: "sentence" | "near") =>
  isCredential(value, { claim, link, isConstant: false, isEnvironment: false });

// biome-ignore format: one row a line
export const spokenEvidence: readonly SpokenEvidence[] = [
  { evidence: "said", holds: (spoken) => spoken.isAfterSaying && isLinked(spoken, "sentence") },
  { evidence: "made up", holds: ({ value: { text }, isChoice, isNext }) => isChoice && isNext && (features.isDecoratedWord(text) || features.isNumberedWord(text) || features.isUnusualWord(text)) },
  { evidence: "drawn words", holds: ({ value: { text }, isChoice, isNext }) => isChoice && isNext && (features.isDiceware(text) || features.isJoinedPhrase(text)) },
  { evidence: "code", holds: ({ value: { text }, isChoice, isNext }) => isChoice && isNext && !isOrdinary(text) && (features.isCode(text) || features.isMixedWord(text)) },
  { evidence: "likely", holds: ({ value: { text }, isChoice, isAfterSaying }) => isChoice && !isOrdinary(text) && (isLikely(text) || (isAfterSaying && features.isUnusualWord(text))) },
  { evidence: "near", holds: (spoken) => !isOrdinary(spoken.value.text) && isLinked(spoken, "near") },
];

function judged(
  value: Value | undefined,
  claim: Claim,
  isAfterSaying: boolean,
  isNext = false,
): Value | undefined {
  if (!value || value.text.length < 6 || isOwnAssignment(value.text) || isNamed.test(value.text))
    return undefined;
  const isChoice = isPassword(claim) || claim.kind === "secret" || claim.kind === "credential";
  if (!isChoice && /^[\w.-]+=[^=]/.test(value.text)) return undefined;
  const spoken = { value, claim, isChoice, isAfterSaying, isNext };
  return spokenEvidence.some(({ holds }) => holds(spoken)) &&
    !(isAfterSaying ? isStandIn : isPlaceholder)(value.text)
    ? value
    : undefined;
}

const isPassword = ({ kind }: Claim) => kind === "password" || kind === "passphrase";

const openers = /^[*_(["'`\uE000-\uE003]+/;

const wordPattern = new RegExp(`\\S{1,${wordReadMax}}`, "y");
/** A word without a digit, a sign, five consonants in a row (but "passphrase"), two capitals inside, two joints is no credential. */
const isCandidate: Accept = memoize((word) =>
  /[\d!#$%^&*+~@]|(?!ssphr)[b-df-hj-np-tv-z]{5}|[A-Za-z]{20}|[a-z][A-Z].*[A-Z]|[a-z][-_.].*[a-z][-_.]/.test(
    word,
  ),
);

/**
 * Returns where the next word that may be a credential begins, or the end of the text. Call it with increasing positions: it reads the
 * text once.
 */
function candidatesIn(text: string): (at: number) => number {
  const words = text.matchAll(/\S{1,200}/g);
  let start = -1;
  let end = -1;
  return (at) => {
    while (end <= at) {
      const word = words.next().value;
      if (word && !isCandidate(word[0])) continue;
      start = word?.index ?? text.length;
      end = word ? start + word[0].length : Number.POSITIVE_INFINITY;
    }
    return start;
  };
}

/** If false, the value is not a credential for any claim. */
const mayBeOne = (value: string) =>
  hasDigit(value) || features.looksChosen(value) || features.isJoinedPhrase(value);

function wordAt(text: string, word: string, at: number): Value | undefined {
  const opened = openers.exec(word)?.[0].replace(/["'`\uE000-\uE003].*$/s, "").length ?? 0;
  return valueAt(text, at + opened, false, valueLengthMax);
}

/** The largest distance between a credential and its name, in characters. */
const sentenceLengthMax = 160;

const spokenPhrase =
  /(?:[ \t]+[\w.'-]{1,20}){0,8}?(?:[ \t]+(?:is|was|ist|lautet|est|es|é|è|to|jest)|[ \t]*[:=]|[ \t]+(?=\(["'`\uE000]))[ \t]*\(?["'`\uE000]?(?=[A-Za-z\d])|[ \t]+["'`\uE000](?=[A-Za-z\d])/y;
const phraseLead = /[ \t](?:is|was|ist|lautet|est|es|é|è|to|jest)|[:=(]|["'`\uE000]/g;
const phraseWords =
  /\d{1,4}(?: [A-Za-z\d]{1,12}){3,9}(?=["'`\uE000.,;]|[ \t]*(?:\n|$))|[A-Za-z]{2,12}(?:(?:[ -][A-Za-z]{3,12}){2,9}\d{0,4}(?=["'`\uE000.,;]|[ \t]*(?:\n|$))|(?: [A-Za-z]{3,12}){1,2}(?=["'`\uE000]))/y;
/** "the passphrase is bounce evolve castle fiscal". A password of several words has four, all drawn at random. */
function phraseBehind(text: string, from: number, isPromised: boolean): Value | undefined {
  spokenPhrase.lastIndex = from;
  if (!spokenPhrase.test(text)) return undefined;
  phraseWords.lastIndex = spokenPhrase.lastIndex;
  const phrase = phraseWords.exec(text)?.[0];
  if (
    !phrase ||
    features.sentenceWords.test(phrase.replace(/\band\b/, "")) ||
    isStandIn(phrase) ||
    hasSentenceWord(isPromised ? phrase.replace(/ (?:over|under|the|in|on)(?= )/g, "") : phrase)
  )
    return undefined;
  // `correct horse`: two or three words in quotes behind a verb, none of which names a thing.
  const isSaid =
    /[a-z] ["'`\uE000]$/.test(text.slice(spokenPhrase.lastIndex - 3, spokenPhrase.lastIndex)) &&
    /^[a-z ]+$/.test(phrase) &&
    !phrase.split(" ").some(isNamingWord);
  if (isPromised || isSaid ? phrase.split(" ").filter(isNamingWord).length > 1 : !isWordPassphrase(phrase))
    return undefined;
  const start = phraseWords.lastIndex - phrase.length;
  return { text: phrase, start, end: phraseWords.lastIndex, isQuoted: true, isClosed: false };
}

/** A word of a sentence. */
interface Word {
  readonly text: string;
  /** In lower case without quotes and brackets; empty if it is longer than every listed word. */
  readonly bare: string;
  readonly end: number;
  readonly value: Value | undefined;
  /** What was asked about the value, and refused: names that are close to each other ask the same. */
  readonly refused: Set<string>;
}

/** Returns where the word after `from` begins. Skips spaces, tabs, and one comma that a space follows. */
function wordStartAt(text: string, from: number): number {
  betweenWords.lastIndex = from;
  return betweenWords.test(text) ? betweenWords.lastIndex : from;
}
const betweenWords = /(?:,(?= ))?[ \t]*/y;

function bareWord(word: string): string {
  if (word.length > listedLengthMax) return "";
  return /^[a-z]+$/.test(word) ? word : word.toLowerCase().replace(/^["'`(*]+|["'`):*,]+$/g, "");
}

type Reader = (from: number) => Word | undefined;

/** The words that were read last: names that are close to each other read the same words. */
const keptWordsMax = 64;
function wordsIn(text: string): Reader {
  const known = new Map<number, Word | undefined>();
  return (from) => {
    if (known.has(from)) return known.get(from);
    if (known.size >= keptWordsMax) known.clear();
    const word = readWord(text, from);
    known.set(from, word);
    return word;
  };
}

function readWord(text: string, from: number): Word | undefined {
  const start = wordStartAt(text, from);
  wordPattern.lastIndex = start;
  const word = wordPattern.exec(text)?.[0];
  return word === undefined
    ? undefined
    : {
        text: word,
        bare: bareWord(word),
        end: start + word.length,
        value: isCandidate(word) ? wordAt(text, word, start) : undefined,
        refused: new Set(),
      };
}

/** Returns the credential that the sentence after `from` gives. */
function findInSentenceAfter(text: string, from: number, claim: Claim, read: Reader): Value | undefined {
  let end = from;
  let isAfterSaying = false;
  let isInPhrase = false;
  let isInAside = false;
  let isDirectlyAfter = true;
  for (let words = 0; words < wordsMax; words++) {
    const word = read(end);
    if (!word) return ownLine(text, end, claim, isAfterSaying || words === 0);
    const { bare, value } = word;
    const last = word.text.charAt(word.text.length - 1);
    // A question mark right after the name: "password? …".
    const isAsked = word.text === "?";
    const isVerb = sureVerbs.has(bare) || last === ":" || word.text === "=";
    const isAbout = aboutWords.has(bare) || bare.startsWith("hash");
    // "the token in the failing request was …": after "request" only a verb leads to the value.
    if (isInAside && isVerb) isInAside = false;
    else if (value && !isInAside && mayBeOne(value.text)) {
      const asked = `${claim.kind} ${claim.certainty} ${isAfterSaying} ${isDirectlyAfter}`;
      const found = word.refused.has(asked)
        ? undefined
        : judged(value, claim, isAfterSaying, isDirectlyAfter);
      if (found) return found;
      word.refused.add(asked);
    }
    // "Use this password to log in:", and then the password on its own line.
    const own = ":?".includes(last) ? ownLine(text, word.end, claim, true) : undefined;
    if (own) return own;
    const isLast = word.text.length > wordLengthMax || (".!?;".includes(last) && !isAsked);
    if (isLast || (isAbout && !isInPhrase)) return undefined;
    isInAside ||= isAbout && !isVerb;
    // "Forgot your password? Click here …": only the next word can be the answer.
    if (isAsked) words = wordsMax - 2;
    isInPhrase = prepositions.has(bare) || (isInPhrase && !isVerb);
    isAfterSaying = ":=→".includes(last) || isAsked || verbs.has(bare) || verbs.has(word.text);
    isDirectlyAfter &&= carriers.has(bare);
    end = word.end;
  }
  return undefined;
}

/** The line break and the text before an answer: a speaker with or without the time, a bullet, "sure, it's". */
const lineBreak =
  /[\])"'`*:]{0,3}(?:(?:[ \t]*\n){1,2}|[ \t](?=A: ))[ \t]*(?:[^\n]{0,32}\b\d{1,2}:\d\d(?::\d\d)?(?: ?[AP]M)?[\])]?:?[ \t]*\n[ \t]*)?(?:\[?\d{1,2}:\d\d(?: ?[AP]M)?\]? )?(?:[\w.@-]{1,24}(?:[ \t]{1,3}\d{1,2}:\d\d[ \t]{1,3}|: )|<[\w.@-]{1,24}> |[-*>] )?(?:(?:[A-Za-z]{2,8}[,.!:]? ){0,2}(?:[Ii]t'?s|[Ii]t is|[Tt]hat'?s|[Tt]ry|[Uu]se) |(?:[A-Za-z']{2,8} ){0,3}[A-Za-z']{2,8}(?:[:,]| -) )?/y;
/** `traceparent: …`: the name of a field that holds no credential, not a speaker. */
const publicField = /(?:\bsecure|trace\w*|hash|digest|commit|sum|etag|id|version): $/i;
const ownLineEnd = /[."'`\uE000-\uE003]{0,2}[ \t]*(?:\n|$)/y;
/** "The password is" at the end of a line, and the password alone on the next one. */
function ownLine(text: string, from: number, claim: Claim, isAfterSaying: boolean): Value | undefined {
  if (!isAfterSaying) return undefined;
  lineBreak.lastIndex = from;
  if (!lineBreak.test(text)) return undefined;
  if (publicField.test(text.slice(from, lineBreak.lastIndex))) return undefined;
  const value = valueAt(text, lineBreak.lastIndex);
  if (!value) return undefined;
  ownLineEnd.lastIndex = value.end;
  const isAlone = ownLineEnd.test(text);
  return features.isStrong(value.text) ||
    features.isDecoratedWord(value.text) ||
    features.isNumberedWord(value.text) ||
    features.isMixedWord(value.text) ||
    (isAlone && (features.isDiceware(value.text) || features.isCode(value.text) || isLikely(value.text)))
    ? judged(value, claim, true)
    : undefined;
}

const cjkBridge = /[\u2e80-\u9fff\uac00-\ud7af \t:=,"'*`]{0,16}/y;
const asciiWord = /[!-~]+/y;

/** For scripts without spaces between words: returns the first ASCII word after the name. */
function findInCjkAfter(text: string, from: number, claim: Claim): Value | undefined {
  cjkBridge.lastIndex = from;
  cjkBridge.test(text);
  const start = cjkBridge.lastIndex;
  asciiWord.lastIndex = start;
  if (!asciiWord.test(text)) return undefined;
  let end = asciiWord.lastIndex;
  while (end > start && /[.,;:)"'`\]}*]/.test(text.charAt(end - 1))) end--;
  const value = { text: text.slice(start, end), start, end, isQuoted: false, isClosed: false };
  if (/^["'][A-Za-z]{5,}$/.test(text.charAt(start - 1) + value.text) && claim.kind === "password")
    return isPlaceholder(value.text) ? undefined : value;
  return judged(value, claim, true);
}

/** The characters that can follow a name in a sentence, up to the next space. */
const opensSentence = /(?:'s(?= ))?["'`)*\]?»\uE000-\uE003]{0,3}(?:[:,]?\s|$)/y;
function isFollowedByText({ text, end }: Name): boolean {
  opensSentence.lastIndex = end;
  return opensSentence.test(text);
}
const isCjk = (name: string) => name.charCodeAt(name.length - 1) >= 0x2e80;

/** Returns the credential that a sentence gives a name. Call it with increasing positions: it reads the text once. */
export function sentencesIn(text: string): (name: Name, claim: Claim) => Value | undefined {
  const candidateBehind = candidatesIn(text);
  const phraseLeadBehind = nextIn(text, phraseLead);
  const read = wordsIn(text);
  return (name, claim) => {
    if (candidateBehind(name.end) - name.end >= sentenceLengthMax) return undefined;
    if (isCjk(name.name)) return findInCjkAfter(text, name.end, claim);
    if (!isFollowedByText(name)) return undefined;
    const mayBePhrase = isPassword(claim) && phraseLeadBehind(name.end) - name.end < sentenceLengthMax;
    const phrase = mayBePhrase ? phraseBehind(text, name.end, claim.kind === "passphrase") : undefined;
    return phrase ?? findInSentenceAfter(text, name.end, claim, read);
  };
}

export const verbsBeforeName: ReadonlySet<string> = setOf(
  "as is als como comme come jako как ist est es é è to -",
);
