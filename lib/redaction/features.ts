import { hasBothCases, hasDigit, hasLetter, isHex, isRandom, isUuid, looksRandom } from "./appearance.ts";
import { isPublicDer } from "./decoded.ts";
import { memoize } from "./memoize.ts";
import { areDrawn, areNoNames, areRunTogether, isNamingWord } from "./passphrases.ts";
import type { Accept } from "./rule.ts";
import { pattern } from "./words.ts";

/** `MYSQL_NATIVE_PASSWORD`: the name of a constant. */
export const isConstantLike = (value: string) =>
  /^\p{Lu}[\p{Lu}\d]*(?:_[\p{Lu}\d]+)+$/u.test(value) && !looksRandom(value);

const isIdentifier = (value: string) => /^[A-Za-z_$][\w$]*$/.test(value);

/** `getenv("TOKEN") ?: throw …` */
const isKeyword = (value: string) => /^(?:throw|raise|die|exit|return|await)$/.test(value);

/** `i6qiRCWW.j0`, `Om3YBBfgGh`: cases and digits change as in no identifier, and no part is long enough for a word. */
export const isGarbled: Accept = memoize((value) => {
  if (
    value.length < 8 ||
    value.length > 40 ||
    !/^[\w.-]+$/.test(value) ||
    /[a-z]{5}|^[a-z]{2,}\./.test(value)
  )
    return false;
  const changes = value.match(/[a-z][A-Z]|[A-Z]{2}[a-z]|\d[A-Za-z]/g)?.length ?? 0;
  return changes >= (value.includes(".") ? 2 : 3) + (hasDigit(value) ? 0 : 2);
});

