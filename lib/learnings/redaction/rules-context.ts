import { hasBothCases, hasDigit, isPlaceholder, isPlainCase, looksRandom } from "./appearance.ts";
import {
  type Accept,
  after,
  base64,
  type ContextRule,
  lineBefore,
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
const isJsonWebToken: Accept = (secret) => {
  const [header = "", payload = "", signature] = secret.split(".");
  if (header.length < 10 || payload.length < 10 || signature === undefined) return false;
  return signature.length > 0 || payload.startsWith("eyJ");
};

// biome-ignore format: one rule a line
export const generalTokens: readonly TokenRule[] = [
  token("JWT", "eyJ", /[\w-]+(?:\.[\w-]+(?:\.[\w-]*(?:\.[\w-]+\.[\w-]+)?)?)?/y, 20, isJsonWebToken),
  token("Private key", "LS0tLS1CRUdJTi", base64, 40, (secret) => decoded(secret.slice(0, 80)).includes("PRIVATE KEY")),
];

/** "Basic authentication" is prose: without the header's name only an encoded `user:password` counts. */
const isBasic: Accept = (secret, found) =>
  secret.length >= 8 &&
  (/authorization/i.test(lineBefore(found, 60))
    ? isSecretLike(secret, found)
    : /^[ -~]+:[ -~]+$/.test(decoded(secret)));

const isHeader: Accept = (secret, found) =>
  secret.length >= 12 && !/:\/\/|[([]/.test(secret) && isSecretLike(secret, found);

/** `guest:guest@` and `postgres:postgres@` are defaults that everybody knows. */
const isOwnPassword: Accept = (secret, { context }) => context !== `://${secret}:` && !isPlaceholder(secret);

const secretParameter =
  /(?:token|secret|passw(?:or)?d|pwd|passcode|api[_-]?key|appid|sig|signature|credential|subscription-key|session_?id)=$/i;
const maybeSecretParameter = /^.(?:key|code|auth|sid|jwt|hmac)=$/i;
const isParameter: Accept = (secret, found) =>
  secretParameter.test(found.context)
    ? secret.length >= 6 && isSecretLike(secret, found)
    : secret.length >= 16 && maybeSecretParameter.test(found.context) && isRandom(secret, found);

/** Headers and URLs. */
// biome-ignore format: one rule a line
export const headerAndUrlContexts: readonly ContextRule[] = [
  after("Private key", '"kty"', /"(?:d|p|q|dp|dq|qi|k)"[ \t]{0,4}:[ \t]{0,4}"/g, word, ofLength(40)),
  after("Bearer token", "bearer", /\bbearer[ \t]{1,4}["'`]?/gi, /[\w.~+/=:%-]+/y, isHeader),
  after("Basic credentials", "basic", /\bbasic[ \t]{1,4}["'`]?/gi, /[A-Za-z0-9+/]+={0,2}/y, isBasic),
  after("Authorization header", "authorization", /\bauthorization["']?[ \t]{0,2}[:=,][ \t]{0,2}["'`]?(?:[a-z][\w-]{1,20}[ \t]{1,2})?(?:token=|key=)?["']?/gi, /[^\s"'`,;\\]+/y, isHeader),
  { ...after("URL password", "://", /:\/\/[^\s:@/"'<>`[]*:/g, /[^\s"'<>`/,]+/y, isOwnPassword), upTo: "@" },
  { ...after("URL password", "jdbc:oracle", /jdbc:oracle:[a-z]+:[^\s/@"':]+\//g, /[^\s"'/]+/y, isNoPlaceholder), upTo: "@" },
  { ...after("URL token", "://", /:\/\//g, /[^\s:/"'<>`[]+/y, (secret, found) => secret.length >= 20 && isRandom(secret, found)), upTo: "@" },
  after("URL token", "=", /[?&#][\w.-]+=/g, /[^\s&#"'<>`;]+/y, isParameter),
];

/** The commands that take a password with a one-letter option. */
const passwordOptions: Record<string, readonly string[]> = {
  a: ["redis-cli"],
  p: ["sshpass", "login", "mongo", "twine"],
  w: ["ldap"],
};
const isOptionPassword: Accept = (secret, found) => {
  const option = found.context.charAt(2);
  const line = lineBefore(found, 200);
  // mysql takes it without a blank; with one, the next word is the database.
  if (option === "p" && found.context.length === 3 && line.includes("mysql")) return !isPlaceholder(secret);
  return (
    (passwordOptions[option] ?? []).some((command) => line.includes(command)) && isSecretLike(secret, found)
  );
};

const isPipedIntoSudo: Accept = (secret, { text, end }) =>
  /^["']?[ \t]{0,2}\|[ \t]{0,2}sudo -S/.test(text.slice(end, end + 20)) && !isPlaceholder(secret);

const wordsBefore = ({ text, start }: { text: string; start: number }) =>
  text
    .slice(Math.max(0, start - 200), start)
    .trim()
    .split(/\s+/);

/** `machine example.com login me password …`, on one line or on three. */
const isNetrcPassword: Accept = (secret, found) =>
  wordsBefore(found).at(-3) === "login" && !isPlaceholder(secret);
/** `htpasswd -b file user …` */
const isHtpasswd: Accept = (secret, found) =>
  wordsBefore(found).at(-4) === "htpasswd" && !isPlaceholder(secret);

/** `auth=("user", "…")`, `NetworkCredential("user", "…")` */
const isSecondOfPair: Accept = (secret, found) => {
  const line = lineBefore(found, 160);
  const before = line.slice(0, line.lastIndexOf("("));
  return (
    ["NetworkCredential", "auth=", "auth = "].some((call) => before.endsWith(call)) && !isPlaceholder(secret)
  );
};

const isSlashedCredential: Accept = (secret, found) =>
  secret.length >= 6 &&
  /\b(?:credentials|creds|login)\b/i.test(lineBefore(found, 60)) &&
  isSecretLike(secret, found);

/** Commands, statements and files with a place for a password. */
// biome-ignore format: one rule a line
export const statementContexts: readonly ContextRule[] = [
  after("Command-line password", "-u|--user|--proxy-user", /[ \t](?:-u|--user|--proxy-user)[ =]["']?[^\s:"'$]+:/g, unquoted, isSecretLike),
  after("Command-line password", " -p| -a| -w", /[ \t]-[apw][ =]?["']?/g, unquoted, isOptionPassword),
  after("Command-line password", "sudo -s", /\becho ["']?/g, /[^\s"'|]+/y, isPipedIntoSudo),
  after("Command-line password", "htpasswd", /[ \t]-[A-Za-z]*b[ \t]\S+[ \t]\S+[ \t]/g, unquoted, isHtpasswd),
  after("Command-line password", "pass:", /-pass(?:in|out|word)?[ \t]["']?pass:/g, unquoted, isNoPlaceholder),
  after("Password", "identified by", /\bidentified by ["']/gi, quoted, isNoPlaceholder),
  after("Password", "password ", /\bpassword ["']/gi, quoted, isSecretLike),
  after("Password", "login", /\spassword[ \t]{1,4}/g, unquoted, isNetrcPassword),
  after("Password", "securestring", /ConvertTo-SecureString[ \t]{1,4}(?:-String[ \t]{1,4})?["']/gi, quoted, isNoPlaceholder),
  after("Password", "networkcredential(|auth=(|auth = (", /["'],[ \t]{0,4}["']/g, quoted, isSecondOfPair),
  after("Password", " / ", / \/ /g, unquoted, isSlashedCredential),
  after("Password", ":54|:6432|:*", /:(?:54\d\d|6432|\*):[\w*-]+:[\w*-]+:/g, unquoted, isSecretLike),
];
