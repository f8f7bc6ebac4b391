import { hasBothCases, hasDigit, hasLetter, isPlainCase } from "./appearance.ts";
import type { Claim } from "./assignment-names.ts";
import { isCredential } from "./evidence.ts";
import {
  isCode,
  isDecoratedWord,
  isDiceware,
  isField,
  isJoinedPhrase,
  isMixedWord,
  isNumberedWord,
  isStrong,
  isUnusualWord,
  looksChosen,
  sentenceWords,
} from "./features.ts";
import { memoize } from "./memoize.ts";
import { hasSentenceWord } from "./passphrases.ts";
import { isPlaceholder } from "./placeholders.ts";
import type { Accept } from "./rule.ts";
import { type Value, valueAt } from "./values.ts";

/** The value that a sentence gives a name: "the password for staging is …", "der Token lautet …", "密码是…". */

const setOf = (spaced: string) => new Set(spaced.split(" "));

const verbs = setOf(
  "is was are be been s it's now equals reads becomes stays remains ist war lautet lauten heißt est sera était es era será é foi fica è sarà jest brzmi to это был является равен будет auf à a na на zu in as au al em para por en com er är on olyan je este jetzt nun maintenant ahora agora ora adesso teraz теперь bisher derzeit aktuell momentan vorher previously formerly temporarily simply just actually actuellement actualmente atualmente attualmente obecnie сейчас still currently always vaut vale gleich sei sería seria będzie wynosi равна - → -> => = :",
);
/** After one of these words the sentence describes the credential and does not give its value. */
const aboutWords = setOf(
  "hash hashes hashed digest checksum fingerprint sha sha1 sha256 sha512 md5 commit id ids uuid guid version url uri path file filename length size bucket count limit type format algorithm kid arn issue ticket pr pull release build revision trace request correlation expires expired ttl see docs rotated rotation policy manager page field column header named called accessor -accessor -username --username -user --user -u -name --name",
);
const prepositions = setOf("in of from on with by for to");
/** "password string …", "secret hex …": these words still belong to the name. */
const carriers = setOf("string value hex base64 text phrase literal here below code");
const sureVerbs = setOf("is was are were");
const wordsMax = 8;
const wordLengthMax = 128;
const valueLengthMax = 512;
const wordReadMax = 200;
const listedLengthMax = 24;

/** Values with digits that are not credentials: `v2.4.1-rc1`, `ISO27001`, `user42`, `2024-01-01`. */
export const isOrdinary: Accept = memoize(
  (value) =>
    /^[A-Za-z]{1,10}-?\d{1,5}$/.test(value) ||
    /^v?\d[\d.,:/-]*[a-z]{0,6}\d*$/i.test(value) ||
    /PBKDF|[Ss][Hh][Aa]-?\d|HMAC|[Hh]mac|AES|aes-?\d|RSA|OAuth|oauth|Argon|argon|crypt|[Bb]ase64|UTF|utf-?\d|ISO[- ]?\d|RFC|TLS|HTTP|http|JWT|X509|FIDO|WebAuthn/.test(
      value,
    ) ||
    value.includes("://"),
);

