import { hasBothCases, hasDigit, hasLetter, isHex, isPlainCase, isUuid } from "./appearance.ts";
import type { Claim, ClaimKind } from "./assignment-names.ts";
import * as features from "./features.ts";
import { memoize } from "./memoize.ts";
import { isNeverNamed, isRefused } from "./never.ts";
import { isWordPassphrase } from "./passphrases.ts";
import { isPlaceholder, isStandIn } from "./placeholders.ts";
import { type Accept, anyOf } from "./rule.ts";
import type { Value } from "./values.ts";

/**
 * The relation between a name and its value: as text, in an element, as an option, as two strings… Undefined for a
 * plain `=` or `:`, as in code.
 */
export type Link =
  | "literal"
  | "element"
  | "option"
  | "pair"
  | "compared"
  | "call"
  | "sentence"
  | "line"
  | "cell"
  | "near";

export interface Named {
  readonly claim: Claim;
  readonly link: Link | undefined;
  readonly isConstant: boolean;
  /** Only a value can follow the name, as in an environment file. */
  readonly isEnvironment: boolean;
  /** The name and the value are text, not code. */
  readonly isText?: () => boolean;
}

/** A value with what is known about its name and its place. */
export interface Judged extends Named {
  readonly text: string;
  readonly isQuoted: boolean;
  /** The value is text, not code: it is quoted, or only text can be in its place. */
  readonly isLiteral: boolean;
}

/** One reason to believe that a value is a credential. */
export interface Evidence {
  readonly evidence: string;
  readonly holds: (judged: Judged) => boolean;
}

const isMixedUp: Accept = (value) => features.isScrambled(value, 14);
/** The value cannot be the next word or words of a text. */
const isNoPlainText = memoize(
  anyOf(
    hasDigit,
    features.isUnusualWord,
    features.isDiceware,
    features.isJoinedPhrase,
    isMixedUp,
    isWordPassphrase,
  ),
);
const isNoArgumentOfPair = anyOf(isNoPlainText, features.isAppPassword, features.isWordPair);
const isNoArgument = anyOf(features.isTokenLike, features.isMadeUp, features.isCode, isMixedUp, (value) =>
  /^\d{8,}$/.test(value),
);

/**
 * The weaker the relation between name and value, the stronger the evidence that the value itself must give: it
 * could be just the next word or argument.
 */
const demands: Readonly<Partial<Record<Link, Accept>>> = {
  option: (value) =>
    (!isPlainCase(value) || features.isDiceware(value) || features.isJoinedPhrase(value)) &&
    !features.isField(value),
  pair: isNoArgumentOfPair,
  compared: isNoArgumentOfPair,
  sentence: anyOf(isNoPlainText, features.isAppPassword),
  line: isNoPlainText,
  cell: isNoArgumentOfPair,
  near: features.isStrong,
  call: isNoArgument,
};

const literalTies: ReadonlySet<Link | undefined> = new Set(["literal", "element", "option", "cell"]);
const looseTies: ReadonlySet<Link | undefined> = new Set(["sentence", "line", "near"]);
const isBare = (link: Link | undefined) => link !== "sentence" && link !== "line";
/** A time: seconds or milliseconds since 1970, or a date. */
const isTime = (digits: string) => /^(?:1[4-9]\d{8}(?:\d{3})?|(?:19|20)\d{6}(?:\d{6})?)$/.test(digits);
const isConstantPlace = ({ isConstant, isEnvironment }: Judged) => isConstant || isEnvironment;

/** `|nWMfpuc%1B0 $,3PjV+LX!…`: random text with signs and spaces, as WordPress makes it. */
const salt: Evidence = {
  evidence: "random signs",
  holds: ({ text, isQuoted }) =>
    isQuoted &&
    text.length >= 32 &&
    hasDigit(text) &&
    hasBothCases(text) &&
    /^(?:[^\w\s]*[\w\s]+[^\w\s]){5}/.test(text) &&
    !/[a-z]{8}/.test(text),
};

