import { hasBothCases, hasDigit, isHex, isPlainCase, looksRandom } from "./appearance.ts";
import { decodeStart } from "./decoded.ts";
import { isPin } from "./evidence.ts";
import * as features from "./features.ts";
import { isInPlace } from "./never.ts";
import { isPlaceholder, isStandIn } from "./placeholders.ts";
import type { Accept, AcceptInContext, ContextRule, FoundSecret, TokenRule } from "./rule.ts";
import {
  after,
  alone,
  base64,
  behind,
  near,
  ofLength,
  quoted,
  spaced,
  token,
  unquoted,
  word,
} from "./rule.ts";
import { isOrdinary } from "./sentences.ts";
import { pattern } from "./words.ts";

const lineReach = 200;
/** The line around a value, up to `lineReach` characters on each side; `\0` replaces the value. */
function lineOf(text: string, start: number, end: number): string {
  const before = text.slice(Math.max(0, start - lineReach), start);
  const behind = text.slice(end, end + lineReach);
  const lineEnd = behind.indexOf("\n");
  return `${before.slice(before.lastIndexOf("\n") + 1)}\0${lineEnd === -1 ? behind : behind.slice(0, lineEnd)}`;
}

const isNoPlaceholder: Accept = (secret) => !isPlaceholder(secret);
const isRandom: Accept = (secret) => looksRandom(secret) && !isPlaceholder(secret);
/** Rejects plain words, which prose has in the same position. */
const isSecretLike: Accept = (secret) =>
  (hasDigit(secret) ||
    (hasBothCases(secret) && !isPlainCase(secret)) ||
    features.looksChosen(secret) ||
    features.isWordPair(secret)) &&
  !isPlaceholder(secret);

/** Three parts, or five parts in an encrypted token. The last part of an unsigned token is empty. */
const isJsonWebToken: Accept = (secret) => /^[\w-]{10,}\.(?:[\w-]{10,}\.[\w-]|eyJ[\w-]{7,}\.)/.test(secret);

// biome-ignore format: one rule a line
export const generalTokens: readonly TokenRule[] = [
  token("JWT", "eyJ", /[\w-]+(?:\.[\w-]+(?:\.[\w-]*(?:\.[\w-]+\.[\w-]+)?)?)?/y, 20, isJsonWebToken),
  token("Private key", "LS0tLS1CRUdJTi", base64, 40, (secret) => decodeStart(secret).includes("PRIVATE KEY")),
];

/** "Basic authentication" is prose: without the header's name, accepts only an encoded `user:password`. */
const isEncodedPair: Accept = (secret) => {
  const password = /^[ -9;-~]+:([ -~]+)$/.exec(decodeStart(secret, 512))?.[1];
  return (
    secret.length >= 8 && password !== undefined && !/^(?:pass(?:word)?|secret|open sesame)$/.test(password)
  );
};

