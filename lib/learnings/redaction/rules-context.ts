import {
  hasBothCases,
  hasDigit,
  isPlaceholder,
  isPlainCase,
  looksRandom,
  looksVeryRandom,
} from "./appearance.ts";
import {
  type Accept,
  type AcceptInContext,
  after,
  base64,
  type ContextRule,
  kindNamed,
  ofLength,
  quoted,
  type TokenRule,
  token,
  unquoted,
  word,
} from "./rule.ts";

const isNoPlaceholder: Accept = (secret) => !isPlaceholder(secret);
const isRandom: Accept = (secret) => looksRandom(secret) && !isPlaceholder(secret);
/** Not a plain word, which is what prose has in the same place. */
const isSecretLike: Accept = (secret) =>
  (hasDigit(secret) || (hasBothCases(secret) && !isPlainCase(secret))) && !isPlaceholder(secret);

function decoded(encoded: string): string {
  try {
    return atob(encoded);
  } catch {
    return "";
  }
}

/** Three parts, or the five of an encrypted one; the last is empty in an unsigned one. */
const isJsonWebToken: Accept = (secret) => /^[\w-]{10,}\.(?:[\w-]{10,}\.[\w-]|eyJ[\w-]{7,}\.)/.test(secret);

// biome-ignore format: one rule a line
export const generalTokens: readonly TokenRule[] = [
  token("JWT", "eyJ", /[\w-]+(?:\.[\w-]+(?:\.[\w-]*(?:\.[\w-]+\.[\w-]+)?)?)?/y, 20, isJsonWebToken),
  token("Private key", "LS0tLS1CRUdJTi", base64, 40, (secret) => decoded(secret.slice(0, 80)).includes("PRIVATE KEY")),
];

/** "Basic authentication" is prose: without the header's name only an encoded `user:password` counts. */
const isEncodedPair: Accept = (secret) => secret.length >= 8 && /^[ -9;-~]+:[ -~]+$/.test(decoded(secret));

