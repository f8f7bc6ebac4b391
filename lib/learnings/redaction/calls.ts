import { argumentsAt } from "./arguments.ts";
import { claimOf } from "./assignment-names.ts";
import { isCredential, looksChosen } from "./assignment-values.ts";
import { isPlaceholder } from "./placeholders.ts";
import { type Finder, kindNamed, type Span } from "./rule.ts";
import type { Value } from "./values.ts";

/** Functions that take a credential at a known place, counted from 0; -1 is the last. */
const callTable: Record<number, string> = {
  0: "SecretKeySpec AES.new bcrypt.compare bcrypt.compareSync bcrypt.hash bcrypt.hashSync bcrypt.hashpw hashpw checkpw generate_password_hash password_hash password_verify PASSWORD argon2.hash crypt scrypt.hash pbkdf2 hash_password Fernet requirepass cursor_secret setSecretKey setApiKey fromApiKey",
  1: "oci_connect oci_pconnect HTTPBasicAuth HTTPDigestAuth HTTPProxyAuth BasicAuth BasicAuthentication basicAuth basic_auth auth_basic http_basic_auth HttpBasicAuth httpBasic SetBasicAuth setBasicAuth WithBasicAuth NetworkCredential UsernamePasswordCredentials UsernamePasswordCredential UsernamePasswordAuthenticationToken PasswordAuthentication PasswordCredential PSCredential BasicAWSCredentials AwsBasicCredentials.create AWSCredentials StaticCredentials AWS.Credentials Aws::Credentials.new Credentials.new createHmac jwt.sign jwt.verify jwt.encode jwt.decode JWT.encode JWT.decode AES.encrypt AES.decrypt createCipher createDecipher createCipheriv AES_ENCRYPT AES_DECRYPT pgp_sym_encrypt pgp_sym_decrypt smtp.login imap.login ftp.login login_user authenticate authenticate_user auth_user create_superuser createUserWithEmailAndPassword signInWithEmailAndPassword signInWithPassword UserPasswordCredentials Twilio Client.create twilio.Client login with_credentials withCredentials credentials setCredentials addCredentials PlainTextAuthProvider plain_credentials PlainCredentials pika.PlainCredentials BasicCredentials StaticUserCredentials UserInfo auth db.auth simple_bind_s bind_s ldap_bind_s WiFi.begin wlan.connect sta_if.connect url.UserPassword UserPassword encrypt_with",
  3: "Credentials dbConnect",
  2: "mysqli_connect mysqli mysql_connect mysql_pconnect mysqli_real_connect real_connect DBI->connect DriverManager.getConnection getConnection PDO odbc_connect odbc_pconnect ftp_login ldap_bind  ssh2_auth_password imap_open PlainAuth smtp.PlainAuth hash_hmac NewStaticCredentialsProvider NewStaticCredentials pymysql.connect MySQLdb.connect mysql.connect DBIx::Class connect_db createConnection openssl_encrypt openssl_decrypt create_user CreateUser DB.connect sequelize Sequelize Database->connect",
};
const places = new Map(
  Object.entries(callTable).flatMap(([place, names]) =>
    names.split(" ").map((name) => [name, Number(place)]),
  ),
);
/** By the last word of the name, the longest first. */
const byLastWord = Map.groupBy(
  [...places.keys()].sort((a, b) => b.length - a.length),
  (name) => /\w+$/.exec(name)?.[0] ?? "",
);
const calledWord = /(\w+)[ \t]?$/;

const callAt = (text: string, word: string, end: number) =>
  byLastWord
    .get(word)
    ?.find((name) => text.endsWith(name, end) && !/[\w$]/.test(text.charAt(end - name.length - 1)));

const password = kindNamed("Password");

/** What may stand there instead: a name, an algorithm, an address. */
const isNoCredential = ({ text }: Value) =>
  text.length < 4 ||
  isPlaceholder(text) ||
  (/^(?:https?:|[\w.-]+@[\w-]+\.[\w.-]+$|[a-z]+$|[a-z]+(?:[-_][a-z]+)+$|[A-Z][a-z]+$)/.test(text) &&
    !looksChosen(text)) ||
  /\s/.test(text.trim());

/** A plain word is a password where the call has no other use for a string. */
const strictCalls =
  /^(?:mysqli|mysql_|DBI|PDO|oci_|odbc_|ftp_|ldap_|ssh2_|imap_|HTTP|NetworkC|UsernameP|Password|smtp|PlainAuth|SetBasic|setBasic|DriverM|createUserWith|signInWith|real_connect)/;

function findInCalls(text: string): Span[] {
  const spans: Span[] = [];
  for (let at = text.indexOf("("); at !== -1; at = text.indexOf("(", at + 1)) {
    const before = text.slice(Math.max(0, at - 32), at);
    const word = calledWord.exec(before)?.[1] ?? "";
    const name = callAt(before, word, before.trimEnd().length);
    if (!name) continue;
    const value = argumentsAt(text, at + 1)?.list[places.get(name) ?? 0]?.value;
    if (!value) continue;
    const isWord = strictCalls.test(name) && /^[a-z]{5,}$/.test(value.text) && !isPlaceholder(value.text);
    if (isWord || !isNoCredential(value))
      spans.push({ start: value.start, end: value.end, kind: password.kind });
  }
  return spans;
}

const insertPattern =
  /\binsert\s{1,20}(?:\w{1,10}\s{1,20})?into\s{1,20}[^\s()]{1,80}\s{0,20}\(([^()]{1,800})\)\s{0,20}values?\s{0,20}\(/gi;
const nextRow = /\)\s*,\s*\(/y;

/** `INSERT INTO users (name, password) VALUES ('a', '…'), ('b', '…')` */
function findInRows(text: string): Span[] {
  const spans: Span[] = [];
  insertPattern.lastIndex = 0;
  for (let match = insertPattern.exec(text); match; match = insertPattern.exec(text)) {
    const claims = (match[1] ?? "").split(",").map((column) => claimOf(column.trim()));
    if (!claims.some(Boolean)) continue;
    for (let at = insertPattern.lastIndex; ; at = nextRow.lastIndex) {
      const row = argumentsAt(text, at);
      for (const [index, { value }] of row?.list.entries() ?? []) {
        const claim = claims[index];
        if (!claim || !value) continue;
        const named = { claim, tie: "literal", isConstant: true, isEnvironment: true } as const;
        if (isCredential(value, named))
          spans.push({ start: value.start, end: value.end, kind: password.kind });
      }
      insertPattern.lastIndex = row?.end ?? at;
      nextRow.lastIndex = row?.end ?? 0;
      if (!row || !nextRow.test(text)) break;
    }
  }
  return spans;
}

export const calls: Finder = { kinds: [password], keywords: [], find: findInCalls };
export const rows: Finder = { kinds: [password], keywords: ["insert"], reach: 2_000, find: findInRows };
