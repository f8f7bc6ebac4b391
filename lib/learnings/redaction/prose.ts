import { hasBothCases, hasDigit, hasLetter, isPlainCase } from "./appearance.ts";
import type { Claim } from "./assignment-names.ts";
import {
  isCredential,
  isDiceware,
  isDressedWord,
  isOddWord,
  isStrong,
  looksChosen,
  sentenceWords,
} from "./assignment-values.ts";
import { isPlaceholder } from "./placeholders.ts";
import { type Value, valueAt } from "./values.ts";

/** "the password for staging is …", "der Token lautet …", "密码是…": what a sentence ties to a name. */

const setOf = (spaced: string) => new Set(spaced.split(" "));

const verbs = setOf(
  "is was are be been s now equals reads becomes stays remains ist war lautet lauten heißt est sera était es era será é foi fica è sarà jest brzmi to это был является равен будет auf à a na на zu in as au al em para por en com er är on olyan je este jetzt nun maintenant ahora agora ora adesso teraz теперь still currently always - → -> => = :",
);
/** Behind these comes something about the credential, and not the credential. */
const aboutWords = setOf(
  "hash hashes hashed digest checksum fingerprint sha sha1 sha256 sha512 md5 commit id ids uuid guid version url uri path file filename length size bucket count limit type format algorithm kid arn issue ticket pr pull release build revision trace request correlation expires expired ttl see docs rotated rotation policy manager page field column header named called",
);
const wordPattern = /(?:,(?= ))?[ \t]*(\S{1,200})/y;
const wordsMax = 8;
const wordLengthMax = 128;

/** `v2.4.1-rc1`, `ISO27001`, `user42`, `2024-01-01`, `k8s`: they have digits and are no credentials. */
const isOrdinary = (value: string) =>
  /^[A-Za-z]{1,10}-?\d{1,5}$/.test(value) ||
  /^v?\d[\d.,:/-]*[a-z]{0,6}\d*$/i.test(value) ||
  /PBKDF|SHA|HMAC|AES|RSA|OAuth|Argon|crypt|base64|UTF|ISO|RFC|TLS|HTTP|JWT|X509|FIDO|WebAuthn/i.test(
    value,
  ) ||
  value.includes("://");