/** A name that ends in "key", "auth", "session": the value must look like a key. */
// biome-ignore format: one row a line
const ofKeys: readonly Evidence[] = [
  salt,
  { evidence: "random token", holds: ({ text }) => features.isSurelyToken(text) },
  { evidence: "long hex", holds: ({ text, claim, isEnvironment }) => claim.certainty === "likely" && isHex(text) &&
    hasDigit(text) &&
    text.length >= (isEnvironment ? 30 : 32) },
];

/** A name such as "creds" or "access code": a key, or a password where text is expected. */
// biome-ignore format: one row a line
const ofCredentials: readonly Evidence[] = [
  { evidence: "password of a credential", holds: ({ text, link, isQuoted, isEnvironment }) => (isQuoted ||
    link === "cell" || isEnvironment) &&
    !/\s/.test(text) && !isUuid(text) && (features.isMadeUp(text) || (text.length >= 10 && hasDigit(text) &&
      hasBothCases(text))) },
];

/** A token or an API key is generated; a person may have chosen a plainer one. */
// biome-ignore format: one row a line
const ofTokens: readonly Evidence[] = [
  salt,
  { evidence: "token", holds: (judged) => features.isTokenLike(judged.text) || (isConstantPlace(judged) &&
    /^(?=\D{0,40}\d)(?=\d{0,40}[a-f])[\da-f]{12,}$/.test(judged.text)) ||
    (judged.isQuoted && (/\d{3}$/.test(judged.text) ? features.isDiceware(judged.text) : judged.text.length >= 14 &&
      features.isCode(judged.text))) },
];

/** `"password": "Contraseña"` is a label in another language, `"Forgot?"` a label. */
const isLabel = ({ text, isQuoted }: Pick<Value, "text" | "isQuoted">) =>
  (/^\p{L}+$/u.test(text) && !/^[A-Za-z]+$/.test(text)) ||
  (isQuoted && /^[A-Z][a-z]+[?!:…]$/.test(text) && !features.isWordPair(text));
const isWord = (judged: Judged) =>
  isBare(judged.link) &&
  !hasDigit(judged.text) &&
  judged.text.length >= 5 &&
  !features.hasCredentialWord(judged.text);
const isOddWord = anyOf(features.isDiceware, features.isUnusualWord, features.isScrambled);
const isLiteralWord = (judged: Judged) =>
  isWord(judged) && (judged.isLiteral || judged.isConstant) && !isLabel(judged);

/** A password may be any text, except words of code where code is expected and words of a sentence in a sentence. */
// biome-ignore format: one row a line
const ofPasswords: readonly Evidence[] = [
  { evidence: "letters and digits", holds: ({ text, link }) => isBare(link) && !/\s/.test(text) &&
    text.length >= 5 && hasDigit(text) && hasLetter(text) },
  { evidence: "passphrase", holds: ({ text, claim, isConstant, isLiteral }) => /\s/.test(text) &&
    features.isPassphrase(text, claim.kind === "passphrase" ||
    (isConstant && isLiteral)) },
  { evidence: "number", holds: ({ text, link, isLiteral, isConstant }) => isBare(link) && /^\d+$/.test(text) &&
    text.length >= (isLiteral || isConstant ? 6 :
    9) && !isTime(text) },
  { evidence: "words in quotes", holds: ({ text, isLiteral }) => isLiteral && isWordPassphrase(text) },
  { evidence: "words with joints", holds: (judged) => isWord(judged) && isOddWord(judged.text) },
  { evidence: "word with a sign", holds: (judged) => isLiteralWord(judged) &&
    /^\S*[^\w.\s-]\S*$/.test(judged.text) && hasLetter(judged.text) &&
    judged.text.length >= 6 },
  { evidence: "small letters", holds: (judged) => isLiteralWord(judged) && /^[a-z]+$/.test(judged.text) &&
    (!judged.isQuoted || judged.text.length >= 6) &&
    !isRefused(judged) },
  { evidence: "words run together", holds: (judged) => isLiteralWord(judged) && features.isWordPair(judged.text) },
  { evidence: "password in a sentence", holds: ({ text, link, claim }) => !isBare(link) && !/\s/.test(text) &&
    hasLetter(text) && text.length >= 6 &&
    (claim.kind !== "secret" || features.isTokenLike(text) || features.looksChosen(text)) },
];

