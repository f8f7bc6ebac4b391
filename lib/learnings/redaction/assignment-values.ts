import {
  hasBothCases,
  hasDigit,
  hasLetter,
  isHex,
  isPlaceholder,
  isPlainCase,
  isRandomBut,
  isUuid,
  looksRandom,
  looksVeryRandom,
} from "./appearance.ts";
import type { Claim } from "./assignment-names.ts";

export interface Value {
  readonly text: string;
  readonly start: number;
  readonly isQuoted: boolean;
  /** By the end of an XML element. */
  readonly isClosed: boolean;
}

const quoted: Record<string, RegExp> = {
  "\\": /\\+["']([^"'\\\n]+)/y,
  '"': /"((?:[^"\\\n]|\\.)+)"/y,
  "'": /'((?:[^'\\\n]|\\.)+)'/y,
  "`": /`([^`\n]+)`/y,
};
/** Up to a blank, a quote, a comma, a semicolon, an ampersand or an escaped line end. */
const bare = /(?:[^\s"'`<>,;\\|&]|\\[^\s"'\\nrt])+/y;
/** The next field of a form ends a value, and a quote written as `&quot;`; any other ampersand is part of it. */
const nextField = /&(?:[\w.-]*=|(?:quot|apos|#\d\d);)/y;

function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function bareEnd(text: string, start: number): number {
  let end = matchEnd(bare, text, start);
  while (text.charAt(end) === "&" && matchEnd(nextField, text, end) === end)
    end = matchEnd(bare, text, end + 1);
  return end;
}

function quotedAt(text: string, at: number, pattern: RegExp): Value | undefined {
  pattern.lastIndex = at;
  const value = pattern.exec(text)?.[1];
  if (value === undefined) return undefined;
  // `"\"…\""`: a string inside a string.
  const inner = /^\\["'](.+)\\["']$/.exec(value)?.[1] ?? value;
  const isClosed = text.charAt(pattern.lastIndex) === "<";
  return { text: inner, start: text.indexOf(inner, at), isQuoted: true, isClosed };
}

export function valueAt(text: string, at: number): Value | undefined {
  const quote = text.charAt(at);
  const pattern = quoted[quote];
  const inQuotes = pattern && quotedAt(text, at, pattern);
  if (inQuotes) return inQuotes;
  const start = pattern && quote !== "\\" ? at + 1 : at;
  let end = bareEnd(text, start);
  // The sentence's or the code's own punctuation is not part of a bare value; at the latest the name ends the walk.
  while (".,:;)]}".includes(text.charAt(end - 1))) end--;
  if (end <= start) return undefined;
  return { text: text.slice(start, end), start, isQuoted: false, isClosed: text.charAt(end) === "<" };
}

/** Types and algorithms (`uint8`, `RS256`), versions, numbers with a unit, addresses, paths. */
const isHarmless = (value: string) =>
  /^(?:u?int|float|sha|aes|rs|hs|utf|base|argon)-?\d+[a-z]*$/i.test(value) ||
  /^v?\d{1,5}(?:\.\d+)*[a-z%]{0,2}$/i.test(value) ||
  /^(?:https?|arn):/.test(value) ||
  (/^[./~][\w./-]*$/.test(value) && !(value.length >= 20 && looksVeryRandom(value)));

/** `MYSQL_NATIVE_PASSWORD`, a constant's name. */
const isConstantLike = (value: string) =>
  /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(value) && !looksRandom(value);

/** Code that computes a value: calls, subscripts, member paths; plain identifiers are judged by their look. */
function isExpression(whole: string): boolean {
  const assigned = whole.indexOf("=");
  const value = assigned === -1 ? whole : whole.slice(0, assigned);
  if (/[(){}[\]]/.test(value)) return true;
  if (!/^[A-Za-z_$][\w$]*(?:(?:\.|\?\.|->|::)[A-Za-z_$][\w$]*)+$/.test(value)) return false;
  return !value.split(/[^\w$]/).some((part) => hasDigit(part) && looksRandom(part));
}

/** `my-db-password`: a name, unless there is a digit in it. */
const hasCredentialWord = (value: string) =>
  /pass(?:word|wd|wort|phrase)|secret|token|credential|key/i.test(value);

/** Several words: with a number among them, or promised by the name. */
const isPassphrase = (value: string, isPromised: boolean) =>
  value.length >= 10 &&
  value.split(/\s/).length <= 8 &&
  (isPromised || hasDigit(value)) &&
  !/[(){}[\]<>]/.test(value) &&
  !/\b(?:password|passwort|token|secret|please|enter|must|your|the|is|least|required|invalid|too|and|or)\b/i.test(
    value,
  );

function isPasswordLike(value: string, isLiteral: boolean, isQuoted: boolean): boolean {
  if (hasDigit(value)) return hasLetter(value) ? value.length >= 5 : isLiteral && value.length >= 6;
  if (value.length < 5 || hasCredentialWord(value)) return false;
  if (!isLiteral) return looksRandom(value);
  // `"password": "Contraseña"`: a word of another language.
  if (/^\p{L}+$/u.test(value) && !/^[A-Za-z]+$/.test(value)) return false;
  if (/[^A-Za-z_.-]/.test(value)) return hasLetter(value) && value.length >= 6;
  if (/^[a-z]+$/.test(value)) return !isQuoted || value.length >= 6;
  return /^[A-Za-z]+$/.test(value) && hasBothCases(value) && !isPlainCase(value);
}

/** `ABCD1-EFGH2-IJKL3`: a licence key. */
const isGrouped = (value: string) => hasDigit(value) && /^[A-Z0-9]{4,8}(?:-[A-Z0-9]{4,8})+$/.test(value);

/** `abcdefghijklmnop1234`: what people make up for a token. */
const isLongCode = (value: string) =>
  value.length >= 16 && hasDigit(value) && /^(?:[a-z0-9]+|[A-Z0-9]+)$/.test(value);

function isTokenLike(value: string): boolean {
  if (/\s/.test(value)) return false;
  if (isHex(value) || isUuid(value)) return value.length >= 16 && hasDigit(value);
  return value.length >= 12 && (looksRandom(value) || isGrouped(value) || isLongCode(value));
}

const isSurelyToken = (value: string) =>
  value.length >= 16 &&
  /^[\w+/=.:~%-]+$/.test(value) &&
  !isHex(value) &&
  !isUuid(value) &&
  isTokenLike(value) &&
  isRandomBut(0.45, value);

/** How a name and its value are tied, if not by code: as text, in an element, as an option, as two strings… */
export type Tie = "literal" | "element" | "option" | "pair" | "call" | "sentence";

/** More than this is not looked at: what a long value looks like shows early. */
const judgedLengthMax = 256;

export function isCredential(
  value: Value,
  claim: Claim,
  tie: Tie | undefined,
  isConstantName: boolean,
): boolean {
  if (tie === "element" && !value.isClosed) return false;
  const text = value.text.slice(0, judgedLengthMax);
  const isLiteral = value.isQuoted || tie === "literal" || tie === "element" || tie === "option";
  if (!fitsTie(text, tie) || !bearsOut(text, claim, tie, isLiteral || isConstantName, value.isQuoted))
    return false;
  if (!isLiteral && isExpression(text)) return false;
  return !isPlaceholder(text) && !isHarmless(text) && !isConstantLike(text);
}

/** The looser the tie, the clearer the value must be a credential and not the next word or argument. */
function fitsTie(value: string, tie: Tie | undefined): boolean {
  if (tie === "option") return !isPlainCase(value);
  if (tie === "pair" || tie === "sentence") return hasDigit(value);
  if (tie === "call") return isTokenLike(value) || (hasDigit(value) && /[^\w\s./:-]/.test(value));
  return true;
}

function bearsOut(
  value: string,
  claim: Claim,
  tie: Tie | undefined,
  isLiteral: boolean,
  isQuoted: boolean,
): boolean {
  if (claim === "maybe") return isSurelyToken(value);
  if (claim === "likely") return isSurelyToken(value) || (isHex(value) && value.length >= 32);
  if (claim === "token" || claim === "api_key")
    return isTokenLike(value) && (tie !== "sentence" || value.length >= 16);
  if (/\s/.test(value)) return isPassphrase(value, claim === "passphrase");
  if (tie !== "sentence") return isPasswordLike(value, isLiteral, isQuoted);
  return hasLetter(value) && value.length >= 6 && (claim !== "secret" || isTokenLike(value));
}
