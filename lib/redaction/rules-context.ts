import { hasBothCases, hasDigit, hasLetter, isHex, isPlainCase, looksRandom } from "./appearance.ts";
import { isCode, isMadeUp, isTokenLike, looksChosen } from "./features.ts";
import { lineOf } from "./nearby.ts";
import { isPlaceholder } from "./placeholders.ts";
import { isInPlace } from "./refusals.ts";
import {
  type Accept,
  type AcceptInContext,
  after,
  base64,
  behind,
  type ContextRule,
  ofLength,
  quoted,
  spaced,
  type TokenRule,
  token,
  unquoted,
  word,
} from "./rule.ts";

const isNoPlaceholder: Accept = (secret) => !isPlaceholder(secret);
const isRandom: Accept = (secret) => looksRandom(secret) && !isPlaceholder(secret);
/** Rejects plain words, which prose has in the same position. */
const isSecretLike: Accept = (secret) =>
  (hasDigit(secret) || (hasBothCases(secret) && !isPlainCase(secret)) || looksChosen(secret)) &&
  !isPlaceholder(secret);

function decoded(encoded: string): string {
  try {
    return atob(encoded);
  } catch {
    return "";
  }
}

/** Three parts, or five parts in an encrypted token. The last part of an unsigned token is empty. */
const isJsonWebToken: Accept = (secret) => /^[\w-]{10,}\.(?:[\w-]{10,}\.[\w-]|eyJ[\w-]{7,}\.)/.test(secret);

// biome-ignore format: one rule a line
export const generalTokens: readonly TokenRule[] = [
  token("JWT", "eyJ", /[\w-]+(?:\.[\w-]+(?:\.[\w-]*(?:\.[\w-]+\.[\w-]+)?)?)?/y, 20, isJsonWebToken),
  token("Private key", "LS0tLS1CRUdJTi", base64, 40, (secret) => decoded(secret.slice(0, 80)).includes("PRIVATE KEY")),
];

/** "Basic authentication" is prose: without the header's name, accepts only an encoded `user:password`. */
const isEncodedPair: Accept = (secret) => secret.length >= 8 && /^[ -9;-~]+:[ -~]+$/.test(decoded(secret));