export const evidence: Readonly<Record<ClaimKind, readonly Evidence[]>> = {
  password: ofPasswords,
  passphrase: ofPasswords,
  secret: ofPasswords,
  token: ofTokens,
  api_key: ofTokens,
  credential: ofCredentials,
  key: ofKeys,
  pin: [],
};

/** A shorter value is never a credential. This check alone rejects most values. */
const lengthMin: Readonly<Partial<Record<ClaimKind, number>>> = {
  credential: 6,
  token: 8,
  api_key: 8,
  key: 8,
};

/** The value is something other than a credential. In a place for passwords, a bad password is a password. */
const isNotCredential = (value: string, isPlace: boolean) =>
  isNeverNamed(value) || (isPlace ? isStandIn(value) : isPlaceholder(value));

/** In an environment file any text counts, except short numbers and names of types, classes, credentials. */
const isEnvironmentValue = (value: string) =>
  (!/^(?:[A-Z][a-z]+)+$/.test(value) || features.isJoinedPhrase(value) || features.isWordPair(value)) &&
  (hasLetter(value) || value.length >= 6) &&
  !features.hasCredentialWord(value);

/** The text after `Cookie:` in `Cookie: session=…` has its own name and value. */
const hasOwnName = ({ text, claim }: Judged) =>
  claim.certainty !== "sure" && /^[A-Za-z_.-]{2,}=[^=]/.test(text);

/** Inspects only the first characters: they show what a long value looks like. */
const judgedLengthMax = 256;

function looksLikeCredential(value: Value, named: Named): boolean {
  const { claim, link } = named;
  const text = value.text.slice(0, judgedLengthMax);
  const isLiteral = value.isQuoted || literalTies.has(link);
  const isOfPassword = evidence[claim.kind] === ofPasswords;
  if (isOfPassword && named.isEnvironment && link !== "line" && !/\s/.test(text))
    return (
      isEnvironmentValue(text) &&
      !isLabel({ text, isQuoted: value.isQuoted }) &&
      (isLiteral || !features.isCallOrPath(text)) &&
      !isNotCredential(text, true)
    );
  if (link !== undefined && demands[link]?.(text) === false) return false;
  const judged = { ...named, text, isLiteral, isQuoted: value.isQuoted };
  if (hasOwnName(judged) || !evidence[claim.kind].some(({ holds }) => holds(judged))) return false;
  const isPlace =
    isOfPassword &&
    (link === undefined || link === "line" || literalTies.has(link) || (link === "pair" && value.isQuoted));
  return (isLiteral || !features.isExpression(text, named.isText?.())) && !isNotCredential(text, isPlace);
}

/** `4471`, `732 259`: no row of digits, no year and no date. */
export const isPin = (digits: string): boolean =>
  /^\d{4,12}$|^\d{3}[ -]\d{3}$/.test(digits) &&
  !/^(?:0?1234|(\d)\1+$|(?:19|20)\d\d$)/.test(digits) &&
  !isTime(digits);

const isOtherCredential = (value: Value, named: Named): boolean =>
  value.text.length >=
    (named.claim.certainty === "likely" && named.claim.kind === "key"
      ? 16
      : (lengthMin[named.claim.kind] ?? 4)) &&
  (named.link !== "element" || value.isClosed) &&
  looksLikeCredential(value, named) &&
  (!features.isKeyId(value.text) || (named.claim.certainty === "sure" && !looseTies.has(named.link))) &&
  (!features.isPublicValue(value.text) ||
    (named.claim.kind === "password" && /^\d+$/.test(value.text)) ||
    isNamedSecret(value.text, named.claim));
export const isCredential = (value: Value, named: Named): boolean =>
  named.claim.kind === "pin"
    ? ((named.link === "line" || !looseTies.has(named.link)) && isPin(value.text)) ||
      (named.link === "cell" && /^\d{4}$/.test(value.text))
    : isOtherCredential(value, named);
/** `CLICKUP_TOKEN=pk_…`: a sure name is stronger than a prefix that only some vendors give their public keys. */
const isNamedSecret = (value: string, { kind, certainty }: Claim) =>
  certainty === "sure" && kind !== "api_key" && /^pk_(?!live_|test_)/.test(value);