/** For a value after a preposition or after no verb: the value alone must look like a credential. */
const isLikely = (value: string) =>
  isStrong(value) ||
  (value.length >= 8 &&
    hasDigit(value) &&
    hasBothCases(value) &&
    hasLetter(value) &&
    /^[\w!@#$%^&*+=?~.-]+$/.test(value) &&
    !/^[A-Z]?[a-z]+\d+$/.test(value) &&
    !isPlainCase(value.replace(/\d/g, "")));

/** `user=anna`, `?token=…`, `--flag`, a path: such text has its own name or meaning. */
const isOwnAssignment = (value: string) =>
  isField(value) ||
  /^[?&#-]?(?:[a-z_.[\]-]{2,}|[A-Z_]{2,})=|^(?:[a-z_.-]+|[A-Z_]+):|^--|^[./+&=?;,|]|:\/\//.test(value);

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
  { evidence: "made up", holds: ({ value: { text }, isChoice, isNext }) => isChoice && isNext && (isDecoratedWord(text) || isNumberedWord(text) || isUnusualWord(text)) },
  { evidence: "drawn words", holds: ({ value: { text }, isChoice, isNext }) => isChoice && isNext && (isDiceware(text) || isJoinedPhrase(text)) },
  { evidence: "code", holds: ({ value: { text }, isChoice, isNext }) => isChoice && isNext && !isOrdinary(text) && (isCode(text) || isMixedWord(text)) },
  { evidence: "likely", holds: ({ value: { text }, isChoice, isAfterSaying }) => isChoice && !isOrdinary(text) && (isLikely(text) || (isAfterSaying && isUnusualWord(text))) },
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
  return spokenEvidence.some(({ holds }) => holds(spoken)) && !isPlaceholder(value.text) ? value : undefined;
}

const isPassword = ({ kind }: Claim) => kind === "password" || kind === "passphrase";

const openers = /^[*_(["'`\uE000-\uE003]+/;

/** 1 digit or sign, 2 consonant, 3 vowel, 4 capital, 5 joint between words, 6 whitespace, 0 anything else. */
const classes = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[\d!#$%^&*+~@]/.test(character)) return 1;
  if (/[a-z]/.test(character)) return /[aeiou]/.test(character) ? 3 : 2;
  if (/[A-Z]/.test(character)) return 4;
  return /[-_.]/.test(character) ? 5 : /\s/.test(character) ? 6 : 0;
});
const classOf = (code: number) =>
  code < 128 ? (classes[code] ?? 0) : /\s/.test(String.fromCharCode(code)) ? 6 : 0;

/**
 * Returns the end of the word that begins at `start`, as a negative number if the word may be a credential.
 * Such a word has a digit or a sign, five consonants in a row, two capitals inside, twenty letters in a row,
 * or two joints. No other word can be a credential.
 */
function wordEnd(text: string, start: number): number {
  let isCandidate = false;
  let consonants = 0;
  let letters = 0;
  let capitalsInside = 0;
  let joints = 0;
  let before = 0;
  let at = start;
  for (; at < text.length && at - start < wordReadMax; at++) {
    const here = classOf(text.charCodeAt(at));
    if (here === 6) break;
    consonants = here === 2 ? consonants + 1 : 0;
    letters = here >= 2 && here <= 4 ? letters + 1 : 0;
    if (here === 4 && (capitalsInside > 0 || before === 2 || before === 3)) capitalsInside++;
    if (here === 5 && (before === 2 || before === 3)) joints++;
    if (here === 1 || consonants === 5 || letters === 20 || capitalsInside === 2 || joints === 2)
      isCandidate = true;
    before = here;
  }
  return isCandidate ? -at : at;
}
const blank = 32;
const tab = 9;
const comma = 44;

/**
 * Returns where the next word that may be a credential begins, and where the last one ended. Call it with
 * increasing positions: it reads the text once.
 */
export function candidatesIn(text: string): (at: number) => { next: number; last: number } {
  let last = -1;
  let next = 0;
  let nextEnd = 0;
  let isFirst = true;
  return (at) => {
    while (isFirst || nextEnd <= at) {
      if (!isFirst && next < text.length) last = nextEnd;
      isFirst = false;
      let end = nextEnd;
      do {
        next = end;
        while (next < text.length && classOf(text.charCodeAt(next)) === 6) next++;
        end = wordEnd(text, next);
      } while (end >= 0 && next < text.length);
      nextEnd = next < text.length ? -end : Number.POSITIVE_INFINITY;
    }
    return { next, last };
  };
}

/** Each kind of name has its own bit: a word that follows several names is judged once per kind. */
const bitOf = (claim: Claim, isAfterSaying: boolean, isNext: boolean) =>
  1 <<
  ((claim.kind === "token" || claim.kind === "api_key" ? 4 : 0) + (isAfterSaying ? 2 : 0) + (isNext ? 1 : 0));
const everyBit = 0xff;

/** If false, the value is not a credential for any claim. */
const mayBeOne = (value: string) => hasDigit(value) || looksChosen(value) || isJoinedPhrase(value);

function wordAt(text: string, word: string, at: number): Value | undefined {
  const opened = openers.exec(word)?.[0].replace(/["'`\uE000-\uE003].*$/s, "").length ?? 0;
  const value = valueAt(text, at + opened, false, valueLengthMax);
  // The closing marks of `**…**` are not part of the value.
  const bold = value && opened > 0 && /^[*_]/.test(word) ? (/[*_]+$/.exec(value.text)?.[0].length ?? 0) : 0;
  return value && bold > 0 && bold < value.text.length
    ? { ...value, text: value.text.slice(0, -bold), end: value.end - bold }
    : value;
}

/** The largest distance between a credential and its name, in characters. */
export const sentenceLengthMax = 160;

const spokenPhrase =
  /(?:[ \t]+(?:(?:of|for|on|to)[ \t]+(?:[\w.-]{1,20}[ \t]+){1,4}?)?(?:is|was|ist|lautet|est|es|é|è|to|jest)|[ \t]*[:=])[ \t]+["'`\uE000]?(?=[A-Za-z])|[ \t]+["'`\uE000](?=[A-Za-z])/y;
const phraseWords =
  /[A-Za-z]{3,12}(?:(?:[ -][A-Za-z]{3,12}){2,9}\d{0,4}(?=["'`\uE000.,;]|[ \t]*(?:\n|$))|(?: [A-Za-z]{3,12}){1,2}(?=["'`\uE000]))/y;
/** "the passphrase is bounce evolve castle fiscal" */
function phraseBehind(text: string, from: number): Value | undefined {
  spokenPhrase.lastIndex = from;
  if (!spokenPhrase.test(text)) return undefined;
  phraseWords.lastIndex = spokenPhrase.lastIndex;
  const phrase = phraseWords.exec(text)?.[0];
  if (!phrase || sentenceWords.test(phrase) || isPlaceholder(phrase) || hasSentenceWord(phrase))
    return undefined;
  const start = phraseWords.lastIndex - phrase.length;
  return { text: phrase, start, end: phraseWords.lastIndex, isQuoted: true, isClosed: false };
}

/** A word of a sentence. It is read once, even if several names precede it. */
interface Word {
  readonly start: number;
  readonly end: number;
  readonly value: Value | undefined;
  /** "is", ":": the next word is the value. */
  readonly isSaying: boolean;
  /** The word ends the sentence. */
  readonly isLast: boolean;
  /** One of `aboutWords`: the sentence now describes the credential. */
  readonly isAbout: boolean;
  /** "in", "of": the next words say where the credential is. */
  readonly isPreposition: boolean;
  readonly isVerb: boolean;
  readonly isQuestion: boolean;
  /** A question mark right after the name: "password? …". */
  readonly isAsked: boolean;
  readonly isCarrier: boolean;
  /** Null if no word follows on the line; undefined until the next word is read. */
  next: Word | null | undefined;
}

/** The words of one text that were read so far. */
export interface Sentences {
  readonly text: string;
  /** The index is the position where reading begins. */
  readonly words: (Word | null | undefined)[];
  /** The index is the start of a word; the value holds the bits of the names for which it was refused. */
  readonly refused: Uint8Array;
}
export const sentencesOf = (text: string): Sentences => ({
  text,
  words: new Array(text.length + 1),
  refused: new Uint8Array(text.length),
});

/** Returns where the word after `from` begins. Skips spaces, tabs, and one comma that a space follows. */
function wordStartAt(text: string, from: number): number {
  let start = from;
  if (text.charCodeAt(start) === comma && text.charCodeAt(start + 1) === blank) start++;
  while (text.charCodeAt(start) === blank || text.charCodeAt(start) === tab) start++;
  return start;
}

/** The word in lower case without quotes and brackets; empty if it is longer than every listed word. */
function bareWord(word: string): string {
  if (word.length > listedLengthMax) return "";
  return /^[a-z]+$/.test(word) ? word : word.toLowerCase().replace(/^["'`(*]+|["'`):*,]+$/g, "");
}

function readWord(text: string, from: number): Word | null {
  const start = wordStartAt(text, from);
  const wordEnded = wordEnd(text, start);
  const end = Math.abs(wordEnded);
  if (end === start) return null;
  const word = text.slice(start, end);
  const last = word.charAt(word.length - 1);
  const bare = bareWord(word);
  const isAsked = word === "?";
  return {
    start,
    end,
    value: wordEnded < 0 ? wordAt(text, word, start) : undefined,
    isSaying: ":=→".includes(last) || isAsked || verbs.has(bare) || verbs.has(word),
    isLast: word.length > wordLengthMax || (".!?;".includes(last) && !isAsked),
    isAbout: aboutWords.has(bare),
    isPreposition: prepositions.has(bare),
    isVerb: sureVerbs.has(bare) || last === ":" || word === "=",
    isQuestion: ":?".includes(last),
    isAsked,
    isCarrier: carriers.has(bare),
    next: undefined,
  };
}

/** `password root …`: no text follows the value on its line. */
const isAtLineEnd = (text: string, { end }: Value) => end === text.length || text.charAt(end) === "\n";

/** "Password for staging Hunter20227": the value ends its line, up to two words behind the name. */
const isLastOfLine = (text: string, { value }: Word, words: number) =>
  value !== undefined &&
  (words === 1 || (words === 2 && (isDecoratedWord(value.text) || isNumberedWord(value.text)))) &&
  isAtLineEnd(text, value);

function wordBehind({ text, words }: Sentences, from: number): Word | null {
  const known = words[from];
  if (known !== undefined) return known;
  const read = readWord(text, from);
  words[from] = read;
  return read;
}

/** Returns the credential that the sentence after `from` gives. */
export function findInSentenceAfter(sentences: Sentences, from: number, claim: Claim): Value | undefined {
  const { text, refused } = sentences;
  let isAfterSaying = false;
  if (claim.kind === "passphrase") {
    const phrase = phraseBehind(text, from);
    if (phrase) return phrase;
  }
  let end = from;
  let isInPhrase = false;
  let isInAside = false;
  let isDirectlyAfter = true;
  let word = wordBehind(sentences, from);
  for (let words = 0; words < wordsMax; words++) {
    if (!word) return ownLine(text, end, claim, isAfterSaying || words === 0);
    const isNext = isDirectlyAfter || isLastOfLine(text, word, words);
    const bit = bitOf(claim, isAfterSaying, isNext);
    const bits = refused[word.start] ?? 0;
    // "the token in the failing request was …": after "request" only a verb leads to the value.
    if (isInAside && word.isVerb) isInAside = false;
    else if (word.value && !isInAside && (bits & bit) === 0) {
      const isOne = mayBeOne(word.value.text);
      const found = isOne ? judged(word.value, claim, isAfterSaying, isNext) : undefined;
      if (found) return found;
      refused[word.start] = isOne ? bits | bit : everyBit;
    }
    // "Use this password to log in:", and then the password on its own line.
    if (word.isQuestion) {
      const own = ownLine(text, word.end, claim, true);
      if (own) return own;
    }
    if (word.isLast || (word.isAbout && !isInPhrase)) return undefined;
    isInAside ||= word.isAbout && !word.isVerb;
    // "Forgot your password? Click here …": only the next word can be the answer.
    if (word.isAsked) words = wordsMax - 2;
    isInPhrase = word.isPreposition || (isInPhrase && !word.isVerb);
    isAfterSaying = word.isSaying;
    isDirectlyAfter &&= word.isCarrier;
    end = word.end;
    if (word.next === undefined) word.next = wordBehind(sentences, end);
    word = word.next;
  }
  return undefined;
}

/** The line break and the text before an answer: a speaker with or without the time, a bullet, "sure, it's". */
const lineBreak =
  /[\])"'`*:]{0,3}(?:(?:[ \t]*\n){1,2}|[ \t](?=A: ))[ \t]*(?:[^\n]{0,32}\b\d{1,2}:\d\d(?::\d\d)?(?: ?[AP]M)?[\])]?:?[ \t]*\n[ \t]*)?(?:\[?\d{1,2}:\d\d(?: ?[AP]M)?\]? )?(?:[\w.@-]{1,24}: |<[\w.@-]{1,24}> |[-*>] )?(?:(?:[A-Za-z]{2,8}[,.!:]? ){0,2}(?:[Ii]t'?s|[Ii]t is|[Tt]hat'?s|[Tt]ry|[Uu]se) |(?:[A-Za-z']{2,8} ){0,3}[A-Za-z']{2,8}(?:[:,]| -) )?/y;
/** `traceparent: …`: the name of a field that holds no credential, not a speaker. */
const publicField = /(?:\bsecure|trace\w*|hash|digest|commit|sum|etag|id): $/i;
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
  return isStrong(value.text) ||
    isDecoratedWord(value.text) ||
    (isAlone &&
      (isDiceware(value.text) || isNumberedWord(value.text) || isCode(value.text) || isLikely(value.text)))
    ? judged(value, claim, true)
    : undefined;
}

const cjkBridge = /[\u2e80-\u9fff\uac00-\ud7af \t:=,"'*`]{0,16}/y;
const asciiWord = /[!-~]+/y;

/** For scripts without spaces between words: returns the first ASCII word after the name. */
export function findInCjkAfter(text: string, from: number, claim: Claim): Value | undefined {
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

export const verbsBeforeName: ReadonlySet<string> = setOf(
  "as is als como comme come jako как ist est es é è to -",
);