const isHeader: Accept = (secret) =>
  secret.length >= 8 &&
  (secret.length >= 12 || looksChosen(secret)) &&
  !/:\/\/|[([]/.test(secret) &&
  isSecretLike(secret);

/** `guest:guest@` and `postgres:postgres@` are well-known defaults; `root:secret@` is not a default. */
const isOwnPassword: AcceptInContext = (secret, { context }) =>
  context !== `://${secret}:` &&
  !/^(?:x-oauth-basic|x-access-token|api_token)$/.test(secret) &&
  (!isPlaceholder(secret) || ["secret", "admin", "root", "test"].includes(secret));

const secretParameter =
  /(?:token|secret|passw(?:or)?d|pwd|passcode|api[_-]?key|appid|sig|signature|credential|subscription-key|session_?id)=/i;
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

const bearer = /\bbearer[ \t]{1,4}[¶`]?/gi;
const bearerValue = /[\w.~+/=:%-]+/y;
const basic = /\bbasic[ \t]{1,4}[¶`]?/gi;
const basicValue = /[A-Za-z0-9+/]+={0,2}/y;

/** Headers and URLs. */
// biome-ignore format: one rule a line
export const headerAndUrlContexts: readonly ContextRule[] = [
  after("Private key", "kty", /["\uE000](?:d|p|q|dp|dq|qi|k)["\uE000]¬:¬["\uE000]/g, word, ofLength(40)),
  after("Bearer token", "bearer", bearer, bearerValue, isHeader),
  behind(/authorization[¶]?[:=]/gi, after("Bearer token", "bearer", bearer, bearerValue, (secret) => secret.length >= 6 && isSecretLike(secret))),
  after("Basic credentials", "basic", basic, basicValue, isEncodedPair),
  behind(/authorization/gi, after("Basic credentials", "basic", basic, basicValue, isSecretLike)),
  behind(/authorization/gi, after("Basic credentials", "basic", /\bbasic[ \t]{1,4}[A-Za-z][\w.@-]{1,40}[ \t]{1,4}/gi, unquoted, isSecretLike)),
  after("Authorization header", "authorization", /\bauthorization(?:[¶],\s{0,20}[¶]?value[¶]?¬[:=]¬[¶]|[¶]?\]?¬[:=,]¬[¶`]?|[ \t]{1,8}[¶]|[¶`]?[ \t]{0,40}\|¬[¶`]?)(?:[a-z][\w-]{1,20}[ \t]{1,2})?(?:token=|key=)?[¶]?/gi, /[^\s"'`,;\\]+/y, isHeader),
  { ...after("URL password", "://", /:\/\/[^\s:@/"'<>`[]*:/g, /[^\s"'<>`/,]+/y, isOwnPassword), upTo: "@" },
  { ...after("URL password", "jdbc:oracle", /jdbc:oracle:[a-z]+:[^\s/@"':]+\//g, /[^\s"'/]+/y, isNoPlaceholder), upTo: "@" },
  after("API key", "-h|header", /(?:-H|--header)[ =]{0,2}[¶]?(?!idem|sec-|surr|cache|x-(?:cache|idem)|if-)[\w.-]{0,40}?(?:keys?|token|secret|session|license|auth|pat)¬:¬/gi, /[^\s¶`,;]+/y, (secret) => secret.length >= 8 && (isTokenLike(secret) || isCode(secret) || (isHex(secret) && hasDigit(secret) && hasLetter(secret))) && isNoPlaceholder(secret)),
  { ...after("URL token", "://", /:\/\//g, /[^\s:/"'<>`[]+/y, isUserToken), upTo: "@" },
  { ...after("URL password", "@tcp(", /(?<![\w:/])\w{1,40}:/g, /[^\s"'`/]+/y, isOwnPassword), upTo: "@tcp(" },
  { ...after("URL token", "://", /:\/\//g, /[\w.~-]+:(?=(?:x-oauth-basic|x-access-token|api_token|x)?@)/y, (secret, { text, end }) => (text.startsWith(":@", end) ? secret.length >= 16 && isRandom(secret) : secret.length >= 8 && isSecretLike(secret))), upTo: ":" },
  // --project-token=…: only a token follows, so a shorter hex counts
  after("Token", "-token", /[ \t]--[\w-]{0,24}token[ =]["']?/g, /[\w-]+/y, (secret) => /^[0-9a-f]{10,}$/.test(secret) && hasDigit(secret) && hasLetter(secret) && isNoPlaceholder(secret)),
  after("URL token", "", /[?&#][\w.-]+=/g, /[^\s&#"'<>`;]+/y, isParameter),
];

/** Words on the line of a pair of a user and a password. */
const doorWords =
  "credential|cred|login|log in|logged in|signin|sign in|signs in|account|anmeld|einlogg|zugang|compte|konto|cuenta|identifiants|connexion|se connecter|credenciales|credenziali|credenciais|logowania|dostępowe|доступ|вход|accès|acceso|accesso|acesso|учетн|учётн|логин|账号|帐号|ログイン|アカウント|user/pass|username/pass";
const door = new RegExp(doorWords, "i");
/** Words right before the user: "log in with anna / …", "Login: anna / …", "(anna / …)". */
const leadsToUser =
  /(?:(?:^|[\s(])(?:with|as|mit|als|con|avec|com|using|is|are|ist|lauten|lautet|sind|son|sont|sono|são)|[:=]|(?:account|log-?in|users?|credentials?|creds|konto|compte|cuenta|conto|conta)[ \t]?\()[ \t]{0,3}[`"'*]{0,2}$/i;
/** Words that name the pair itself: between them and the user only a purpose, a verb or a colon. */
const namesPair =
  /(?:log-?in|sign-?in|credentials?|creds|zugangsdaten|zugang|anmeldedaten|identifiants|credenciales|credenziali|credenciais|доступ|логин|user(?:name)?\/pass(?:word)?)(?: (?:for|of|to|on|für|zu|zum|zur|de|del|per|da|do)(?: [\w.-]{1,20}){1,4})?[*_]{0,2}(?:[ \t]{0,3}[:=][*_]{0,2}|[ \t](?:is|are|ist|lauten|lautet|son|sono|sont))[ \t]{1,3}[`"']?$/i;
const noUserOfPair =
  /^(?:read|intern\w*|extern\w*|success|github|google|gitlab|sso|saml|email|user|username|yes|no|enabled|true|none|ok|oauth|password|phone|staging|prod|production|dev|test|client|https?|src|app|lib|api|login)$/i;
const noPasswordOfPair =
  /^(?:write|read|extern\w*|intern\w*|required|optional|fail\w*|error|logout|sign-?(?:up|out)|register|google|github|gitlab|facebook|apple|microsoft|denied|down|disabled|pass\w*|logoff|index|api|auth|login|home|callback|token|production|staging|development|editor|viewer|owner|member|moderator|manager|customer|phone|saml|oidc|shared|personal|private|public)$/i;
const endsPair = /^[`"'*]{0,2}(?:[.,;)]|[ \t]*(?:\n|$)| (?:\(|on |for |in |at |to |anmeld|einlogg))/i;
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
      (isSpaced && /^[a-z]|[@\d]/.test(user) && leadsToUser.test(before)))
  );
};
/** Anywhere on the line of a door: the password itself must look like one. */
const isMadePassword: AcceptInContext = (secret, { text, end, context }) =>
  !/[/@.:]/.test(text.charAt(end)) &&
  secret.length >= (/ \//.test(context) ? 6 : 8) &&
  (isMadeUp(secret) ||
    (/ \//.test(context) && ((hasDigit(secret) && hasBothCases(secret)) || isCode(secret)))) &&
  !/\.\w{1,5}$|\*\*|^ipv\d$/i.test(secret) &&
  isNoPlaceholder(secret);
/** Rejects the placeholder of the documentation, `IDENTIFIED BY password`, and a sentence about the statement. */
const isIdentifying: AcceptInContext = (secret, { text, start, context }) =>
  secret.length >= 4 &&
  (/["'\uE000-\uE003]$/.test(context) ||
    /(?:user|role|connect to)\s{1,8}\S{1,60}\s{1,8}\S{0,8}\s{0,8}$/i.test(
      text.slice(Math.max(0, start - context.length - 100), start - context.length),
    )) &&
  !/^(?:random|the|a|an|your|this|its|id|their|one|two|three|each|name|email|number)$/i.test(secret) &&
  isNoPlaceholder(secret);
const isPaired: AcceptInContext = (secret, { text, end, context }) =>
  (secret.length >= 6 && (looksChosen(secret) || isCode(secret)) && isNoPlaceholder(secret)) ||
  (/^(?:(?:credentials?|creds|login|userpwd)\b[^=:]{0,60}[:=]|stats auth|basic_?auth|auth_basic)/i.test(
    context,
  ) &&
    isInPlace(secret) &&
    /^["'`]?(?:[.,;)]?(?:\s|$))/.test(text.slice(end, end + 3)));

/** After `admin/` the value may be part of a path: then only a password of a person counts. */
const isKnownUsers: AcceptInContext = (secret, { context, text, end }) =>
  secret.length >= 8 &&
  !/[/:@\\]|\*\*/.test(secret + text.charAt(end)) &&
  (context.endsWith("/") ? looksChosen(secret) && !/^[\w.-]+\.\w{1,5}$/.test(secret) : isMadeUp(secret)) &&
  isNoPlaceholder(secret);

/** Accepts text that is typed into a field whose name announces a password. */
const isTyped: AcceptInContext = (secret, { text, start }) => {
  const before = text.slice(Math.max(0, start - 160), start);
  return (
    (/passw|pwd|passcode|secret/i.test(before.slice(before.lastIndexOf("\n") + 1)) && isSecretLike(secret)) ||
    // The field that is filled in is the password itself.
    (/pass(?:w(?:or)?d|code)["'`\])]{1,4}(?:\)?\.\w{1,12}\(|, ?)["'`]$/i.test(before) && isInPlace(secret))
  );
};

const password = (keywords: string, pattern: RegExp, value: RegExp, accept: AcceptInContext): ContextRule =>
  after("Password", keywords, spaced(pattern), value, accept);

/** Commands, statements and files that contain a password at a known position. */
// biome-ignore format: one rule a line
export const statementContexts: readonly ContextRule[] = [
  password("identified ", /\bidentified (?:with \w{1,40} )?by~(?:values?~)?[¶]/gi, quoted, isIdentifying),
  password("identified |from |password to|password for", /\bidentified (?:with \w{1,40} )?by~(?:values?~)?[¶]?|\bpassword (?:from|to|for \S{1,60} =)~[¶]/gi, /[^\s`;¶]+/y, isIdentifying),
  // btoa("bob:…"), base64_encode('bob:…')
  password("btoa|b64|base64|encode64", /(?:btoa|b64_?encode|base64_?encode\w{0,9}|encode64|Base64\.\w{1,16})\((?:\[\]byte\()?b?[¶`][A-Za-z][\w.@+-]{0,39}:(?!\/)/gi, quoted, isInPlace),
  password("{plain}|{cleartext}|{clear}|{noop}", /\{(?:PLAIN|CLEARTEXT|CLEAR|NOOP)\}/gi, /[^\s"':]+/y, isNoPlaceholder),
  password("credential|creds|login|auth|userpwd", /(?<![a-z])(?:credentials?|creds|login|stats auth|basic_?auth|auth_basic|auth|userpwd|addauth digest|user\.info)[¶]?(?: (?:for|of|to|on|are|is)(?: [\w.-]{1,24}){0,4})?¬(?:[:=]|,|[=-]>|[ \t])¬[¶]?[\w.@+-]{1,40}:(?!\/)/gi, /[^\s`,;¶]+/y, isPaired),
  after("API key", "key for|key to|key of|key (", /(?<!(?:primary|foreign|cache|public|partition|sort|idempotency|unique|ssh|site|host) )\bkey (?:(?:for|to|of)(?: [\w.-]{1,24}){0,4}? (?:API|service|account|gateway|endpoint|server)|\([^()\n]{0,40}(?:hex|AES|b(?:ase)?64|secret|private)[^()\n]{0,20}\)) ?(?::|=|is\b|was\b) ?["'`]?/gi, /[\w+/=-]+/y, (secret) => isTokenLike(secret) && isNoPlaceholder(secret)),
  password("]:", /\]:\d{2,5}~\S{1,60}?:/g, unquoted, isNoPlaceholder),
  password("securestring", /ConvertTo-SecureString[ \t]{1,4}(?:-String[ \t]{1,4})?[¶]/gi, quoted, isNoPlaceholder),
  behind(/NetworkCredential\(|\bauth ?[=:] ?[([]|BasicAuth\(/g, password("networkcredential|auth", /[¶],¬[¶]/g, quoted, (secret, { text, start }) => isSecretLike(secret) || (isInPlace(secret) && /(?:\bauth ?[=:] ?[([]|Auth\(|Credential\()\s{0,4}["'][^"'\n]{0,60}["'],\s{0,4}["']$/.test(text.slice(Math.max(0, start - 90), start))))),
  // log in with bob / …, creds: bob/…, (bob // …)
  password(`${doorWords}|@`, /(?<![\w/.@:+-])[A-Za-z][\w.@+-]{1,39}[`"'*]{0,2}(?: \/{1,2} |\/)[`"'*]{0,2}/g, /(?:[^\s/`,;.)¶]|\.(?=[^\s)]))+/y, (secret, found) => (door.test(lineOf(found.text, found.start, found.end)) || /\w@[\w-]{1,40}\./.test(found.context)) && (isMadePassword(secret, found) || isPairOfDoor(secret, found))),
  // admin:…, root/… anywhere: the value itself must look like a password
  password("admin|root|postgres|deploy|jenkins|sa:|sa/", /(?<![\w/.:@=-])(?:admin|administrator|root|sa|postgres|deploy|jenkins)[:/](?!\/)/gi, /[^\s`,;()<>¶]+/y, isKnownUsers),
  // Content-Disposition: form-data; name="password", and the value behind an empty line
  password("form-data", /form-data;¬name=[¶]\w{0,40}(?:pass|pwd|secret|token)\w{0,40}[¶](?:;[^\n]{0,60})?\r?\n(?:[\w-]{1,60}:[^\n]{0,80}\n)?¬\r?\n¬/gi, unquoted, isInPlace),
  // a1 LOGIN bob …, AUTH bob …
  password("login|auth", /(?:^|\n)¬(?:\w{1,8} LOGIN|AUTH)~(?!PLAIN|LOGIN)[\w.@-]{1,40}~/g, unquoted, (secret) => isSecretLike(secret) && !/[/\\=]|\.\w{1,4}$|^[\d.:]+$/.test(secret)),
  after("Basic credentials", "auth", /\bAUTH[ =](?:PLAIN|LOGIN)[ \t]{1,4}/g, basicValue, (secret) => secret.length >= 8 && /^[ -~]*[:\0][ -~]/.test(decoded(secret))),
  // user bob on >… ~* +@all
  password("user ", /\buser~\S{1,40}~(?:on|off)~>/g, unquoted, isInPlace),
  // App password: abcd efgh ijkl mnop
  password("app", /\bapp[ -]?(?:specific[ -])?(?:password|passwort|pw)¬(?:[:=]|is|ist)?¬[¶`]?/gi, /[a-z]{4}(?: [a-z]{4}){3}(?![a-z])/y, (secret) => secret !== ""),
  after("Wi-Fi password", "wifi:", /\bWIFI:(?:[STHR]:[^;\n]{0,60};){0,3}P:/g, /[^;\\\n]+/y, isNoPlaceholder),
  // userlist.txt: "bob" "…"
  password("userlist|pgbouncer", /(?:^|\n)["'][\w.-]{1,40}["'] ["']/g, quoted, isInPlace),
  // type = "SecureString", value = "…"
  after("Secret", "securestring", /SecureString[¶]?,?\s{1,12}(?:--)?[¶]?value[¶]?[ \t]{0,8}[:=]?[ \t]{0,8}[¶]?/gi, /[^\s`,;¶]+/y, isInPlace),
  password("securestring", /(?:^|[ \t(])[¶](?=[^"'\n\uE000]{4,80}[¶] \| ConvertTo-SecureString)/gi, quoted, isInPlace),
  // send("…"); // admin's password
  password("password|passwort|passphrase", /(?:^|\n)[^"'`#<>\n]{0,80}[¶](?=[^\s"'\uE000]{4,40}[¶][);,\]}]{0,4}¬(?:#|\/\/|--)¬(?:(?:the|our|my|shared|admin|root|db|database|default|test|demo|login|temp|initial|\w{1,16}'s) )?(?:password|passwort|passphrase)(?: (?:on|of|for|with|in|to|at) [^\n]{1,40})?¬(?:\n|$))/gi, quoted, isInPlace),
  // NEO4J_AUTH=neo4j/…, BASIC_AUTH=bob:…
  password("_auth", /\b[A-Z][A-Z0-9_]{0,40}_AUTH["']?¬[=:]¬["']?(?!(?:oauth2?|basic|jwt|none|https?|path|file)[:/])[\w.@+-]{1,40}[:/](?!\/)/g, /[^\s`,;)¶]+/y, isInPlace),
  // chpasswd, and below it lines of bob:…
  password("chpasswd", /\n¬(?:- ?)?["']?[\w.-]{1,32}:(?=[^\s:]{4,64}["']?¬(?:\n|$))/g, /[^\s"']+/y, (secret, { text, start }) => isInPlace(secret) && /chpasswd/.test(text.slice(Math.max(0, start - 240), start))),
  // etcdctl user add bob:…
  password("user add", /\buser~add~[\w.-]{1,40}:/g, unquoted, isInPlace),
  // expect "assword:" { send "…" }
  behind(/assw(?:or)?d|passphrase/gi, password("send", /\bsend(?:line)?[ (]{1,2}(?:--~)?[¶]/g, quoted, isInPlace)),
  after("Wi-Fi password", "ssid|wifi|wi-fi|wlan|wpa|hotspot|network", /(?:ssid|wi-?fi|wlan|wpa\d?|hotspot)\b[^\n]{0,60}?\b(?:key|pass(?:word|phrase|code|wort)?|pw|psk|code|clave|senha|haslo|hasło|schlüssel|clé|chiave|contraseña|пароль|密码|パスワード)[¶]?¬(?:is|ist|est|es|[:=])?¬[¶]?/gi, /[^\s`,;¶]+/y, (secret) => !secret.startsWith("-") && isSecretLike(secret)),
  password(" *", /(?:^|\n)["']?[\w.@-]+["']?~(?:\*|pppd|\w{2,12})~["']?(?=[^\s"']+["']?~\*¬(?:\n|$))(?!import)/g, unquoted, isNoPlaceholder),
  password("keys(|type(|fill(|settext(|setvalue(", /\b(?:send_?keys|type|fill|setText|setValue|enterText|type_text|replaceText|keyboard)\((?:(?:"[^"\n]{0,80}"|'[^'\n]{0,80}'|`[^`\n]{0,80}`|[\w.]{1,40}\([^()\n]{0,60}\)),[ ]?)?["'`]/gi, /(?:(?!\{[A-Za-z]+\}["'`])[^"'`\n])+/y, isTyped),
  password(":54|:6432|:*", /:(?:54\d\d|6432|\*):[\w.*-]+:[\w.*-]+:(?!\/)/g, unquoted, isNoPlaceholder),
  // bob:…@host
  { ...after("URL password", "@", /(?<![\w/:.@%-])[\w.-]{1,32}:(?!\/)/g, /[^\s"'<>`,:/]+/y, (secret, { text, end, context }) => looksChosen(secret) && !secret.includes("@") && !/(?:mail(?:to)?|to|from|cc|by):$/i.test(context) && /^@(?!sha\d)[\w.-]/.test(text.slice(end, end + 6)) && isNoPlaceholder(secret)), upTo: "@" },
  // { value: "…", name: "DB_PASSWORD" }, SET value = '…' WHERE name = 'api_key'
  password("value", /\bvalue\W{0,5}[¶](?=[^"'\n\uE000]{6,200}[¶](?:,| where)\W{1,20}name\W{1,6}\w{0,40}(?:pass\w{0,8}|pwd|secret(?:_\w{1,12})?|token|(?:api|access|account|master|signing|encryption|license|private)_?key)\W)/gi, quoted, (secret) => isSecretLike(secret) && !/^(?:arn|https?):|^\//.test(secret)),
];
