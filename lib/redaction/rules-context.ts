import { hasBothCases, hasDigit, isHex, isPlainCase, looksRandom } from "./appearance.ts";
import { decodeStart } from "./decoded.ts";
import { isPin } from "./evidence.ts";
import { isCode, isMadeUp, isMixedWord, isStrong, isTokenLike, isWordPair, looksChosen } from "./features.ts";
import { isInPlace } from "./not-passwords.ts";
import { isJoinedPair } from "./passphrases.ts";
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
    looksChosen(secret) ||
    isWordPair(secret)) &&
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
  (secret.length >= 12 || looksChosen(secret)) &&
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
  after("URL password", "@tcp(|@unix(|@(", /(?<![\w:/])\w{1,40}:(?=\S{1,80}@(?:tcp|unix)?\()/g,
    /[^\s"'`/]{1,120}(?=@(?:tcp|unix)?\()/y, isOwnPassword),
  { ...after("URL token", "://", /:\/\//g, /[\w.~-]+:(?=(?:x-oauth-basic|x-access-token|api_token|x)?@)/y, (secret, {
    text, end }) =>
    (text.startsWith(":@", end) ? secret.length >= 16 && isRandom(secret) : secret.length >= 8 &&
      isSecretLike(secret))), upTo: ":" },
  after("URL token", "", /[?&#][\w.-]+=/g, /[^\s&#"'<>`;]+/y, isParameter),
];

/** Words on the line of a pair of a user and a password. */
const doorWords =
  "credential|cred|ldap|basic auth|http basic|login|log in|logged in|signin|sign in|signs in|account|anmeld|einlogg" +
  "|zugang|compte|konto|cuenta|identifiants" +
  "|connexion|se connecter|credenciales|credenziali|credenciais|logowania|dostępowe|доступ|вход|accès|acceso" +
  "|accesso|acesso|учетн|учётн|логин|账号|帐号|ログイン" +
  "|アカウント|user/pass|username/pass|u/p|wifi|wi-fi|wlan";
const door = new RegExp(`${doorWords}|user(?:name)? / pass`, "i");
/** Words right before the user: "log in with anna / …", "Login: anna / …", "(anna / …)". */
const leadsToUser = pattern(
  "i",
  String.raw`(?:(?:^|[\s(])(?:with|as|mit|als|met|con|avec|com|using|is|still|it's|are|ist|noch|lauten|lautet|sind`,
  "|son|sont|sono|são)|:|(?:account",
  "|log-?in|users?|auth|credentials?|creds|konto|compte|cuenta|conto",
  String.raw`|conta)[ \t]?\()[ \t]{0,3}[\x60"'*]{0,2}$`,
);
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
const noUserOfPair = pattern(
  "i",
  String.raw`^(?:read|intern\w*|extern\w*|success|github|google|gitlab|sso|saml|email|user|username|yes|no|enabled`,
  "|true|none|ok|oauth|password|phone",
  "|staging|prod|production|dev|test|client|https?|src|app|lib|api|login|slow|mobile)$",
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
const isPairOfDoor: AcceptInContext = (secret, { text, start, end, context }) => {
  const user = context.replace(/[`"'*\s/]+$/, "");
  const before = text.slice(Math.max(0, start - context.length - 140), start - context.length);
  const isSpaced = / \/{1,2} /.test(context);
  return (
    !noUserOfPair.test(user) &&
    !noPasswordOfPair.test(secret) &&
    isInPlace(secret) &&
    endsPair.test(text.slice(end, end + 12)) &&
    (namesPair.test(before) ||
      /\b(?:log|sign)(?:ged)?[ -]?in (?:with|as) ["'`]?$/i.test(before) ||
      ((isSpaced || /^(?:root|admin)$/.test(user)) && /^[a-z]|[@\d]/.test(user) && leadsToUser.test(before)))
  );
};
/** Anywhere on the line of a door: the password itself must look like one. */
const isMadePassword: AcceptInContext = (secret, { text, end, context }) =>
  !/^(?:[/@:]|\.\S)/.test(text.slice(end, end + 2)) &&
  secret.length >= (/ \//.test(context) ? 6 : 8) &&
  (isMadeUp(secret) ||
    isSigned(secret) ||
    (/^(?:root|admin|sa|postgres|elastic|operator)\W/.test(context) &&
      (isMixedWord(secret) || /^(?=.*\d)(?=.*[A-Z])[A-Z\d]{6,}$/.test(secret))) ||
    (isWordPair(secret) && (/[@_\d]/.test(context) || knownUser.test(context))) ||
    (/ \/|_r[ow]\//.test(context) && ((hasDigit(secret) && hasBothCases(secret)) || isCode(secret)))) &&
  !/\.[a-z]\w{0,4}$|\*\*|^ipv\d$/i.test(secret) &&
  isNoPlaceholder(secret);
/** `BADG-mamm8561*`: letters, a number and a sign. */
const isSigned: Accept = (secret) =>
  /^(?=.*\d\d)(?=.*[A-Za-z]{3})(?=.*[#$%^&*?+~!][^!?]?)[^\s/@:()]{8,40}$/.test(secret);
/** "met beheerder / …", "Dev is dev_ro/…": words before the user lead to a pair, or the user can be nothing else. */
const isLedPair: AcceptInContext = (secret, { text, start, context }) =>
  context.includes(" / ")
    ? /^[a-z]/.test(context) &&
      leadsToUser.test(text.slice(Math.max(0, start - context.length - 20), start - context.length))
    : (/^[a-z]{2,12}_(?:ro|rw|bot|user|app|reader|writer)\/$/.test(context) &&
        (isCode(secret) || isMixedWord(secret))) ||
      (isSigned(secret) &&
        /\b(?:use|using|with|as|met|mit|avec|con|com) $/i.test(
          text.slice(Math.max(0, start - context.length - 20), start - context.length),
        ));
/** The paragraph around a pair, and the heading above the paragraph: "Test accounts", and a list below it. */
const paragraphOf = ({ text, start, end }: FoundSecret): string => {
  const before = text.slice(Math.max(0, start - 300), start).split(/(?<!:|(?:^|\n)#[^\n]{0,60})\n[ \t]*\n/);
  return `${before.at(-1)}\0${text.slice(end, end + 200).split("\n\n", 1)}`;
};
const wordOfPair = /(?:[^\s/`,;.)\]¶]|\.(?=[^\s)]))+/y;
/** "X and Y", "the old one was Y", right behind a password */
const isAnother: AcceptInContext = (secret, { text, end, context }) =>
  ((hasDigit(secret) && /["'\uE000]$/.test(context) && isStrong(secret)) || isAnotherBare(secret)) &&
  !/^[:=(/@[]/.test(text.slice(end, end + 1)) &&
  isInPlace(secret);
const isAnotherBare: Accept = (secret) =>
  (hasDigit(secret) || isWordPair(secret)) &&
  !isHex(secret) &&
  (isMadeUp(secret) || isMixedWord(secret) || isCode(secret) || isWordPair(secret)) &&
  !isOrdinary(secret) &&
  !/[/@:=<>()[\]{}|\\]|\.\w{1,5}$|^[a-z]+(?:[-_.][a-z\d]+)+$|^[A-Z\d_-]+$/.test(secret);
/** Rejects the placeholder of the documentation, `IDENTIFIED BY password`, and a sentence about the statement. */
const isIdentifying: AcceptInContext = (secret, { text, start, context }) =>
  secret.length >= 4 &&
  (/["'\uE000-\uE003]$/.test(context) ||
    /(?:user|role|connect to)\s{1,8}\S{1,60}\s{1,8}\S{0,8}\s{0,8}$/i.test(
      text.slice(Math.max(0, start - context.length - 100), start - context.length),
    )) &&
  !pattern(
    "i",
    "^(?:random|the|a|an|your|this|its|id|their|one|two|three|each|name|email|number|must",
    `|should|shall|will|never|needs?|clause|statement)$`,
  ).test(secret) &&
  isNoPlaceholder(secret);
const isPaired: AcceptInContext = (secret, { text, end, context }) =>
  (secret.length >= 6 && (looksChosen(secret) || isCode(secret)) && isNoPlaceholder(secret)) ||
  (/^(?:(?:credentials?|creds|login|userpwd)\b[^=:]{0,60}[:=]|stats auth|basic[ _-]?auth|auth_basic)/i.test(
    context,
  ) &&
    isInPlace(secret) &&
    /^["'`]?(?:[.,;)]?(?:\s|$))/.test(text.slice(end, end + 3)));

/** Accepts text that is typed into a field whose name announces a password. */
const isTyped: AcceptInContext = (secret, { text, start }) => {
  const before = text.slice(Math.max(0, start - 160), start);
  return (
    (/pass(?!ed|es|ing|i)|pwd|secret/i.test(before.slice(before.lastIndexOf("\n") + 1)) &&
      isSecretLike(secret)) ||
    // The field that is filled in is the password itself.
    (/pass(?:w(?:or)?d|code)(?:["'`\])]{1,4}|Field|Input|Box)(?:\)?\.\w{1,12}\(|, ?)["'`]$/i.test(before) &&
      isInPlace(secret))
  );
};

const pinPlace = pattern(
  "iu",
  String.raw`(?<!\p{L})(?:doors?|safes?|garage|gate|alarm\w*|locks?|panel|building|entrance|keypad`,
  String.raw`|kiosk|vault|tür|tresor|portail|porte|coffre|puerta|porta)(?!\p{L})`,
);
const pinKeywords =
  "pin|puk|code|otp|пин|код|暗証|验证码|驗證碼|口令|digo|codice|kod|combination|host key|safe|door|alarm";
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
  String.raw`|(?<open>code|c[oó]digo|codice|kod|код))(?![\p{Script=Latin}\p{Script=Cyrillic}])`,
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
/** "wants 7391 as its PIN" */
const pinLead = /\b(?:wants|takes|use|enter|type|with|is|set)\s["'\x60]?$/i;
const pinBehind = /^[^.;\n\d]{0,30}?(?<!\p{L})(?:pin|otp|puk|passcode)(?!\p{L})/iu;
/** The line has only the digits, behind a speaker or a bullet: the answer to the line above. */
const isAnswer =
  /^[ \t]*(?:\[?\d{1,2}:\d\d\]? )?(?:[-*>•—] ?)?(?:[^\s:]{1,24}(?: [^\s:]{1,24}){0,2}(?: ?\([\d:]{4,8}\))?[:>] ?)?$/;
const unit = "(?:m?s|sec\\w*|min\\w*|hours?|days?|times?|attempts?|users?|requests?|[KMG]i?B|bytes?)";
const noPin = pattern(
  "i",
  String.raw`\b(?:gpio|header|board|connector|jumper|ground)\b|(?:error|status|exit|return|response`,
  "|http|zip|postal|country|area|reason)[ -]?code",
);
/** Returns where the last name of a PIN in a text ends. A bare "code" needs a place near it. */
function pinNameEnd(text: string, around: string): number | undefined {
  let end: number | undefined;
  pinName.lastIndex = 0;
  for (let name = pinName.exec(text); name; name = pinName.exec(text))
    if (!name.groups?.open || pinPlace.test(around)) end = pinName.lastIndex;
  return end;
}
/** Returns the text behind the last number: other digits do not stand between the name and the PIN. */
function behindNumber(line: string): string {
  let from = line.length;
  while (from > 1 && !/^\d\d/.test(line.slice(from - 2, from))) from--;
  return line.slice(from > 1 ? from : 0);
}
const isPinAt: AcceptInContext = (secret, { text, start, end }) => {
  if (!isPin(secret.replace(/\D/g, ""))) return false;
  const before = text.slice(Math.max(0, start - 240), start);
  const [line = "", above = ""] = before.split("\n").reverse();
  const own = behindNumber(line);
  const nameEnd = pinNameEnd(own, line + text.slice(end, end + 60));
  const isNamed = nameEnd !== undefined && pinGap.test(own.slice(nameEnd));
  const isBehind = pinLead.test(line) && pinBehind.test(text.slice(end, end + 50));
  const question = /\?\s*$/.test(above) ? before : above;
  const isAsked =
    isAnswer.test(line) &&
    /^["'\x60]?[.!]?[ \t]*(?:\n|$)/.test(text.slice(end, end + 8)) &&
    pinNameEnd(question, question) !== undefined;
  return (isNamed || isBehind || isAsked) && !noPin.test(isAsked ? above : line);
};

const password = (keywords: string, pattern: RegExp, value: RegExp, accept: AcceptInContext): ContextRule =>
  after("Password", keywords, spaced(pattern), value, accept);

/** The second string of a pair: `auth=("anna", "`. */
const authArgument =
  /(?:(?:\b|_)auth ?[=:] ?[([]|Auth\(|Credential\()\s{0,4}["'][^"'\n]{0,60}["'],\s{0,4}["']$/;

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
  password("btoa|b64|base64|encode64",
    pattern("gi", String.raw`(?:btoa|Buffer\.from(?=\([^()\n]{3,80}\)\.toString\(.base64)|b64_?encode`,
    String.raw`|base64_?encode\w{0,9}|encode64|Base64\.\w{1,16})\(`,
    String.raw`(?:\[\]byte\()?b?[¶\x60][A-Za-z][\w.@+-]{0,39}:(?!\/)`), quoted, isInPlace),
  after("Secret", "securestring", /SecureString[¶]?,?\s{1,12}(?:--)?[¶]?value[¶]?[ \t]{0,8}[:=]?[ \t]{0,8}[¶]?/gi,
    /[^\s`,;¶]+/y, isInPlace),
  password("securestring", /ConvertTo-SecureString[ \t]{1,4}(?:-String[ \t]{1,4})?[¶]/gi, quoted, isNoPlaceholder),
  behind(/NetworkCredential\(|(?:\b|_)auth ?[=:] ?[([]|BasicAuth\(/g, password("networkcredential|auth", /[¶],¬[¶]/g,
    quoted, (secret, { text, start }) => isSecretLike(secret) || (isInPlace(secret) &&
    authArgument.test(text.slice(Math.max(0, start - 90), start))))),
  // log in with bob / …, creds: bob/…, (bob // …)
  near(`${doorWords}|@| / |\`/\`|root/|admin/|operator/|_ro/|_rw/|_bot/|_user/|_app/|_reader/|_writer/|use |with ` +
  `|met |mit |avec |con |com `,
    password("", pattern("g",
    String.raw`(?<![\w/.@:+-])[A-Za-z][\w.@+-]{1,39}[\x60"'*]{0,2}(?: {1,8}\/{1,2} |\/`,
    String.raw`|(?<=\([\w.@+-]{2,40}), (?=\S{1,40}\))`,
    String.raw`|(?<=@[\w-]{1,40}\.[\w.-]{2,20}[\x60"'*]{0,2})(?:, | \(| ?: ?))[\x60"'*]{0,2}`), wordOfPair,
    (secret, found) => (door.test(lineOf(found.text, found.start, found.end)) || (/[ `]\//.test(found.context) &&
      door.test(paragraphOf(found))) ||
    /\w@[\w-]{1,40}\./.test(found.context) || knownUser.test(found.context) ||
      /^(?:root|admin|sa|postgres|elastic|operator)\//.test(found.context) ||
    (secret.length >= 16 && found.context.includes(" / ") && isCode(secret) && hasBothCases(secret)) ||
    isLedPair(secret, found)) && !/^[A-Za-z\d+/]{24,}={0,2}$/.test(found.context + secret) &&
    (isMadePassword(secret, found) || isPairOfDoor(secret, found)))),
  // ("anna@example.com", "…") near a word for a password
  near("@|account|login|cred|users|passw|auth", password("", /[([{]¬[¶][\w.+@-]{2,80}[¶],¬[¶]/g, quoted, (secret, {
    text, start, end, context }) =>
    isInPlace(secret) && !/^\w+=|[/:]/.test(secret) && (context.includes("@") ?
      /passw|login|creds|credential/i.test(text.slice(Math.max(0, start - 200), end +
    200)) : (isMadeUp(secret) || isMixedWord(secret)) &&
      /account|login|cred|passw|users|auth/i.test(text.slice(Math.max(0, start - 200), start))))),
  // log in as bob with …, login `bob` with …, `bob@host` with …
  password(" with | using | mit | avec | con ", pattern("gi",
    String.raw`(?:\b(?:in as|login|user|account|konto|compte)[ \t:]{1,2}[\x60¶]?[\w.@+-]{2,40}[\x60¶]?|[\x60¶](?:sa`,
    String.raw`|root|admin|postgres)[\x60¶]|\bas~`,
    String.raw`(?:\x60[\w.@+-]{2,40}\x60|[a-z]{2,20}[._@][\w.@+-]{1,40}|[A-Z]{2,15}\\[\w.@+-]{2,40})`,
    String.raw`|\x60[\w.@+-]{2,40}\x60`,
    String.raw`|\buse[sd]?~(?:[\x60¶][\w.@+-]{2,40}[\x60¶]|[a-z]{2,20}[_@.][\w.@+-]{1,40})|`,
    String.raw`(?<![\w.+-])[\w.+-]{1,40}@[\w.-]{3,40}[\x60¶]?) (?:with|using|mit|avec|con) [\x60¶]?`), wordOfPair,
      (secret, found) =>
    ((found.context.startsWith("`") ? isStrong(secret) : isMadeUp(secret) || isMixedWord(secret) ||
      isJoinedPair(secret)) ||
    (/^(?:[A-Z][a-z]{2,}){2,4}$/.test(secret) && /passw/i.test(lineOf(found.text, found.start, found.end)))) &&
      isInPlace(secret) &&
    !/^\*|[/\\]|\.\w{1,5}$/.test(secret)),
  behind(/\uE010/g, password("\uE010", pattern("gi",
    String.raw`(?:(?<=\uE010[\x60¶]{0,2})(?:[,;]| and| or| und| oder| y| et| ou| e| then| \/| \+| :| →| ->| =>| to`,
    "| auf)(?: [a-z]{2,12})?",
    String.raw`|(?<![\p{L}\d])(?:is|was|are|ist|war|gilt|lautet|est|était|sera|es|era|será|é|foi|è|sarà|diventa`,
    "|jest|wordt)(?: (?:still|now|noch|jetzt))?",
    String.raw`|\b(?:old|new|neu|one|part)(?: (?:for|of|on)(?: [\w.'-]{1,20}){1,4}?`,
    String.raw`| \w{1,5})?:?) [\x60¶]?(?=[^\s/@]{7})`),
    wordOfPair, isAnother)),
  // A command that prints a secret, and its output
  after("Secret", "get secret|initial-password|secret-value|gcloud secrets|terraform out|openssl rand|vault " +
  "|op read|pass show|pwgen|cat |base64 ", pattern("g",
    String.raw`(?:^|\n)(?:[\w.-]{1,40}@[\w.-]{1,40}:\S{1,40} ?)?[ \t$>#%]{0,4}(?:kubectl get secret`,
    "|argocd admin initial-password",
    "|aws secretsmanager get-secret-value|gcloud secrets|terraform output|openssl rand|vault (?:kv get|read)" +
    "|op read|pass show|pwgen",
    String.raw`|cat \S{0,60}(?:pass|pw|secret|auth|cred|token)|[^\n]{1,160}\| ?base64 -(?:d|-decode`,
    String.raw`|D)\b)[^\n]{0,160}\n(?:[a-z][\w.-]{1,24}\n)?[ \t>]{0,4}`),
    /[^\s"'`]+/y, (secret, { text, end }) => (isTokenLike(secret) || isMadeUp(secret) || isMixedWord(secret)) &&
      isNoPlaceholder(secret) &&
    /^[ \t]*(?:\n|$)/.test(text.slice(end, end + 3))),
  // "…".toCharArray()
  password("tochararray", /"(?=[^"\n]{4,60}"\.toCharArray\(\))/g, /[^"\n]+/y, (secret, { text, start }) =>
    isSecretLike(secret) ||
    (isInPlace(secret) && /pass|key|load|store/i.test(text.slice(Math.max(0, start - 60), start)))),
  // vault kv put secret/app api=…, ::add-mask::…
  behind(/\bvault (?:kv )?(?:put|write|patch) |\bsecrets? set |\bconfig[: ]set /g, after("Secret",
    "vault |secret set|secrets set|config:set|config set",
    /(?<=\s)[\w.-]{1,40}=["']?/g, unquoted, (secret) => isTokenLike(secret) && !isOrdinary(secret) &&
      isNoPlaceholder(secret))),
  after("Secret", "add-mask", /::add-mask::/g, unquoted, isSecretLike),
  // NEO4J_AUTH=neo4j/…, BASIC_AUTH=bob:…
  password("_auth|bundle_|bundle config", pattern("g",
    String.raw`(?:\bbundle config (?:set )?(?:--\w{1,10} )?[\w.-]{3,60} |\b(?:[A-Z][A-Z0-9_]{0,40}_AUTH`,
    `|BUNDLE_[A-Z0-9_]{3,60})["']?¬[=:]¬["']?)(?!`,
    String.raw`(?:oauth2?|basic|jwt|none|https?|path|file)[:/])[\w.@+-]{1,40}[:/](?!\/)`), /[^\s`,;)¶]+/y, isInPlace),
  password("keys(|type(|fill(|text(|setvalue(|keyboard(", pattern("gi",
    String.raw`\b(?:send_?keys|type|fill|setText|setValue`,
    String.raw`|enterText|type_text|replaceText|keyboard)\((?:(?:"[^"\n]{0,80}"|'[^'\n]{0,80}'|\x60[^\x60\n]{0,80}\x60`,
    String.raw`|[\w.]{1,40}\([^()\n]{0,60}\)),[ ]?)?["'\x60]`), /(?:(?!\{[A-Za-z]+\}["'`])[^"'`\n])+/y, isTyped),
  password(":54|:6432|:*|]:", /(?::(?:54\d\d|6432|\*):[\w.*-]+:[\w.*-]+|\]:\d{2,5}[ \t]{1,8}[\w.@+-]{1,40}):(?!\/)/g,
    unquoted, isNoPlaceholder),
  // WIFI:S:…;T:WPA;P:…;;
  password("wifi:", /\bWIFI:[^\n]{0,80}?(?<=[:;])P:/g, /[^;\s]+/y, isNoPlaceholder),
  // bob/…@ORCL, bob/…@//db1:1521/orcl
  password("@",
    /(?<![\w/.@:-])[A-Za-z]\w{1,30}\/(?=[^\s@/"'`]{6,60}@(?:\/\/\w|[A-Z][A-Z\d_]{2}|[\w.-]{1,60}:\d{4}))/g,
      /[^\s@/]+/y, (secret) =>
    (isMadeUp(secret) || isMixedWord(secret)) && isNoPlaceholder(secret)),
  // PIN: …, the door code is …, --pin …
  { ...alone("PIN", pinKeywords,
    pattern("g", String.raw`(?<![\w.,/#@$€£+-])(?:\d{4,12}[#*A-F]?|\d{3}(?:[ -]\d{3}){1,2}|\d\d-\d\d-\d\d|[A-Z]-\d{6})`,
    String.raw`(?![\w%:/-]|[.,]\d| ?${unit}\b)`), isPinAt), isNear: true, reach: 240 },
  // bob:…@host
  { ...after("URL password", "@", /(?<![\w/:.@%-])(?:[\w.-]{1,32}\/|sips?:)?[\w.-]{1,32}:(?!\/)/g, /[^\s"'<>`,:/]+/y,
    (secret, {
    text, end, context }) => looksChosen(secret) &&
    !secret.includes("@") && !/(?:mail(?:to)?|to|from|cc|by):$/i.test(context) &&
      /^@(?!sha\d)[\w.-]/.test(text.slice(end, end + 6)) &&
    isNoPlaceholder(secret)), upTo: "@" },
];
