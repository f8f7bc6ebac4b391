import {
  hasBothCases,
  hasDigit,
  hasLetter,
  isGibberish,
  isHex,
  isPlainCase,
  isRandom,
  isUuid,
  looksRandom,
  looksVeryRandom,
} from "./appearance.ts";
import { type Claim, isCredentialWord } from "./assignment-names.ts";
import { isPublicDer } from "./decoded.ts";
import { memoize } from "./memoize.ts";
import { areDrawn, areNoNames, isNamingWord, isWordPassphrase } from "./passphrases.ts";
import { isPlaceholder, isStandIn } from "./placeholders.ts";
import type { Accept } from "./rule.ts";
import type { Value } from "./values.ts";

/** Types and algorithms (`uint8`, `RS256`), versions, numbers with a unit, dates, addresses, paths. */
export const isHarmless = (value: string) =>
  // A sentence in a script without spaces.
  /[\u3040-\u30ff\u4e00-\u9fff]{2}/.test(value) ||
  /^(?:u?int|float|sha|aes|rs|hs|es|ps|utf|base|argon|md)-?\d+[a-z]*$/i.test(value) ||
  /^v?\d{1,5}(?:\.\d+)*[a-z%]{0,2}$/i.test(value) ||
  /^\d{4}-\d\d-\d\d(?:[T ].*)?$/.test(value) ||
  /^\d+(?:[a-z]{2,3}|sec\w*|min\w*|hours?|days?|weeks?|months?|years?|bytes?|times?|bits?|chars?|characters?|digits?|letters?|words?)$/.test(
    value,
  ) ||
  // An address, or a program and its version.
  /^(?:https?|arn|file|s3|gs):|^[a-z-]+\/\d+(?:\.\d+)+$/i.test(value) ||
  /^[a-z][\w.-]*@(?:[\w-]+\.)+[a-z\d-]+$/i.test(value) ||
  (/^[./~][\w./-]*$/.test(value) && !(value.length >= 20 && looksVeryRandom(value)));

/** `MYSQL_NATIVE_PASSWORD`: the name of a constant. */
export const isConstantLike = (value: string) =>
  /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(value) && !looksRandom(value);

/** `OYoxUvIijrH`: at least three capitals that neither begin a word nor form an abbreviation. */
const hasLooseCapitals = (value: string) =>
  value.length >= 8 &&
  /^[A-Za-z]+$/.test(value) &&
  (value.match(/[A-Z](?![a-z]{2})/g)?.length ?? 0) >= 3 &&
  !/[A-Z]{3}/.test(value);

const isIdentifier = (value: string) => /^[A-Za-z_$][\w$]*$/.test(value);

/** `Maple[4964]lantern`, `JWxHRnwda08(=bXL`: the brackets are not a call or an index. */
const isNoCode = (value: string, path: string) =>
  /^\w+(?:\[\d+\]|\(\d+\))\w/.test(value) || (path.length >= 8 && hasDigit(path) && looksVeryRandom(path));

/**
 * `Rwb9[D8t](Fu3)S3i`, `(Hl21Q)L5ThV`, `{3Jynr!4xROS`: a letter or digit follows a closing bracket, or a bracket
 * is open until the end. Code has neither, except a cast: `(String)value`.
 */