/** Behind a preposition, or behind nothing: the value alone must show it. */
const isLikely = (value: string) =>
  isStrong(value) ||
  (value.length >= 8 &&
    hasDigit(value) &&
    hasBothCases(value) &&
    hasLetter(value) &&
    /^[\w!@#$%^&*+=?~.-]+$/.test(value) &&
    !/^[A-Z]?[a-z]+\d+$/.test(value) &&
    !isPlainCase(value.replace(/\d/g, "")));

/** `user=anna`, `?token=…`, `--flag`, a path: they speak for themselves. */
const isOwnAssignment = (value: string) =>
  /^[?&#-]?(?:[a-z_.[\]-]+|[A-Z_]+)=|^(?:[a-z_.-]+|[A-Z_]+):|^[\w.-]+=[^=]|^--|^[./+&=?;,|]|:\/\//.test(
    value,
  );

function judged(value: Value | undefined, claim: Claim, isSaid: boolean, isNext = false): Value | undefined {
  const found = looksSpoken(value, claim, isSaid, isNext);
  return found && !isPlaceholder(found.text) ? found : undefined;
}

function looksSpoken(
  value: Value | undefined,
  claim: Claim,
  isSaid: boolean,
  isNext: boolean,
): Value | undefined {
  if (!value || value.text.length < 6 || isOwnAssignment(value.text)) return undefined;
  const named = { claim, isConstant: false, isEnvironment: false } as const;
  const isPassword = claim === "password" || claim === "passphrase" || claim === "secret";
  if (isSaid && isCredential(value, { ...named, tie: "sentence" })) return value;
  if (isPassword && isNext && (isDressedWord(value.text) || isOddWord(value.text) || isDiceware(value.text)))
    return value;
  if (isOrdinary(value.text)) return undefined;
  if (isPassword && (isLikely(value.text) || (isSaid && isOddWord(value.text)))) return value;
  return isCredential(value, { ...named, tie: "near" }) ? value : undefined;
}

const openers = /^[*_(["'`\uE000-\uE003]+/;

const anyWord = /\S{1,200}/g;
/** A word with a digit or a sign in it, or a long one: no other can be a credential. */
const mayBeCredential =
  /[\d!#$%^&*+~@]|[b-df-hj-np-tv-xz]{4}|[A-Za-z]{20}|[a-z][A-Z]\S{0,60}[A-Z]|[a-z][-_.][a-z]+[-_.][a-z]/;

/** Answers, for ever later places, where the next word that may be a credential begins, and where the last one did. */
export function candidatesIn(text: string): (at: number) => { next: number; last: number } {
  let last = -1;
  let next = 0;
  let nextEnd = 0;
  let isFirst = true;
  return (at) => {
    while (isFirst || nextEnd <= at) {
      if (!isFirst && next < text.length) last = nextEnd;
      isFirst = false;
      anyWord.lastIndex = nextEnd;
      let word = anyWord.exec(text);
      while (word && !mayBeCredential.test(word[0])) word = anyWord.exec(text);
      next = word?.index ?? text.length;
      nextEnd = word ? next + word[0].length : Number.POSITIVE_INFINITY;
    }
    return { next, last };
  };
}

/** A word stands behind several names: it is judged once for names of a kind. */
const keyOf = (at: number, claim: Claim, isSaid: boolean, isNext: boolean) =>
  at * 8 + (claim === "token" || claim === "api_key" ? 4 : 0) + (isSaid ? 2 : 0) + (isNext ? 1 : 0);

/** Whatever a name claims. */
const mayBeOne = (value: string) => hasDigit(value) || looksChosen(value);

function wordAt(text: string, word: string, at: number): Value | undefined {
  if (!mayBeCredential.test(word)) return undefined;
  const opened = openers.exec(word)?.[0].replace(/["'`\uE000-\uE003].*$/s, "").length ?? 0;
  return valueAt(text, at + opened, false, wordLengthMax);
}

/** A credential stands no further from its name. */
export const spokenReach = 160;

const spokenPhrase =
  /(?:[ \t]+(?:is|was|ist|lautet|est|es|é|è|to|jest)|[ \t]*[:=])[ \t]+["'`\uE000]?(?=[a-z])|[ \t]+["'`\uE000](?=[a-z])/y;
const phraseWords = /[a-z]{3,10}(?:[ -][a-z]{3,10}){3,9}(?=["'`\uE000.]|[ \t]*(?:\n|$))/y;
/** "the passphrase is bounce evolve castle fiscal" */
function phraseBehind(text: string, from: number): Value | undefined {
  spokenPhrase.lastIndex = from;
  if (!spokenPhrase.test(text)) return undefined;
  phraseWords.lastIndex = spokenPhrase.lastIndex;
  const phrase = phraseWords.exec(text)?.[0];
  if (!phrase || sentenceWords.test(phrase)) return undefined;
  const start = phraseWords.lastIndex - phrase.length;
  return { text: phrase, start, end: phraseWords.lastIndex, isQuoted: true, isClosed: false };
}

/** The credential that the sentence behind `from` tells. */
export function spokenBehind(
  text: string,
  from: number,
  claim: Claim,
  refused: Set<number>,
): Value | undefined {
  let isSaid = false;
  if (claim === "passphrase") {
    const phrase = phraseBehind(text, from);
    if (phrase) return phrase;
  }
  wordPattern.lastIndex = from;
  for (let words = 0; words < wordsMax; words++) {
    const match = wordPattern.exec(text);
    if (!match?.[1]) return undefined;
    const [, word] = match;
    const at = wordPattern.lastIndex - word.length;
    const key = keyOf(at, claim, isSaid, words === 0);
    if (!refused.has(key) && !refused.has(-at)) {
      const value = wordAt(text, word, at);
      const found = judged(value, claim, isSaid, words === 0);
      if (found) return found;
      refused.add(value && mayBeOne(value.text) ? key : -at);
    }
    if (word.length > wordLengthMax) return undefined;
    const bare = word.toLowerCase().replace(/^["'`(*]+|["'`):*,]+$/g, "");
    // "Use this password to log in:" and the password on a line of its own.
    if (/[:?]$/.test(word)) {
      lineBreak.lastIndex = at + word.length;
      if (lineBreak.test(text)) return ownLine(text, lineBreak.lastIndex, claim);
    }
    if (aboutWords.has(bare) || /[.!?;]$/.test(word)) return undefined;
    isSaid = verbs.has(bare) || /[:=→]$/.test(word) || verbs.has(word);
    wordPattern.lastIndex = at + word.length;
  }
  return undefined;
}

const lineBreak = /(?:[ \t]*\n){1,2}[ \t]*(?:[AR]: )?/y;
function ownLine(text: string, at: number, claim: Claim): Value | undefined {
  const value = valueAt(text, at);
  return value && (isStrong(value.text) || isDressedWord(value.text))
    ? judged(value, claim, true)
    : undefined;
}

const cjkBridge = /[\u2e80-\u9fff\uac00-\ud7af \t:=,"'*`]{0,16}/y;
const asciiWord = /[!-~]+/y;

/** Where words have no blanks between them: the first word of Latin letters. */
export function writtenBehind(text: string, from: number, claim: Claim): Value | undefined {
  cjkBridge.lastIndex = from;
  if (!cjkBridge.test(text)) return undefined;
  const start = cjkBridge.lastIndex;
  asciiWord.lastIndex = start;
  if (!asciiWord.test(text)) return undefined;
  let end = asciiWord.lastIndex;
  while (end > start && /[.,;:)"'`\]}*]/.test(text.charAt(end - 1))) end--;
  const value = { text: text.slice(start, end), start, end, isQuoted: false, isClosed: false };
  return judged(value, claim, true);
}

const namedBefore =
  /(\S{8,80})[ \t]+(?:as|is|als|como|comme|come|jako|как|ist|est|es|é|è|to|-)[ \t]+(?:(?:the|our|your|my|a|an|das|der|die|el|la|le|o|il|new|this)[ \t]+){0,2}(?:[\w-]{2,20}[ \t]+){0,2}$/;

/** "… is the password": the value stands before its name. */
export function spokenBefore(text: string, nameStart: number, from: number): Value | undefined {
  const windowStart = Math.max(from, nameStart - 160);
  const line = text.slice(windowStart, nameStart);
  const match = namedBefore.exec(line.slice(line.lastIndexOf("\n") + 1));
  if (!match?.[1]) return undefined;
  const word = match[1].replace(/^["'`(*]+|["'`)*,.:]+$/g, "");
  const start = text.lastIndexOf(word, nameStart - 1);
  const value = { text: word, start, end: start + word.length, isQuoted: false, isClosed: false };
  return start >= windowStart &&
    looksChosen(word) &&
    !isOrdinary(word) &&
    !isOwnAssignment(word) &&
    !isPlaceholder(word)
    ? value
    : undefined;
}