/** Code that computes a value: calls, subscripts, member paths. Other checks judge plain identifiers. */
export function isExpression(whole: string, isText = false): boolean {
  if (isKeyword(whole)) return true;
  if ((isText && isDiceware(whole)) || isGarbled(whole)) return false;
  const assigned = whole.indexOf("=");
  const value = assigned > 0 ? whole.slice(0, assigned) : whole;
  const opened = value.search(/[([{]/);
  const path = opened === -1 ? value : value.slice(0, opened);
  const parts = path.split(/\?\.|\.|->|::/);
  // `Cistern{Well}4`: code does not go on right behind a bracket.
  if (
    opened > 0 &&
    !/[)\]}]\w+$/.test(value) &&
    parts.every((part) => isIdentifier(part.replace(/^[!&*@-]+/, "")))
  )
    return true;
  if (opened === 0) return !/^\{{1,2}[\w!#$%^&*+~@-]{6,}\}{1,2}(?:[a-z]+\d{3,})?$/.test(whole);
  if (parts.length < 2 || !parts.every(isIdentifier)) return false;
  if (/\d$/.test(value) && (isDiceware(value) || (/\d{3}$/.test(value) && isDecoratedWord(value))))
    return false;
  return !parts.some(
    (part) =>
      (hasDigit(part) && looksRandom(part)) || isScrambled(part) || /^[a-z]+\d[a-z]+\d[a-z\d]*$/.test(part),
  );
}

const credentialWord = pattern(
  "i",
  "(?:pass(?:word|wd|wort|phrase)|secret|token|credential)(?:s|keys?|ids?|names?",
  `|values?|refs?|files?|paths?|hash)?$|^(?:api)?keys?$`,
);
/** `my-db-password`: a name, because it has only letters and separators and a word for a credential. */
export const hasCredentialWord: Accept = memoize(
  (value) =>
    !/^(?:super|top|my)secret(?:password|pass|pw)?$/i.test(value) &&
    (/^[A-Za-z_.\- ]+$/.test(value) || /^(?:[a-z]+(?:\d[a-z]?)?[._-])+[a-z]+$/.test(value)) &&
    value
      .replace(/([a-z])([A-Z])/g, "$1 $2")
      .split(/[^A-Za-z]/)
      .some((word) => credentialWord.test(word)),
);

/** An app password of Google: four groups of four small letters. */
export const isAppPassword = (value: string): boolean => /^[a-z]{4}(?:[ -][a-z]{4}){3}$/.test(value);

export const sentenceWords = pattern(
  "i",
  String.raw`\b(?:password|passwort|wachtwoord|token|secret|please|enter|must|your|is|are|was|least|required`,
  "|invalid|too|and|or|not|should|cannot|will",
  "|has|have|been|forgot|wrong|incorrect|does|match|for|with|be|min|max|see|siehe|voir|vedi|1password|ask|minimum" +
    "|maximum|characters?|chars",
  String.raw`|digits|letters|symbols|days|bytes|bits|every|zeichen|stellen|caractères|caracteres|caratteri|znaków)\b`,
);

/** Several words, one of them a number or sign, or a name that announces a passphrase. */
export const isPassphrase = (value: string, isPromised: boolean) =>
  isAppPassword(value) ||
  (value.length >= 10 &&
    (isPromised || hasDigit(value) || /[!@#$%^&*+~]/.test(value)) &&
    !/[()[\]<>"']|^\w+[:=]|%\d?\$?[sd]\b/.test(value) &&
    // "Hazel and magnet 44?": with a number and a sign, a word such as "and" does not make a sentence.
    !sentenceWords.test(
      /\d.*[!?#$%&*]/.test(value) ? value.replace(/\b(?:and|or|for|with|not)\b/g, "") : value,
    ));

/** `unicorn-carbon-barrel`, `Unicorn.Carbon.Barrel!`: words drawn at random. */
export const isDiceware: Accept = memoize((value) => {
  if (!/[-_.]/.test(value)) return false;
  const small = value.replace(/(?<!\p{L})\p{Lu}(?=\p{Ll}{3})/gu, (first) => first.toLowerCase());
  return (
    /^\p{Ll}{2,14}([-_.])\p{Ll}{2,14}(?:\1\p{Ll}{2,14}){1,6}(?:\1?\d{1,4})?[!?]?$/u.test(small) &&
    /\p{Ll}{4}.*[-_.].*\p{Ll}{4}/u.test(small) &&
    areDrawn(small.split(/[-_.\d!?]+/)) &&
    !/(?:^|[-_.])(?:by|on|up|as|no|so|go|if|eu|us|uk|ap|db|ui|ci|cd|vm|os|js|ts|py|id|ip|qa)(?![a-z])/.test(
      small,
    ) &&
    (small === value || areNoNames(value))
  );
});

/** `UnicornCarbonBarrel`: the same, where no class or type can stand. */
export const isJoinedPhrase = (value: string): boolean =>
  /^[A-Z][a-z]{3,9}(?:[A-Z][a-z]{3,9}){2,6}\d{0,4}[!?]?$/.test(value) && areNoNames(value);

/**
 * `duneMirror`, `DuneMirror!`, `Dunemirror!`: two words that no name has. A string under a name, never a word of a
 * sentence.
 */
export const isWordPair = (value: string): boolean =>
  /^[A-Za-z][a-z]{2,11}[A-Z][a-z]{2,11}[!?]?$/.test(value)
    ? areRunTogether(value)
    : /^[A-Z][a-z]{8,22}!$/.test(value) && !/(?:ed|ing|ful|ly|tion|ment|able|feld)!$/.test(value);

/** `Melody2006`, `BenchFlavor15`, `p34nut239`: a word that a person turned into a password. */
export const isDecoratedWord = (value: string): boolean =>
  value.length >= 8 &&
  value.length <= 40 &&
  (/^[a-z]*(?:[A-Z][a-z]+){1,3}\d{2,}[!?.]?$/.test(value) ||
    /^[a-z]*(?:[a-z]\d+[a-z]|\d[a-z]+\d)[a-z0-9]*\d{2,}$/.test(value) ||
    (/\d\d[!?$#*%&+]{0,2}$/.test(value) &&
      /^[A-Za-z0-9]*[A-Za-z]\d[a-z][A-Za-z0-9]*\d\d\W{0,2}$/.test(value)) ||
    /^[a-z]{3,}(?:[-_][a-z]{3,})+[-_]?\d{3,}$/.test(value) ||
    // `velvet_indigo49`: no word of a name.
    (/^[a-z]{4,}[-_][a-z]{4,}\d\d$/.test(value) && areDrawn(value.split(/[-_\d]+/), 0)) ||
    /^\d{2,4}[A-Z][a-z]{5,}[!?]$/.test(value) ||
    (/^[A-Z][a-z]{2,}(?:[-_.][A-Z][a-z]{2,})+[-_.]?\d+[!?]?$/.test(value) &&
      (/\d\d/.test(value) || areNoNames(value))));

/** `falcon4821`, `falcon4821!`: a word and a number that are not the name of a thing. */
export const isNumberedWord = (value: string): boolean =>
  /^(?:[A-Za-z]{4,20}[-_.]?\d{2,6}|[A-Z][a-z]{6,20}\d)[!?$#*%&+]{0,2}$/.test(value) &&
  !isNamingWord(/^[a-z]+/i.exec(value)?.[0].toLowerCase() ?? "");

/** A password of any form that a person made up. */
export const isMadeUp = (value: string): boolean => looksChosen(value) || isNumberedWord(value);

/** `3oea5ee9dyl`: digits between letters, as in no ordinary word. */
export const isCode = (value: string): boolean =>
  value.length >= 8 &&
  value.length <= 40 &&
  /^[A-Za-z0-9]+$/.test(value) &&
  !isHex(value) &&
  (/[a-z]\d+[a-z]+\d|\d[a-z]+\d+[a-z]/i.test(value) || /^\d+[a-z]+\d[a-z\d]*$/i.test(value));

const products = pattern(
  "i",
  String.raw`^(?:K8s|S3(?![a-z]*\d)|EC2|Auth0|Log4j|IPv\d|PKCS|SOCKS|Neo4j|(?:Python|Java|Node|Windows|Ubuntu`,
  "|Postgres|MySQL|Spring|Rails|Angular|Vue",
  "|React|Sha|Next|Web|Http|Md|Utf|Ssh|Php|Go|Rust|Swift|Kotlin|Type|Django|Laravel|Oracle|Redis|Mongo|Office" +
    "|Sprint|Step|Chapter|Section|Phase|Part|Level",
  String.raw`|Version|Release|Area|Room)[A-Za-z]{0,6}[-.]?\d)`,
);
export const isProduct: Accept = (value) => products.test(value);
/** `Kq7-vTz92`, `Tr4vel-Mug`: capitals, small letters and digits, and no product or version. */
export const isMixedWord = (value: string): boolean =>
  value.length >= 6 &&
  value.length <= 40 &&
  hasDigit(value) &&
  hasBothCases(value) &&
  /^[\w!@#$%^&*+=?~.-]+$/.test(value) &&
  !/^[A-Z]?[a-z]+-?\d{1,2}$|^[A-Z]+-\d+|^\d+[A-Za-z]|[A-Z][a-z]+\d?(?:\.[a-z]|\(|::)/.test(value) &&
  !products.test(value);

/** `ABCD1-EFGH2-IJKL3`: a licence key. */
const isGrouped = (value: string) => hasDigit(value) && /^[A-Z0-9]{4,8}(?:-[A-Z0-9]{4,8})+$/.test(value);

/** `abcdefghijklmnop1234`: a token that a person made up. */
export const isLongCode = (value: string) =>
  value.length >= (isHex(value) ? 16 : 15) && hasDigit(value) && /^(?:[a-z0-9]+|[A-Z0-9]+)$/.test(value);

/** `HheTenPv6lqTlebo`: the parts that begin with its capitals are too short to be words. */
export const isScrambled = (value: string, lengthMin = 20, partLengthMax = 3.6): boolean =>
  value.length >= lengthMin &&
  /^[A-Za-z0-9]+$/.test(value) &&
  hasBothCases(value) &&
  (value.match(/[A-Z][a-z]*|[a-z]+/g)?.length ?? 0) * partLengthMax > value.replace(/\d/g, "").length;

/** Text with whitespace is never a token; hex needs 16 characters, other text needs 12. */
export function isTokenLike(value: string): boolean {
  if (/\s/.test(value)) return false;
  if (isHex(value) || isUuid(value)) return value.length >= 16 && hasDigit(value);
  return (
    value.length >= 12 && (looksRandom(value) || isGrouped(value) || isLongCode(value) || isScrambled(value))
  );
}

export const isSurelyToken = (value: string) =>
  value.length >= 16 &&
  /^[\w+/=.:~%-]+$/.test(value) &&
  !isHex(value) &&
  !isUuid(value) &&
  isTokenLike(value) &&
  isRandom(0.45, value);

const publicForm = pattern(
  "",
  String.raw`^(?:(?:(?:hmac-)?sha\d+|md5|blake2\w)[:/-]|z6Mk|IwAR|AAAA[A-Z]3NzaC|AAAAE2VjZHNh|age1|npub1`,
  `|bc1[ac-hj-np-z02-9]{25,}$|did:|0x[0-9a-fA-F]{40}$`,
  String.raw`|pk[._]|pub[0-9a-f]{32}$|sb_publishable_|phc_|[A-Z]{2}[0-9a-f]{32}$|A[XYZ][\w-]{18}$|G-[A-Z0-9]{8,12}$`,
  `|01[0-9A-Z]{24}$`,
  "|00u[A-Za-z0-9]{17}$|[0-9a-f]{16}-[A-Z]{3}$|",
  String.raw`(?:[\da-fA-F]{2}:){15,31}[\da-fA-F]{2}$|[A-Za-z]{2,20}(?:-[\w.]{1,20}){1,4}-[0-9a-f]{64}$`,
  `|auth_[a-z]+_[0-9a-f]{8}$`,
  "|[a-z]{1,9}-[0-9a-f]{17}$)",
);
/** Publishable keys, and ids that name an account or a message. */
export const isPublicValue = (value: string): boolean => isPublicDer(value) || publicForm.test(value);

/** The id or the fingerprint of a PGP key, unless the name before it says that it is something else. */
export const isKeyId = (value: string): boolean => /^(?:(?:0x)?[0-9A-F]{16}|[0-9A-F]{40})$/.test(value);
/** `[^&]+`, `\\s*`: part of a regular expression. */
export const isPattern = (value: string): boolean =>
  !(value.length >= 24 && /\d.*\d.*\d/.test(value) && !/\\|\[\^|\(\?/.test(value)) &&
  !(/^[^\s()[\]{}\\/]{12,}$/.test(value) && hasDigit(value) && hasBothCases(value)) &&
  /\[\^|\\[sdwSDWbB\d]|\.[*+](?![\w*+])|\(\?[:=!<]|[)\]](?:[*+?]|\{\d+\})|\*\*|\{\d+,\d*\}/.test(value);

const algorithmForm = pattern(
  "i",
  "^(?:hmac|scram|pkcs|sha|md|aes|des|rsa|dsa|ecdsa|hs|rs|es|ps|pbkdf|bcrypt|scrypt|argon|blake|chacha|blowfish|cp" +
    "|utf|latin)(?:[-_/]?(?:with",
  String.raw`|sha|hmac|cbc|gcm|ctr|ecb|poly|rsa|ecdsa|and|md|id|[ids]|pkcs|nopadding|padding|\d{1,4})){0,6}$`,
);
/** `HmacSHA256`, `RS256`, `aes-256-gcm`: the name of an algorithm. */
export const isAlgorithm = (value: string): boolean =>
  algorithmForm.test(value) && (hasDigit(value) || /crypt|argon|fish|hmac/i.test(value));

const callForm = pattern(
  "i",
  String.raw`^(?:\w+[.:]|(?:env|getenv|os|process|config|settings|secrets?|vars?|params?|get|read|load|fetch|lookup`,
  "|require|new|await|str|bytes",
  String.raw`|open)\w*[([]|[A-Za-z_]\w{2,}\((?:["']|\w*\)$|$))`,
);
/** `os.environ`, `getenv(`: code, even as the value of a constant. */
export const isCallOrPath = (value: string) =>
  isKeyword(value) ||
  (callForm.test(value) && /[([]/.test(value)
    ? isExpression(value, true)
    : /^[a-z]\w*(?:\.[a-z_]\w*)+$/i.test(value) && !isDottedWords(value) && isExpression(value, true));

const codeRoot = pattern(
  "i",
  "^(?:app|args|cfg|conf|config|context|ctx|data|db|env|event|form|global|import|input|item|local|module|opts?" +
    "|options|os|params?|process",
  "|props|random_password|req|request|res|result|row|secrets?|self|settings|state|sys|system|this|user",
  String.raw`|values?|vars?)\.`,
);
const knownEnding =
  /\.(?:local|internal|json|ya?ml|toml|conf|html|java|com|org|net|dev|txt|pem|key|jks|example|test|lock|log|env|csv)$/;
/** `naranja.dulce`: where text is expected, two words with a dot are no path of code. */
export const isDottedWords = (value: string): boolean =>
  /^[\p{L}\d]{3,}\.[\p{L}\d]{3,}(?:_\d{1,4})?$/u.test(value) &&
  !codeRoot.test(value) &&
  !hasCredentialWord(value) &&
  !knownEnding.test(value);

const field = pattern(
  "",
  String.raw`^(?:[a-z]{2,}(?:[A-Z_.-][a-z\d]+)*|[A-Z]{2,}[A-Z_\d]*`,
  String.raw`|(?:[A-Z][a-z]{2,})+)=[^=](?!\S*[\^!$%]\d)|^[\w.-]+=(?:0x[\da-f]+|\d{1,6}|[a-z]+)(?![^\s,;:)])`,
);
/** `retries=3`, `maxAge=60`: text with its own name and value. In `nv5=xqeY=c`, no name is before the sign. */
export const isField = (value: string): boolean => field.test(value);
/** A password that a person chose. Words of a sentence or of code do not look like this. */
export const looksChosen = (value: string): boolean =>
  isStrong(value) || isDiceware(value) || isDecoratedWord(value) || isUnusualWord(value);

/** `hORse$taple`: not a word of a sentence. */
export const isUnusualWord: Accept = memoize(
  (value) =>
    (value.length >= 6 &&
      /[A-Za-z][!#$%^&*+=~@]+[A-Za-z]/.test(value) &&
      !/[()<>]|@[\w-]+\.|=$/.test(value)) ||
    (value.length >= 8 &&
      /[!#$%^&*+~@?].*[!#$%^&*+~@?]/.test(value) &&
      /[A-Za-z].*[A-Za-z].*[A-Za-z].*[A-Za-z]/.test(value) &&
      /^[\w!#$%^&*+~@?.=-]+$/.test(value) &&
      !/^\*+[^*]+\*+$|\*\*$/.test(value)) ||
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
      !/@[\w.-]+\.\w|^[?&]|^[a-z]+@[a-z]+(?:-[a-z\d]+)*\d*$/.test(value)),
);