const hasLooseBracket = (value: string, isText: boolean) =>
  hasDigit(value) &&
  (/^[({[][^\s(){}[\]:,]{6,}$/.test(value)
    ? /[!#$%^&*+~@]/.test(value) || isScrambled(value.slice(1), 8)
    : value.length <= 64 &&
      /^[^)\]}]*[({[].*[)\]}][A-Za-z0-9]/.test(value) &&
      (isText || isScrambled(value.replace(/\W/g, ""), 8)));

/** Code that computes a value: calls, subscripts, member paths. Other checks judge plain identifiers. */
export function isExpression(whole: string, isText = false): boolean {
  if (hasLooseBracket(whole, isText) || (isText && isDiceware(whole))) return false;
  const assigned = whole.indexOf("=");
  const value = assigned > 0 ? whole.slice(0, assigned) : whole;
  const opened = value.search(/[([{]/);
  const path = opened === -1 ? value : value.slice(0, opened);
  const parts = path.split(/\?\.|\.|->|::/);
  if (opened > 0 && parts.every((part) => isIdentifier(part.replace(/^[!&*@-]+/, ""))))
    return !isNoCode(value, path);
  if (opened === 0) return !/^\{[\w!#$%^&*+~@-]{6,}\}(?:[a-z]+\d{3,})?$/.test(whole);
  if (parts.length < 2 || !parts.every(isIdentifier)) return false;
  if (/\d$/.test(value) && (isDiceware(value) || (/\d{3}$/.test(value) && isDecoratedWord(value))))
    return false;
  return !parts.some(
    (part) =>
      (hasDigit(part) && looksRandom(part)) ||
      isUnpronounceable(part) ||
      hasLooseCapitals(part) ||
      isScrambled(part),
  );
}

/** `my-db-password`: a name, because it has only letters and separators and a word for a credential. */
export const hasCredentialWord = (value: string) =>
  /^[A-Za-z_.\- ]+$/.test(value) &&
  value
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .split(/[^A-Za-z]/)
    .some((word) => /pass(?:word|wd|wort|phrase)|secret|token|credential|^(?:api)?keys?$/i.test(word));

/** An app password of Google: four groups of four small letters. */
export const isAppPassword = (value: string): boolean => /^[a-z]{4}(?:[ -][a-z]{4}){3}$/.test(value);

export const sentenceWords =
  /\b(?:password|passwort|token|secret|please|enter|must|your|is|are|was|least|required|invalid|too|and|or|not|should|cannot|will|has|have|been|forgot|wrong|incorrect|does|match|for|with|be|min|max|minimum|maximum|characters?|chars|digits|letters|symbols|days|bytes|bits|every|zeichen|stellen|caractères|caracteres|caratteri|znaków)\b/i;

/** Several words, one of them a number or sign, or a name that announces a passphrase. */
const isPassphrase = (value: string, isPromised: boolean) =>
  isAppPassword(value) ||
  (value.length >= 10 &&
    value.split(/\s+/).length <= 12 &&
    (isPromised || hasDigit(value) || /[!@#$%^&*+~]/.test(value)) &&
    !/[()[\]<>]/.test(value) &&
    // "Hazel and magnet 44?": with a number and a sign, a word such as "and" does not make a sentence.
    !sentenceWords.test(
      /\d.*[!?#$%&*]/.test(value) ? value.replace(/\b(?:and|or|for|with|not)\b/g, "") : value,
    ));

/** `unicorn-carbon-barrel`, `Unicorn.Carbon.Barrel!`: words drawn at random. */
export const isDiceware: Accept = memoize((value) => {
  if (!/[-_.]/.test(value)) return false;
  const small = value.replace(/(?<![A-Za-z])[A-Z](?=[a-z]{3})/g, (first) => first.toLowerCase());
  return (
    /^[a-z]{3,10}(?:([-_.])[a-z]{3,10})(?:\1[a-z]{3,10}){1,6}(?:\1?\d{1,4})?[!?]?$/.test(small) &&
    areDrawn(small.split(/[-_.\d!?]+/)) &&
    (small === value || areNoNames(value))
  );
});

/** `UnicornCarbonBarrel`: the same, where no class or type can stand. */
export const isJoinedPhrase = (value: string): boolean =>
  /^[A-Z][a-z]{3,9}(?:[A-Z][a-z]{3,9}){2,6}\d{0,4}[!?]?$/.test(value) && areNoNames(value);

/** `Melody2006`, `BenchFlavor15`, `p34nut239`: a word that a person turned into a password. */
export const isDecoratedWord = (value: string): boolean =>
  value.length >= 8 &&
  value.length <= 40 &&
  (/^[a-z]*(?:[A-Z][a-z]+){1,3}\d{2,}[!?.]?$/.test(value) ||
    /^[a-z]*(?:[a-z]\d+[a-z]|\d[a-z]+\d)[a-z0-9]*\d{2,}$/.test(value) ||
    (/\d\d[!?$#*%&+]{0,2}$/.test(value) &&
      /^[A-Za-z0-9]*[A-Za-z]\d[a-z][A-Za-z0-9]*\d\d\W{0,2}$/.test(value)) ||
    /^[a-z]{3,}(?:[-_][a-z]{3,})+[-_]?\d{3,}$/.test(value) ||
    /^[A-Z][a-z]{2,}(?:[-_.][A-Z][a-z]{2,})+[-_.]?\d{2,}[!?]?$/.test(value));

/** `falcon4821`, `falcon4821!`: a word and a number that are not the name of a thing. */
export const isNumberedWord = (value: string): boolean =>
  /^[A-Za-z]{4,20}[-_.]?\d{2,6}[!?$#*%&+]{0,2}$/.test(value) &&
  !isNamingWord(/^[a-z]+/i.exec(value)?.[0].toLowerCase() ?? "");

/** `SP6hRy+QRu42/RJW`: a random value with slashes or colons, not an address or a path. */
export const isSlashed = (value: string): boolean =>
  /^[A-Za-z\d][\w+/:=]+$/.test(value) && hasDigit(value) && hasBothCases(value) && looksRandom(value);

/** A password of any form that a person made up. */
export const isMadeUp = (value: string): boolean => looksChosen(value) || isNumberedWord(value);

/** `3oea5ee9dyl`: digits between letters, as in no ordinary word. */
export const isCode = (value: string): boolean =>
  value.length >= 8 &&
  value.length <= 40 &&
  /^[A-Za-z0-9]+$/.test(value) &&
  !isHex(value) &&
  (/[a-z]\d+[a-z]+\d|\d[a-z]+\d+[a-z]/i.test(value) || /^\d+[a-z]+\d[a-z\d]*$/i.test(value));

const products =
  /^(?:K8s|S3|EC2|Auth0|Log4j|IPv\d|PKCS|Python|Java|Node|Windows|Ubuntu|Postgres|MySQL|Spring|Rails|Angular|Vue|React|Sha|Next|Web|Http|Md|Utf|Ssh|Php|Go|Rust|Swift|Kotlin|Type|Django|Laravel|Oracle|Redis|Mongo|Neo4j|Office|Sprint|Step|Chapter|Section|Phase|Part|Level|Version|Release|Area|Room)/i;
/** `Kq7-vTz92`, `Tr4vel-Mug`: capitals, small letters and digits, and no product or version. */
export const isMixedWord = (value: string): boolean =>
  value.length >= 6 &&
  value.length <= 40 &&
  hasDigit(value) &&
  hasBothCases(value) &&
  /^[\w!@#$%^&*+=?~.-]+$/.test(value) &&
  !/^[A-Z]?[a-z]+-?\d{1,2}$|^[A-Z]+-\d+|^\d+[A-Za-z]|[A-Z][a-z]+\d?(?:\.[a-z]|\(|::)/.test(value) &&
  !products.test(value);

/** `XNrcylzmkb`: five consonants in a row, and no known abbreviation. */
const isUnpronounceable = (value: string) =>
  /^[A-Za-z]{8,24}$/.test(value) &&
  hasBothCases(value) &&
  /[b-df-hj-np-tv-z]{5}/i.test(value) &&
  !/http|xml|ssl|tls|str|ctx|cfg|pwd|sql|html|css|jwt|rpc|ssh|dns|txt|key/i.test(value);

function isPasswordLike(value: string, isLiteral: boolean, isQuoted: boolean): boolean {
  if (hasDigit(value))
    return hasLetter(value) ? value.length >= 5 : value.length >= (isLiteral ? 6 : 9) && !isTime(value);
  if (value.length < 5 || hasCredentialWord(value)) return false;
  if (isDiceware(value) || (isLiteral && isJoinedPhrase(value))) return true;
  if (!isLiteral)
    return (
      looksRandom(value) ||
      isUnusualWord(value) ||
      isUnpronounceable(value) ||
      isScrambled(value) ||
      isGibberish(value)
    );
  // `"password": "Contraseña"`: a word of another language.
  if (/^\p{L}+$/u.test(value) && !/^[A-Za-z]+$/.test(value)) return false;
  // `"forgotPassword": "Forgot?"`: a label.
  if (isQuoted && /^[A-Z][a-z]+[?!:…]$/.test(value)) return false;
  if (/[^A-Za-z_.-]/.test(value)) return hasLetter(value) && value.length >= 6;
  if (/^[a-z]+$/.test(value)) return !isQuoted || value.length >= 6;
  if (/^[A-Za-z]+(?:[-_.][A-Za-z]+){2,}$/.test(value) && value.length >= 12) return true;
  if (isQuoted && value.length >= 8 && hasBothCases(value) && !isPlainCase(value) && /[a-z][A-Z]/.test(value))
    return true;
  return /^[A-Za-z]+$/.test(value) && hasBothCases(value) && !isPlainCase(value);
}

/** A value that a person chose, in a place where a generated token is expected. */
const isChosen = (value: string) =>
  value.length >= 8 &&
  !/\s/.test(value) &&
  hasDigit(value) &&
  hasLetter(value) &&
  (/^[<({[]?[\w\u00c0-\u052f!#$%^&*?+~@=.-]*[A-Za-z0-9][!#$%^&*?+~@=][\w\u00c0-\u052f!#$%^&*?+~@=.-]*$/.test(
    value,
  ) ||
    isDecoratedWord(value));

/** In an environment file any text counts, except short numbers and names of types, classes, credentials. */
const isEnvironmentValue = (value: string) =>
  (!/^(?:[A-Z][a-z]+)+$/.test(value) || isJoinedPhrase(value)) &&
  (hasLetter(value) || value.length >= 6) &&
  !hasCredentialWord(value);

/** `ABCD1-EFGH2-IJKL3`: a licence key. */
const isGrouped = (value: string) => hasDigit(value) && /^[A-Z0-9]{4,8}(?:-[A-Z0-9]{4,8})+$/.test(value);

/** `abcdefghijklmnop1234`: a token that a person made up. */
const isLongCode = (value: string) =>
  value.length >= (isHex(value) ? 16 : 15) && hasDigit(value) && /^(?:[a-z0-9]+|[A-Z0-9]+)$/.test(value);

/** `HheTenPv6lqTlebo`: the parts that begin with its capitals are too short to be words. */
export const isScrambled = (value: string, lengthMin = 20, partLengthMax = 3.6): boolean =>
  value.length >= lengthMin &&
  /^[A-Za-z0-9]+$/.test(value) &&
  hasBothCases(value) &&
  (value.match(/[A-Z][a-z]*|[a-z]+/g)?.length ?? 0) * partLengthMax > value.replace(/\d/g, "").length;

/** `moqVdOzH5x`: short, but with digits and shorter parts. */
const isMixed = (value: string) =>
  hasDigit(value) && isScrambled(value, 8, 3) && !/OAuth|GitHub|GitLab|2FA|JWT|HTTP/.test(value);

/** `1602bcf0`, `YO87HWJ50S`: too short for a token, except where a token is expected. */
const isShortCode = (value: string) =>
  value.length >= 8 &&
  /^(?:[0-9a-f]+|[A-Z\d]+)$/.test(value) &&
  /\d.*\d/.test(value) &&
  /[a-z].*[a-z]/i.test(value)
    ? !/^[A-Z]+\d+$/.test(value)
    : isCode(value);

/** Text with whitespace is never a token; hex needs 16 characters, other text needs 12. */
export function isTokenLike(value: string): boolean {
  if (/\s/.test(value)) return false;
  if (isHex(value) || isUuid(value)) return value.length >= 16 && hasDigit(value);
  return (
    value.length >= 12 && (looksRandom(value) || isGrouped(value) || isLongCode(value) || isScrambled(value))
  );
}

/** The part of a vendor's key after the prefix. */
const isBody = (value: string) => isLongCode(value) || isDense(value) || isUnpronounceable(value);

/** One long run with a digit, and with capitals where no word begins. */
const isDense = (value: string) =>
  value.length >= 20 &&
  /^[\w+/=-]+$/.test(value) &&
  hasDigit(value) &&
  hasBothCases(value) &&
  !isPlainCase(value.replace(/\d/g, ""));

const isSurelyToken = (value: string) =>
  value.length >= 16 &&
  /^[\w+/=.:~%-]+$/.test(value) &&
  !isHex(value) &&
  !isUuid(value) &&
  isTokenLike(value) &&
  isRandom(0.45, value);

/**
 * The relation between a name and its value: as text, in an element, as an option, as two strings… Undefined
 * for a plain `=` or `:`, as in code.
 */
export type Tie =
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

/** Inspects only the first characters: they show what a long value looks like. */
const judgedLengthMax = 256;

export interface Named {
  readonly claim: Claim;
  readonly tie: Tie | undefined;
  readonly isConstant: boolean;
  /** Only a value can follow the name, as in an environment file. */
  readonly isEnvironment: boolean;
  /** The name and the value are text, not code. */
  readonly isText?: () => boolean;
}

const literalTies: ReadonlySet<Tie | undefined> = new Set(["literal", "element", "option", "cell"]);

/** Publishable keys, and ids that name an account or a message. */
export const isPublicValue = (value: string): boolean =>
  isPublicDer(value) ||
  /^(?:(?:sha\d+|md5|blake2\w)[:-]|AAAA[A-Z]3NzaC|AAAAE2VjZHNh|age1|npub1|bc1[ac-hj-np-z02-9]{25,}$|did:|0x[0-9a-fA-F]{40}$|pk[._]|pub[0-9a-f]{32}$|sb_publishable_|phc_|[A-Z]{2}[0-9a-f]{32}$|A[XYZ][\w-]{18}$|G-[A-Z0-9]{8,12}$)/.test(
    value,
  );

/** The id or the fingerprint of a PGP key, unless the name before it says that it is something else. */
export const isKeyId = (value: string): boolean => /^(?:(?:0x)?[0-9A-F]{16}|[0-9A-F]{40})$/.test(value);
const sureClaims: ReadonlySet<Claim> = new Set(["password", "secret", "token", "api_key"]);
const looseTies: ReadonlySet<Tie | undefined> = new Set(["sentence", "line", "near"]);

/** `[^&]+`, `\\s*`: part of a regular expression. */
export const isPattern = (value: string): boolean =>
  /\[\^|\\[sdwSDWbB\d]|\.[*+](?![\w*+])|\(\?[:=!<]|[)\]][*+?]|\*\*|\{\d+,\d*\}/.test(value);

/** `HmacSHA256`, `RS256`, `aes-256-gcm`: the name of an algorithm. */
export const isAlgorithm = (value: string): boolean =>
  /^(?:hmac|sha|md|aes|des|rsa|dsa|ecdsa|hs|rs|es|ps|pbkdf|bcrypt|scrypt|argon|blake|chacha|blowfish)(?:[-_/]?(?:with|sha|hmac|cbc|gcm|ctr|ecb|poly|rsa|ecdsa|and|md|id|[ids]|pkcs|nopadding|padding|\d{1,4})){0,6}$/i.test(
    value,
  ) &&
  (hasDigit(value) || /crypt|argon|fish|hmac/i.test(value));

/** The value is something other than a credential. In a place for passwords, a bad password is a password. */
const isNotCredential = (value: string, isPlace: boolean) =>
  isHarmless(value) ||
  isConstantLike(value) ||
  isCredentialWord(value) ||
  isPattern(value) ||
  isAlgorithm(value) ||
  (isPlace ? isStandIn(value) : isPlaceholder(value));

/** A shorter value is never a credential. This check alone rejects most values. */
const lengthMin: Record<Claim, number> = {
  password: 4,
  passphrase: 4,
  secret: 4,
  credential: 6,
  token: 8,
  api_key: 8,
  maybe: 8,
  likely: 16,
};

export const isCredential = (value: Value, named: Named): boolean =>
  value.text.length >= lengthMin[named.claim] &&
  (named.tie !== "element" || value.isClosed) &&
  looksLikeCredential(value, named) &&
  (!isKeyId(value.text) || (sureClaims.has(named.claim) && !looseTies.has(named.tie))) &&
  (!isPublicValue(value.text) || (named.claim === "password" && /^\d+$/.test(value.text)));

function looksLikeCredential(value: Value, named: Named): boolean {
  const { claim, tie, isEnvironment } = named;
  const text = value.text.slice(0, judgedLengthMax);
  const isLiteral = value.isQuoted || literalTies.has(tie);
  const isPasswordClaim = claim === "password" || claim === "passphrase" || claim === "secret";
  if (isPasswordClaim && isEnvironment && tie !== "line" && !/\s/.test(text))
    return isEnvironmentValue(text) && (isLiteral || !isCallOrPath(text)) && !isNotCredential(text, true);
  if (!fitsTie(text, tie) || !supportsClaim(text, named, isLiteral, value.isQuoted)) return false;
  const isPlace = isPasswordClaim && (tie === undefined || literalTies.has(tie));
  return (isLiteral || !isExpression(text, named.isText?.())) && !isNotCredential(text, isPlace);
}

/** `os.environ`, `getenv(`: code, even as the value of a constant. */
export const isCallOrPath = (value: string) =>
  /^(?:\w+[.:]|(?:env|getenv|os|process|config|settings|secrets?|vars?|params?|get|read|load|fetch|lookup|require|new|await|str|bytes|open)\w*[([])/i.test(
    value,
  ) && /[([]/.test(value)
    ? isExpression(value, true)
    : /^[a-z]\w*(?:\.[a-z_]\w*)+$/i.test(value) && isExpression(value, true);

/** The value cannot be the next word or words of a text. */
const isNoPlainText: Accept = memoize(
  (value) =>
    hasDigit(value) ||
    isUnusualWord(value) ||
    isDiceware(value) ||
    isJoinedPhrase(value) ||
    isScrambled(value, 14) ||
    isGibberish(value) ||
    isWordPassphrase(value),
);

/** `retries=3`, `maxAge=60`: text with its own name and value. In `nv5=xqeY=c`, no name is before the sign. */
export const isField = (value: string): boolean =>
  /^(?:[a-z]{2,}(?:[A-Z_.-][a-z\d]+)*|[A-Z]{2,}[A-Z_\d]*|(?:[A-Z][a-z]+)+)=[^=]|^[\w.-]+=(?:0x[\da-f]+|\d{1,6}|[a-z]+)(?![^\s,;:)])/.test(
    value,
  );
/**
 * The weaker the relation between name and value, the stronger the evidence that the value itself must give:
 * it could be just the next word or argument.
 */
function fitsTie(value: string, tie: Tie | undefined): boolean {
  if (tie === "option")
    return (!isPlainCase(value) || isDiceware(value) || isJoinedPhrase(value)) && !isField(value);
  if (tie === "pair" || tie === "compared" || tie === "sentence")
    return isNoPlainText(value) || isAppPassword(value);
  if (tie === "line" && isField(value)) return false;
  if (tie === "cell" || tie === "line") return isNoPlainText(value) || isTokenLike(value);
  if (tie === "near") return isStrong(value);
  if (tie === "call")
    return (
      isTokenLike(value) ||
      isScrambled(value, 14) ||
      isDecoratedWord(value) ||
      isNumberedWord(value) ||
      isDiceware(value) ||
      isCode(value) ||
      isGibberish(value) ||
      isMixed(value) ||
      /^\d{8,}$/.test(value) ||
      (hasDigit(value) && /[^\w\s./:-]/.test(value))
    );
  return true;
}

/** A password that a person chose. Words of a sentence or of code do not look like this. */
export const looksChosen = (value: string): boolean =>
  isStrong(value) || isDiceware(value) || isDecoratedWord(value) || isUnusualWord(value);

/** `hORse$taple`: not a word of a sentence. */
export const isUnusualWord: Accept = memoize(
  (value) =>
    isGibberish(value, value.length < 10 ? 0.5 : 0.4) ||
    (value.length >= 6 &&
      /[A-Za-z][!#$%^&*+=~@]+[A-Za-z]/.test(value) &&
      !/[()<>]|@[\w-]+\.|=$/.test(value)) ||
    (value.length >= 8 &&
      /[!#$%^&*+~@?].*[!#$%^&*+~@?]/.test(value) &&
      /[A-Za-z].*[A-Za-z].*[A-Za-z].*[A-Za-z]/.test(value) &&
      /^[\w!#$%^&*+~@?.=-]+$/.test(value)) ||
    (value.length >= 18 && /^[A-Za-z]{6}(?:-[A-Za-z0-9]{6}){2}$/.test(value) && hasBothCases(value)) ||
    // `PostgreSQL` is the name of a product.
    (/^[A-Za-z]+$/.test(value) &&
      hasBothCases(value) &&
      looksRandom(value) &&
      !/[a-z](?:S?QL|API|DB|JS|OS)$/.test(value)),
);

const isRandomToken = (value: string) =>
  isHex(value) || isUuid(value)
    ? value.length >= 16 && hasDigit(value) && /[a-f]/i.test(value)
    : value.length >= 12 &&
      (isGrouped(value) || (looksRandom(value) && (hasDigit(value) || value.length >= 20)));

/** Only a credential looks like this. */
export const isStrong: Accept = memoize(
  (value) =>
    (isRandomToken(value) && /^[\w+/=.:~%-]+$/.test(value) && !value.includes("://")) ||
    (value.length >= 8 &&
      hasDigit(value) &&
      hasLetter(value) &&
      /^[\w!@#$%^&*+=?~.-]+$/.test(value) &&
      /[A-Za-z0-9][!#$%^&*?+~@=]+[A-Za-z0-9]/.test(value) &&
      !/@[\w.-]+\.\w|^[?&]/.test(value)),
);

/** `d3f3ns3&island`, `Kneehq!37`: a word, a sign and a digit. */
const isOddPassword = (value: string) =>
  value.length >= 8 &&
  hasDigit(value) &&
  /^[A-Za-z\d]+[!&%^?+~][A-Za-z\d]+$/.test(value) &&
  !/%[0-9a-f]{2}/i.test(value);

/** A time: seconds or milliseconds since 1970, or a date. */
const isTime = (digits: string) => /^(?:1[4-9]\d{8}(?:\d{3})?|(?:19|20)\d{6}(?:\d{6})?)$/.test(digits);

/** Design tokens, queues and other things that have a number: `color-primary-dark-50`, `orders-created-01`. */
const numberedThings =
  /colou?r|font|spac|gr[ae]y|blue|green|primary|border|order|creat|queue|topic|customer|device|worker|cluster/;

/** In a place where a token is expected, a shorter or plainer value counts too. */
const isIssued = (value: string) =>
  isGibberish(value) ||
  isMixed(value) ||
  (/\d\d$/.test(value) &&
    !numberedThings.test(value) &&
    (isDiceware(value) ||
      (/[A-Za-z]\d{4,}$/.test(value) && isNumberedWord(value) && !/(?:19|20)\d\d$/.test(value)))) ||
  (value.length >= 10 &&
    hasDigit(value) &&
    hasBothCases(value) &&
    !/[\s\\]|:\/\/|\$\{|\{\{|^[\w.-]+=[^=]/.test(value) &&
    (hasLooseBracket(value, true) || (/[A-Za-z0-9][|;,<>][A-Za-z0-9]/.test(value) && looksRandom(value))));

function supportsClaim(value: string, named: Named, isLiteral: boolean, isQuoted: boolean): boolean {
  const { claim, tie, isConstant } = named;
  // The text after `Cookie:` in `Cookie: session=…` has its own name and value.
  if ((claim === "maybe" || claim === "likely" || claim === "credential") && /^[\w.-]+=[^=]/.test(value))
    return false;
  if (claim === "maybe") return isSurelyToken(value) || (isQuoted && isOddPassword(value));
  if (claim === "likely")
    return (
      isSurelyToken(value) ||
      (isHex(value) && value.length >= (named.isEnvironment ? 30 : 32)) ||
      /^[A-Z]{20}$/.test(value) ||
      ((isLiteral || named.isEnvironment) && isScrambled(value)) ||
      ((isConstant || named.isEnvironment) && (isUuid(value) || isLongCode(value) || isDense(value)))
    );
  if (claim === "credential")
    return (
      isSurelyToken(value) ||
      (isHex(value) && value.length >= 32) ||
      ((isQuoted || tie === "cell" || tie === "element" || named.isEnvironment) &&
        !/\s/.test(value) &&
        !isUuid(value) &&
        (looksChosen(value) ||
          isNumberedWord(value) ||
          (value.length >= 10 && hasDigit(value) && hasBothCases(value))))
    );
  if (claim === "token" || claim === "api_key")
    return isTokenLike(value) || (tie === "sentence" && (isStrong(value) || isDecoratedWord(value)))
      ? tie !== "sentence" || value.length >= 8
      : isDense(value) ||
          (tie !== "sentence" && ((tie !== "pair" && tie !== "compared") || isQuoted) && isChosen(value)) ||
          isBody(value.replace(/^[a-z]{2,10}[-_.]/, "")) ||
          ((named.isEnvironment || tie === "option") && (isShortCode(value) || isScrambled(value, 14))) ||
          (isQuoted && (isScrambled(value, 14) || (claim === "api_key" && isShortCode(value)))) ||
          ((isLiteral || named.isEnvironment || named.isText?.()) && isIssued(value)) ||
          // "Input tokens: 349338462632" is a count.
          ((named.isEnvironment || isConstant || tie === "element" || (isQuoted && tie !== "cell")) &&
            /^\d{10,40}$/.test(value) &&
            !isTime(value)) ||
          (tie === undefined && value.length >= 10 && isGibberish(value, 0.4));
  if (/\s/.test(value))
    return (
      isPassphrase(value, claim === "passphrase" || (isConstant && isLiteral)) ||
      (isLiteral && isWordPassphrase(value))
    );
  if (tie !== "sentence" && tie !== "line") return isPasswordLike(value, isLiteral || isConstant, isQuoted);
  if (!hasLetter(value)) return tie === "line" && /^\d{8,40}$/.test(value) && !isTime(value);
  if (value.length < 6) return false;
  return (
    claim !== "secret" ||
    (tie === "line" && isIssued(value)) ||
    isTokenLike(value) ||
    isUnusualWord(value) ||
    isDiceware(value) ||
    isDecoratedWord(value) ||
    isStrong(value)
  );
}