const isHeader: Accept = (secret) =>
  secret.length >= 8 &&
  (secret.length >= 12 || features.looksChosen(secret)) &&
  !/:\/\/|[([]/.test(secret) &&
  isSecretLike(secret);

/** `guest:guest@` and `postgres:postgres@` are well-known defaults; `root:secret@` is not a default. */
const isOwnPassword: AcceptInContext = (secret, { context }) =>
  context !== `://${secret}:` &&
  // `jdbc:sqlserver://sql01:1433;user=app;password=P@ss`: a port.
  !/^\d{2,5};/.test(secret) &&
  !/^(?:x-oauth-basic|x-access-token|api_token)$/.test(secret) &&
  (!isStandIn(secret) || ["secret", "admin", "root", "test"].includes(secret));

const secretParameter = pattern(
  "i",
  "(?:token|secret|passw(?:or)?d|pwd|passcode|api[_-]?key|appid|sig|signature|credential",
  "|subscription-key|session_?id|bypass)=",
);
const maybeSecretParameter =
  /^.(?:(?!cache|sort|search|site|public|object|partition)[\w.-]{0,20}key|code|auth|sid|jwt|hmac)=/i;
const isParameter: AcceptInContext = (secret, { context }) =>
  secretParameter.test(context)
    ? (secret.length >= 6 && isSecretLike(secret)) ||
      (/pass(?:w(?:or)?d)?=$|pwd=$/i.test(context) && isInPlace(secret))
    : secret.length >= 16 && maybeSecretParameter.test(context) && isRandom(secret);

/** Rejects the user of a DSN, which is public: the host collects errors, or the path is a number. */
const isUserToken: AcceptInContext = (secret, { text, end }) =>
  secret.length >= 16 &&
  isRandom(secret) &&
  !/^@[^\s/]*(?:sentry|ingest|bugsnag|glitchtip)|^@[^\s/]+\/\d+(?![\w/])/.test(text.slice(end, end + 80));

const isInHeader = ({ text, start }: FoundSecret) =>
  /authorization["'\uE000]?[:=][^\n]{0,30}$/i.test(text.slice(Math.max(0, start - 60), start));

/** Headers and URLs. */
// biome-ignore format: one rule a line
export const headerAndUrlContexts: readonly ContextRule[] = [
  near("kty", after("Private key", "", /["\uE000](?:d|p|q|dp|dq|qi|k)["\uE000]¬:¬["\uE000]/g, word, ofLength(40)),
    2_000),
  after("Bearer token", "bearer|geniekey|ssws", /\b(?:bearer|GenieKey|SSWS)[ \t]{1,4}[¶`]?/gi, /[\w.~+/=:%-]+/y,
    (secret, found) => isHeader(secret) ||
    (isInHeader(found) && secret.length >= 6 && isSecretLike(secret))),
  after("Basic credentials", "basic", /\bbasic[ \t]{1,4}[¶`]?/gi, /[A-Za-z0-9+/]+={0,2}/y, (secret, found) =>
    isEncodedPair(secret) ||
    (isInHeader(found) && isSecretLike(secret) && !decodeStart(secret, 512).includes(":") &&
      found.text.charAt(found.end) !== "(")),
  after("Authorization header", "authorization", pattern("gi",
    String.raw`\bauthorization(?:[¶],\s{0,20}[¶]?value[¶]?¬[:=]¬[¶]|[¶]?\]?¬[:=,]¬[¶\x60]?|[ \t]{1,8}[¶]`,
    String.raw`|[¶\x60]?[ \t]{0,40}\|¬[¶\x60]?)`,
    String.raw`(?:[a-z][\w-]{1,20}[ \t]{1,2})?(?:token=|key=)?[¶]?`), /[^\s"'`,;\\]+/y, isHeader),
  { ...after("URL password", "://", /:\/\/[^\s:@/"'<>`[]*:/g, /[^\s"'<>`/,]+/y, isOwnPassword), upTo: "@" },
  { ...after("URL password", "jdbc:oracle", /jdbc:oracle:[a-z]+:[^\s/@"':]+\//g, /[^\s"'/]+/y, isNoPlaceholder),
    upTo: "@" },
  { ...after("URL token", "://", /:\/\//g, /[^\s:/"'<>`[]+/y, isUserToken), upTo: "@" },
  after("URL token", "", /[?&#][\w.-]+=/g, /[^\s&#"'<>`;]+/y, isParameter),
];

/** Words on the line of a pair of a user and a password. */
const doorWords =
  "credential|cred|ldap|basic auth|http basic|login|log in|logged in|signin|sign in|signs in|account|anmeld|einlogg" +
  "|zugang|compte|konto|cuenta|identifiants" +
  "|connexion|se connecter|credenciales|credenziali|credenciais|logowania|dostępowe|доступ|вход|accès|acceso" +
  "|accesso|acesso|учетн|учётн|логин|账号|帐号|ログイン" +
  "|アカウント|user/pass|username/pass|u/p|wifi|wi-fi|wlan|connect with|connect as";
const door = new RegExp(`${doorWords}|user(?:name)? / pass`, "i");
/** Words that name the pair itself: between them and the user only a purpose, a verb or a colon. */
const namesPair = pattern(
  "i",
  "(?:log-?in|sign-?in|wi-?fi|wlan|basic[ -]auth|credentials?|creds|zugangsdaten|zugang|anmeldedaten|identifiants" +
    "|credenciales|credenziali|credenciais",
  String.raw`|доступ|логин|u\/p|(?:user(?:name)?|login) ?\/ ?(?:pw|pass(?:word)?))(?: (?:for|of|to|on|für|zu|zum`,
  "|zur|de|del|per|da|do)",
  String.raw`(?: [\w.-]{1,20}){1,4})?[*_]{0,2}(?:[ \t]{0,3}[:=][*_]{0,2}|[ \t](?:is|are|ist|lauten|lautet|son|sono`,
  String.raw`|sont))[ \t]{1,3}[\x60"']?$`,
);
const noPasswordOfPair = pattern(
  "i",
  String.raw`^(?:write|read|extern\w*|intern\w*|required|optional|fail\w*|error|logout|sign-?(?:up|out)|register`,
  "|google|github|gitlab|facebook|apple",
  String.raw`|microsoft|denied|down|disabled|pass\w*|logoff|index|api|auth|login|home|callback|token|production`,
  "|staging|development|editor|viewer|owner",
  "|member|moderator|manager|customer|phone|saml|oidc|shared|personal|private|public|flaky|desktop)$",
);
const endsPair = pattern(
  "i",
  String.raw`^\x60|^["'*]{0,2}(?:[.,;)]|[ \t]*\||[ \t]*(?:\n|$)| (?:[(—–-]|on |for |in |at |to `,
  "|still |works|and |but |anmeld|einlogg))",
);
/** `Kibana: elastic / …`: no word needs to announce the pair. */
const knownUser =
  /^(?:root|admin|administrator|sa|sys|system|postgres|elastic|guest|test|demo|registry)(?:[`"'*]{0,2} \/|`\/`)/i;
/** A plain word goes only right behind words that name the pair. */
const isPairOfDoor: AcceptInContext = (secret, { text, start, end, context }) =>
  !noPasswordOfPair.test(secret) &&
  isInPlace(secret) &&
  endsPair.test(text.slice(end, end + 12)) &&
  namesPair.test(text.slice(Math.max(0, start - context.length - 140), start - context.length));
/** Anywhere on the line of a door: the password itself must look like one. */
const isMadePassword: AcceptInContext = (secret, { text, end, context }) =>
  !/^(?:[/@:]|\.\S)/.test(text.slice(end, end + 2)) &&
  secret.length >= (/ \//.test(context) ? 6 : 8) &&
  (features.isMadeUp(secret) ||
    isSigned(secret) ||
    features.isWordPair(secret) ||
    (/ \//.test(context) && ((hasDigit(secret) && hasBothCases(secret)) || features.isCode(secret)))) &&
  !/\.[a-z]\w{0,4}$|\*\*|^ipv\d$/i.test(secret) &&
  isInPlace(secret);
/** `BADG-mamm8561*`: letters, a number and a sign. */
const isSigned: Accept = (secret) =>
  /^(?=.*\d\d)(?=.*[A-Za-z]{3})(?=.*[#$%^&*?+~!][^!?]?)[^\s/@:()]{8,40}$/.test(secret);
const wordOfPair = /(?:[^\s/`,;.)\]¶]|\.(?=[^\s)]))+/y;
/** "X and Y", "the old one was Y", right behind a password */
const isAnother: AcceptInContext = (secret, { text, end, context }) =>
  ((hasDigit(secret) && /["'\uE000]$/.test(context) && features.isStrong(secret)) || isAnotherBare(secret)) &&
  !/^[:=(/@[]/.test(text.slice(end, end + 1)) &&
  isInPlace(secret);
const isAnotherBare: Accept = (secret) =>
  (hasDigit(secret) || features.isWordPair(secret)) &&
  !isHex(secret) &&
  (features.isMadeUp(secret) ||
    features.isMixedWord(secret) ||
    features.isCode(secret) ||
    features.isWordPair(secret)) &&
  !isOrdinary(secret) &&
  !/[/@:=<>()[\]{}|\\]|\.\w{1,5}$|^[a-z]+(?:[-_.][a-z\d]+)+$|^[A-Z\d_-]+$/.test(secret);
const notIdentifying = pattern(
  "i",
  "^(?:random|the|a|an|your|this|its|id|their|one|two|three|each|name|email|number|must",
  `|should|shall|will|never|needs?|clause|statement)$`,
);
/** Rejects the placeholder of the documentation, `IDENTIFIED BY password`, and a sentence about the statement. */
const isIdentifying: AcceptInContext = (secret, { text, start, context }) =>
  secret.length >= 4 &&
  (/["'\uE000-\uE003]$/.test(context) ||
    /(?:user|role|connect to)\s{1,8}\S{1,60}\s{1,8}\S{0,8}\s{0,8}$/i.test(
      text.slice(Math.max(0, start - context.length - 100), start - context.length),
    )) &&
  !notIdentifying.test(secret) &&
  isNoPlaceholder(secret);
const isPaired: AcceptInContext = (secret, { text, end, context }) =>
  (secret.length >= 6 &&
    (features.looksChosen(secret) || features.isCode(secret)) &&
    isNoPlaceholder(secret)) ||
  (/^(?:(?:credentials?|creds|login|userpwd)\b[^=:]{0,60}[:=]|stats auth|basic[ _-]?auth|auth_basic)/i.test(
    context,
  ) &&
    isInPlace(secret) &&
    /^["'`]?(?:[.,;)]?(?:\s|$))/.test(text.slice(end, end + 3)));

const pinKeywords =
  "pin|puk|code|otp|пин|暗証|验证码|驗證碼|口令|digo|codice|kod|combination|host key|safe|door|alarm";
/** Names of a PIN, and codes by what they open. */
const pinName = pattern(
  "giu",
  String.raw`(?<![\p{Script=Latin}\p{Script=Cyrillic}\d])(?:pin(?:[- ]?(?:code|nummer|number|kod))?|puk\d?|otp`,
  "|пин(?:-?код)?|暗証番号|验证码|驗證碼|口令",
  "|one-time (?:code|password|pin)|einmal-?(?:passwort|kennwort|code)|(?:door|gate|alarm|access|entry|safe|lock" +
    "|pairing|activation|verification",
  "|confirmation|unlock|2fa|mfa|sms|login|backup|recovery|master|duress|disarm|reset|bypass|pass|tür",
  String.raw`|zugangs|entsperr)[ -]?code|code to \S+|host key`,
  String.raw`|(?:opens?|unlocks?|disarms?)(?: \S+){0,3} with|combination`,
  String.raw`|(?:code|c[oó]digo|codice|kod) (?:pin|secret|d(?:'|[ei] )(?:a[cs]\S+|s[eéib]\S+|v[eé]ri\S+))`,
  String.raw`)(?![\p{Script=Latin}\p{Script=Cyrillic}])`,
);
/**
 * Between the name and the digits: nothing, its owner ("der Karte"), or a verb or a sign that leads to the digits,
 * in the same sentence.
 */
const pinGap = pattern(
  "iu",
  String.raw`^[\x60"'*_)]{0,3}(?:(?:(?![.;!?] )[^\d\n]){0,80}?(?:[:=→>(]|(?<!\p{L})(?:is|was|are|now|still|ist`,
  "|lautet|war|est|es|è|é|jest|to|types?",
  "|enter|use|then|press|dial|case|er|är)(?: \\p{L}{2,10}){0,2})",
  "|(?: (?:of|for|der|des|für|vom|zum|zur|de|du|del|della|do|da|van",
  String.raw`|on)(?: [^\s\d]{1,24}){1,4})?)[\s\x60"'*]{1,3}$|^[:：は是]?$`,
);
const unit = "(?:m?s|sec\\w*|min\\w*|hours?|days?|times?|attempts?|users?|requests?|[KMG]i?B|bytes?)";
const noPin = pattern(
  "i",
  String.raw`\b(?:gpio|header|board|connector|jumper|ground)\b|(?:error|status|exit|return|response`,
  "|http|zip|postal|country|area|reason)[ -]?code",
);
/** Returns the text behind the last number: other digits do not stand between the name and the PIN. */
function behindNumber(line: string): string {
  let from = line.length;
  while (from > 1 && !/^\d\d/.test(line.slice(from - 2, from))) from--;
  return line.slice(from > 1 ? from : 0);
}
const isPinAt: AcceptInContext = (secret, { text, start }) => {
  if (!isPin(secret.replace(/\D/g, ""))) return false;
  const before = text.slice(Math.max(0, start - 240), start);
  const line = before.slice(before.lastIndexOf("\n") + 1);
  const own = behindNumber(line);
  const name = Array.from(own.matchAll(pinName)).at(-1);
  return name !== undefined && pinGap.test(own.slice(name.index + name[0].length)) && !noPin.test(line);
};

const password = (keywords: string, pattern: RegExp, value: RegExp, accept: AcceptInContext): ContextRule =>
  after("Password", keywords, spaced(pattern), value, accept);

/** Functions and classes that take a credential. */
const calls = pattern(
  "gi",
  String.raw`(?:\b|_)auth ?[=:] ?[([]|(?:log_?in|sign_?in|auth\w{0,16}|connect\w{0,12}|bind(?:_s)?|credentials?|pdo`,
  String.raw`|sign|sign_?with|verify|jwt\W{1,2}\w{6}|\w{0,8}crypt(?:\.\w{4,11})?|\w{0,8}hmac\w{0,8}(?:\.new)?`,
  String.raw`|\w{0,8}pass(?:word)?|mysqli|api_?key|unlock|protect|ftp\w{0,8}|securitykey|fernet|begin|database`,
  String.raw`|community\w{0,4}|cipher\w{0,4}|aes\.new|create_?(?:user|async))\(`,
);
/** An argument of such a call: a user, a host, a file or a name of an algorithm does not look chosen. */
const isArgument: AcceptInContext = (secret, { text, end, context }) =>
  secret.length >= 6 &&
  !/\s|:\/\/|@[\w-]+\.|^\w+=/.test(secret) &&
  /^["'\x60\uE000-\uE003]\s{0,4}[,)\]}]/.test(text.slice(end, end + 6)) &&
  (features.looksChosen(secret) ||
    features.isTokenLike(secret) ||
    /^[A-Z]{4,}_\d{3,6}$/.test(secret) ||
    (context.startsWith(",") && hasDigit(secret) && !otherArgument.test(secret))) &&
  !features.isPublicValue(secret) &&
  (context.startsWith(",") ? isInPlace(secret) : isNoPlaceholder(secret));
/** `db01`, `eu-west-1`, `Ed25519`, `cert2.pem`, `ec2:Describe`, `S3OriginAccess`. */
const otherArgument =
  /^[A-Za-z]+\d{1,3}$|^(?:[Ee]d|[Cc]urve)\d+$|^[a-z]+(?:[-_.][a-z\d]+)+$|\.[a-z\d]{2,5}$|:[A-Z]|\d(?:[A-Z][a-z]+){2}/;

/** Commands, statements and files that contain a password at a known position. */
// biome-ignore format: one rule a line
export const statementContexts: readonly ContextRule[] = [
  password("identified |password from|password to|password for|\uE010", pattern("gi",
    String.raw`\bidentified (?:with \w{1,40} )?by~(?:values?~)?[¶]?|(?<=\bidentified by~[¶]?\uE010[¶]?)~replace~[¶]`,
    String.raw`|\bpassword (?:from|to|for \S{1,60} =)~[¶]`),
    /(?<=[¶])[^¶`\n]+|[^\s`;¶]+/y, isIdentifying),
  password("credential|creds|login|auth|user", pattern("gi",
    "(?<![a-z])(?:credentials?|creds|login|stats auth|basic[ _-]?auth|auth_basic|auth|userpwd",
    String.raw`|addauth digest|user\.info|(?<!:)user(?= ?[=:]))`,
    String.raw`[¶]?(?: (?:for|of|to|on|in|are|is)(?: [\w.-]{1,24}){0,8})?`,
    String.raw`¬(?::?=|[:,]|[=-]>|[ \t])¬\[?[\x60¶]?[\w.@+-]{1,40}:(?![/:])`), /(?:[^\s`,;.¶]|\.(?=\S))+/y, isPaired),
  password("securestring", /ConvertTo-SecureString[ \t]{1,4}(?:-String[ \t]{1,4})?[¶]/gi, quoted, isNoPlaceholder),
  // jwt.sign(claims, "…"), new PDO(dsn, "anna", "…")
  near("(", behind(calls, password("", /[(,]¬[bBrR@$]{0,2}[¶]/g, quoted, (secret, found) =>
    features.isAppPassword(secret) || isArgument(secret, found)))),
  // log in with bob / …, creds: bob/…, (bob // …)
  near(`${doorWords}|@| / |\`/\``,
    password("", pattern("g",
    String.raw`(?<![\w/.@:+-])[A-Za-z][\w.@+-]{1,39}[\x60"'*]{0,2}(?: {1,8}\/{1,2} |\/`,
    String.raw`|(?<=@[\w-]{1,40}\.[\w.-]{2,20}[\x60"'*]{0,2})(?:, | \(| ?: ?))[\x60"'*]{0,2}`), wordOfPair,
    (secret, found) => (door.test(lineOf(found.text, found.start, found.end)) ||
    /\w@[\w-]{1,40}\./.test(found.context) || knownUser.test(found.context)) &&
      !/^[A-Za-z\d+/]{24,}={0,2}$/.test(found.context + secret) &&
    (isMadePassword(secret, found) || isPairOfDoor(secret, found)))),
  // ("anna@example.com", "…") near a word for a password
  near("@|login|cred|users|passw", password("", /[([{]¬[¶][\w.+@-]{2,80}[¶],¬[¶]/g, quoted,
    (secret, { text, start, end, context }) => isInPlace(secret) && !/^\w+=|[/:]/.test(secret) &&
    (context.includes("@") || features.isMadeUp(secret) || features.isMixedWord(secret)) &&
    /login|cred|passw|users/i.test(text.slice(Math.max(0, start - 200), end + 200)))),
  behind(/\uE010/g, password("\uE010", pattern("gi",
    String.raw`(?:(?<=\uE010[\x60¶]{0,2})(?:[,;]| and| or| und| oder| y| et| ou| e| then| \/| \+| :| →| ->| =>| to`,
    "| auf)(?: [a-z]{2,12})?",
    String.raw`|(?<![\p{L}\d])(?:is|was|are|ist|war|gilt|lautet|est|était|sera|es|era|será|é|foi|è|sarà|diventa`,
    "|jest|wordt)(?: (?:still|now|noch|jetzt))?",
    String.raw`|\b(?:old|new|neu|one|part)(?: (?:for|of|on)(?: [\w.'-]{1,20}){1,4}?`,
    String.raw`| \w{1,5})?:?) [\x60¶]?(?=[^\s/@]{7})`),
    wordOfPair, isAnother)),
  // "…".toCharArray()
  password("tochararray", /"(?=[^"\n]{4,60}"\.toCharArray\(\))/g, /[^"\n]+/y, (secret, { text, start }) =>
    isSecretLike(secret) ||
    (isInPlace(secret) && /pass|key|load|store/i.test(text.slice(Math.max(0, start - 60), start)))),
  // NEO4J_AUTH=neo4j/…, BASIC_AUTH=bob:…
  password("_auth|bundle_|bundle config", pattern("g",
    String.raw`(?:\bbundle config (?:set )?(?:--\w{1,10} )?[\w.-]{3,60} |\b(?:[A-Z][A-Z0-9_]{0,40}_AUTH`,
    `|BUNDLE_[A-Z0-9_]{3,60})["']?¬[=:]¬["']?)(?!`,
    String.raw`(?:oauth2?|basic|jwt|none|https?|path|file)[:/])[\w.@+-]{1,40}[:/](?!\/)`), /[^\s`,;)¶]+/y, isInPlace),
  password(":54|:6432|:*|]:", /(?::(?:54\d\d|6432|\*):[\w.*-]+:[\w.*-]+|\]:\d{2,5}[ \t]{1,8}[\w.@+-]{1,40}):(?!\/)/g,
    unquoted, isNoPlaceholder),
  // WIFI:S:…;T:WPA;P:…;;
  password("wifi:", /\bWIFI:[^\n]{0,80}?(?<=[:;])P:/g, /[^;\s]+/y, isNoPlaceholder),
  // PIN: …, the door code is …, --pin …
  { ...alone("PIN", pinKeywords,
    pattern("g", String.raw`(?<![\w.,/#@$€£+-])(?:\d{4,12}[#*A-F]?|\d{3}(?:[ -]\d{3}){1,2}|\d\d-\d\d-\d\d|[A-Z]-\d{6})`,
    String.raw`(?![\w%:/-]|[.,]\d| ?${unit}\b)`), isPinAt), isNear: true, reach: 240 },
  // bob:…@host
  { ...after("URL password", "@", /(?<![\w/:.@%-])(?:sips?:)?[\w.-]{1,32}:(?!\/)/g, /[^\s"'<>`,:/]+/y,
    (secret, { text, end, context }) => features.looksChosen(secret) && !secret.includes("@") &&
    !/(?:mail(?:to)?|to|from|cc|by):$/i.test(context) && /^@(?!sha\d)[\w.-]/.test(text.slice(end, end + 6)) &&
    isNoPlaceholder(secret)), upTo: "@" },
];