const isHeader: Accept = (secret) =>
  secret.length >= 12 && !/:\/\/|[([]/.test(secret) && isSecretLike(secret);

/** `guest:guest@` and `postgres:postgres@` are defaults that everybody knows; `root:secret@` is none. */
const isOwnPassword: AcceptInContext = (secret, { context }) =>
  context !== `://${secret}:` &&
  (!isPlaceholder(secret) || ["secret", "admin", "root", "test"].includes(secret));

const secretParameter =
  /(?:token|secret|passw(?:or)?d|pwd|passcode|api[_-]?key|appid|sig|signature|credential|subscription-key|session_?id)=/i;
const maybeSecretParameter = /^.(?:key|code|auth|sid|jwt|hmac)=/i;
const isParameter: AcceptInContext = (secret, { context }) =>
  secretParameter.test(context)
    ? secret.length >= 6 && isSecretLike(secret)
    : secret.length >= 16 && maybeSecretParameter.test(context) && isRandom(secret);

const bearer = /\bbearer[ \t]{1,4}["'`]?/gi;
const bearerValue = /[\w.~+/=:%-]+/y;
const basic = /\bbasic[ \t]{1,4}["'`]?/gi;
const basicValue = /[A-Za-z0-9+/]+={0,2}/y;

/** Headers and URLs. */
// biome-ignore format: one rule a line
export const headerAndUrlContexts: readonly ContextRule[] = [
  after("Private key", '"kty"', /"(?:d|p|q|dp|dq|qi|k)"[ \t]{0,4}:[ \t]{0,4}"/g, word, ofLength(40)),
  after("Bearer token", "bearer", bearer, bearerValue, isHeader),
  { ...after("Bearer token", "bearer", bearer, bearerValue, (secret) => secret.length >= 6 && isSecretLike(secret)), behind: /authorization["']?[:=]/gi },
  after("Basic credentials", "basic", basic, basicValue, isEncodedPair),
  { ...after("Basic credentials", "basic", basic, basicValue, isSecretLike), behind: /authorization/gi },
  after("Authorization header", "authorization", /\bauthorization["']?[ \t]{0,2}[:=,][ \t]{0,2}["'`]?(?:[a-z][\w-]{1,20}[ \t]{1,2})?(?:token=|key=)?["']?/gi, /[^\s"'`,;\\]+/y, isHeader),
  { ...after("URL password", "://", /:\/\/[^\s:@/"'<>`[]*:/g, /[^\s"'<>`/,]+/y, isOwnPassword), upTo: "@" },
  { ...after("URL password", "jdbc:oracle", /jdbc:oracle:[a-z]+:[^\s/@"':]+\//g, /[^\s"'/]+/y, isNoPlaceholder), upTo: "@" },
  { ...after("URL token", "://", /:\/\//g, /[^\s:/"'<>`[]+/y, (secret) => secret.length >= 20 && isRandom(secret)), upTo: "@" },
  { ...after("URL password", "@tcp(", /["'`]\w+:/g, /[^\s"'`/]+/y, isOwnPassword), upTo: "@tcp(" },
  after("URL token", "=", /[?&#][\w.-]+=/g, /[^\s&#"'<>`;]+/y, isParameter),
];

/** `-u 1000:1000` are a user and a group, `-p 6380` is a port. */
const isUserPassword: Accept = (secret) => /[A-Za-z]/.test(secret) && isSecretLike(secret);

const isPipedIntoSudo: AcceptInContext = (secret, { text, end }) =>
  /^["']?[ \t]{0,2}\|[ \t]{0,2}sudo -S/.test(text.slice(end, end + 20)) && !isPlaceholder(secret);

/** "credentials: admin / …" */
const isSlashedPassword: Accept = (secret) =>
  secret.length >= 6 && hasDigit(secret) && hasBothCases(secret) && isNoPlaceholder(secret);

/** The word for it elsewhere, with what ties it to a value. */
const otherLanguages =
  /(?:contrase(?:ñ|n)a|senha|mot de passe|wachtwoord|пароль|密[码碼]|パスワード|비밀번호)["'`*]{0,2}[ \t]{0,2}(?:[:=：]|es|est|é|is|это|是|は)[ \t]{0,2}["'`「]?/gi;
const isForeignPassword: Accept = (secret) =>
  secret.length >= 6 && hasDigit(secret) && isUserPassword(secret);

/** Commands, statements and files with a place for a password. */
// biome-ignore format: one rule a line
export const statementContexts: readonly ContextRule[] = [
  after("CLI password", "u |user", /[ \t]-[A-Za-z-]*u(?:ser)?[ =]["']?[^\s:"'$]+:/g, unquoted, isUserPassword),
  { ...after("CLI password", " -p| -a| -w", /[ \t]-[apw][ =]?["']?/g, unquoted, isUserPassword), behind: /sshpass|login|mongo|twine|redis-cli|ldap[a-z]|snowsql|cqlsh|psexec/g },
  { ...after("CLI password", " -a", /[ \t]-a[ =]["']?[^\s:"'$]+:/g, unquoted, isUserPassword), behind: /\b(?:https?|xh)[ \t]/g },
  { ...after("CLI password", " -p", /[ \t]-P[ =]?["']?/g, unquoted, isUserPassword), behind: /sqlcmd|bcp|osql|zip/g },
  { ...after("CLI password", "smb", /[ \t]-U[ =]?["']?[^\s%"'$]+%/g, unquoted, isUserPassword), behind: /smb/g },
  after("CLI password", "net use", /\bnet use \S+ \S+ /gi, unquoted, isUserPassword),
  // With a blank behind its option, mysql takes the next word for the database.
  { ...after("CLI password", "mysql", /[ \t]-p/g, unquoted, isNoPlaceholder), behind: /mysql/g },
  after("CLI password", "sudo -s", /\becho ["']?/g, /[^\s"'|]+/y, isPipedIntoSudo),
  { ...after("CLI password", "htpasswd", /[ \t]-[A-Za-z]*b[ \t]\S+[ \t]\S+[ \t]/g, unquoted, isNoPlaceholder), behind: /htpasswd/g },
  after("CLI password", "pass:", /-pass(?:in|out|word)?[ \t]["']?pass:/g, unquoted, isNoPlaceholder),
  after("Password", "identified by", /\bidentified by ["']/gi, quoted, isNoPlaceholder),
  after("Password", "password ", /\bpassword ["']/gi, quoted, isSecretLike),
  // machine example.com login me password …, on one line or on three
  after("Password", "login", /login\s+\S+\s+password[ \t]+/g, unquoted, isSecretLike),
  after("Password", "securestring", /ConvertTo-SecureString[ \t]{1,4}(?:-String[ \t]{1,4})?["']/gi, quoted, isNoPlaceholder),
  { ...after("Password", "networkcredential|auth", /["'],[ \t]{0,4}["']/g, quoted, isSecretLike), behind: /NetworkCredential\(|\bauth ?= ?\(|BasicAuth\(/g },
  { ...after("Password", "login(|connect", /["'],[ \t]{0,4}["']/g, quoted, isSlashedPassword), behind: /\b(?:login|getConnection|\w*_connect)\(/g },
  after("Password", "unsafeplaintext", /unsafePlainText\(["'`]/gi, quoted, isNoPlaceholder),
  { ...after("Password", "keys(|type(|fill(", /\b(?:send_?keys|type|fill)\((?:["'`][^"'`\n]{0,80}["'`],[ ]?)?["'`]/gi, quoted, isSecretLike), behind: /passw/gi },
  after("Password", "contrase|senha|mot de passe|wachtwoord|пароль|密码|密碼|パスワード|비밀번호", otherLanguages, /[^\s"'`,;，。」]*[^\s"'`,;，。」.]/y, isForeignPassword),
  { ...after("Password", " / ", / \/ /g, unquoted, isSlashedPassword), behind: /\b(?:credentials|creds|login)\b/gi },
  after("Password", ":54|:6432|:*", /:(?:54\d\d|6432|\*):[\w*-]+:[\w*-]+:/g, unquoted, isSecretLike),
];

/** `Xk9!pQz7Rt`: small letters, capitals, digits and a symbol, in no order, and no part of something longer. */
const isPasswordShaped: AcceptInContext = (secret, { text, start, end }) =>
  secret.length <= 64 &&
  hasDigit(secret) &&
  hasBothCases(secret) &&
  /[A-Za-z0-9][!#$%^&*?+~@]+[A-Za-z0-9]/.test(secret) &&
  // An address, or something percent-encoded.
  !/@[\w-]+\.[a-z]|%.*%/.test(secret) &&
  looksVeryRandom(secret) &&
  !/[/=%@]/.test(text.charAt(start - 1) + text.charAt(end)) &&
  !isPlaceholder(secret);

/** A guess, for the end: a line that speaks of passwords, and a word that looks like one. */
export const passwordShapedRule: ContextRule = {
  ...kindNamed("Password"),
  keywords: ["pass", "pwd", "cred", "auth", "login"],
  pattern: /[\w!#$%^&*?+~@.-]+/g,
  behind: /pass|pwd|cred|auth|login/gi,
  accept: isPasswordShaped,
};
