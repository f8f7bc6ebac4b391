import { hasDigit, hasLetter } from "./appearance.ts";
import { type Argument, argumentsAt } from "./arguments.ts";
import * as features from "./features.ts";
import { isInPlace } from "./not-passwords.ts";
import { isPlaceholder, isStandIn } from "./placeholders.ts";
import { anyOf, type Finder, kindNamed, type Span } from "./rule.ts";
import type { Value } from "./values.ts";
import { pattern, setOf } from "./words.ts";

/** Functions that take a credential, by the position of that argument, counted from 0. */
const callTable: Record<number, string> = {
  0: `
SymmetricSecurityKey SignedString HMACSHA1 HMACSHA256 HMACSHA512 SigningKey hmacShaKeyFor createSecretKey
Rfc2898DeriveBytes NewSigner new_from_slice check_password password_verify password_hash make_password
generate_password_hash Hash.make bcrypt bcrypt.hashpw SecretKeySpec AES.new bcrypt.compare bcrypt.compareSync
bcrypt.hash bcrypt.hashSync pwd_context.hash pwd_context.verify hashpw checkpw argon2.hash crypt scrypt.hash Fernet
bot.run client.run bot.start Stripe Github Octokit cookieParser cookie_parser URLSafeTimedSerializer hmac.new
requirepass setSecretKey setApiKey fromApiKey
`,
  1: `
ConstantTimeCompare compare_digest secure_compare check_password_hash WiFi.begin wlan.connect cx_Oracle.connect
BasicAuth basicAuth AES.encrypt AES.decrypt oci_connect HTTPBasicAuth HTTPDigestAuth httpBasic SetBasicAuth
setBasicAuth NetworkCredential UsernamePasswordCredentials UsernamePasswordCredential
UsernamePasswordAuthenticationToken PasswordAuthentication PasswordCredential AwsBasicCredentials.create
Credentials.new createHmac signWith jwt.sign jwt.verify jwt.encode jwt.decode JWT.encode JWT.decode Jwt.encode
createDecipheriv HMAC.digest HMAC.base64digest createCipher createDecipher createCipheriv AES_ENCRYPT AES_DECRYPT
pgp_sym_encrypt pgp_sym_decrypt smtp.login createUserWithEmailAndPassword signInWithEmailAndPassword
signInWithPassword Twilio Client.create twilio.Client UserInfo twilio basic HMAC.hexdigest hmac.New
`,
  3: "Credentials",
  4: "JedisPool SMTP.start",
  2: `
createConnection database FTP FTP_TLS create_superuser FTP.open minio.New Minio Pusher mysqli_connect mysqli
mysql_connect mysqli_real_connect real_connect DBI.connect DriverManager.getConnection PDO odbc_connect ftp_login
ldap_bind ssh2_auth_password imap_open PlainAuth smtp.PlainAuth hash_hmac construct_event constructEvent
NewStaticCredentialsProvider openssl_encrypt openssl_decrypt sequelize Sequelize
`,
};
/** A function that takes a credential, and the position of that argument. */
interface KnownCall {
  readonly name: string;
  readonly place: number;
}
const knownCalls: readonly KnownCall[] = Object.entries(callTable).flatMap(([place, names]) =>
  [...setOf(names)].map((name) => ({ name, place: Number(place) })),
);
/** The known calls by the last word of their names, the longest name first. */
const byLastWord = Map.groupBy(
  knownCalls.toSorted((a, b) => b.name.length - a.name.length),
  ({ name }) => name.replace(/^.*\W/, ""),
);
const calledWord = /(\w+)[ \t]?$/;

const callAt = (text: string, word: string, end: number) =>
  byLastWord
    .get(word)
    ?.find(({ name }) => text.endsWith(name, end) && !/[\w$]/.test(text.charAt(end - name.length - 1)));

const password = kindNamed("Password");

const isNoValue = anyOf(features.isPublicValue, isStandIn, features.isConstantLike, features.isAlgorithm);
/** Whether the argument is not a credential but a name, an algorithm or an address. */
const isNoCredential = ({ text }: Value) =>
  text.length < 4 ||
  /\s/.test(text.trim()) ||
  isNoValue(text) ||
  // `config("services.mail.secret")`, `cfg["Jwt:Key"]`: the name of a setting.
  (/^(?:https?:.*|[\w.-]+@[\w-]+\.[\w.-]+|[A-Za-z][a-z]*(?:[.:_/-][A-Za-z]+)*)$/.test(text) &&
    !features.looksChosen(text));

/** In these calls a plain word is a password too: the argument has no other use. */
const strictCalls = pattern(
  "",
  "^(?:mysqli|mysql_|DBI|PDO|oci_|odbc_|ftp_|ldap_|ssh2_|imap_|HTTP|NetworkC|UsernameP|Password|smtp|PlainAuth" +
    "|SetBasic|setBasic|DriverM",
  String.raw`|createUserWith|signInWith|real_connect|[Jj][Ww][Tt]\.|pgp_sym|AES_|createHmac|signWith`,
  String.raw`|create(?:De)?[Cc]ipher|HMAC|hash_hmac|FTP|cx_O|Hash\.`,
  String.raw`|basic$|WiFi\.|wlan\.|create_superuser|Credentials$|bcrypt|hashpw|checkpw|argon2|[Ss]equelize`,
  String.raw`|\w*password)`,
);

/** Names of login calls, which take a credential at any position: `client.connect(…)`, `unlock(…)`. */
const loginCallName = pattern(
  "i",
  String.raw`^(?:log_?[io]n\w{0,12}|sign_?in\w{0,12}|\w{0,12}auth\w{0,16}|\w{0,12}conn?ect\w{0,10}`,
  String.raw`|\w{0,8}bind\w{0,6}|\w{0,40}credentials?`,
  String.raw`|\w{0,12}api_?key\w{0,16}|unlock\w{0,12}|(?:un)?protect|\w{0,10}community\w{0,8}|usm\w{0,10}`,
  String.raw`|snmp\w{0,12}|create_?(?:super)?user`,
  String.raw`|\w{0,12}ftp\w{0,6}|(?:en|de)crypt\w{0,10}|\w{0,10}cipher\w{0,4}|\w{0,10}hmac\w{0,8}|sign|sign_?with`,
  String.raw`|verify|derive\w{0,10}|pbkdf2\w{0,8}`,
  String.raw`|scrypt\w{0,8}|\w{0,10}passw(?:or)?d\w{0,8}|set_?pw|username_pw_set|\w{0,8}dialer|smtp|addap|softap`,
  String.raw`|\w{0,16}serializer)$`,
);
/** Arguments that contain digits but are not credentials: users, hosts, files, versions. */
const otherArgument = pattern(
  "i",
  String.raw`[\s/:\\]|@[\w-]+\.|\.[a-z]{2,6}$|^(?:user|admin|test|demo|client|host|node|server|db|app|service|svc`,
  "|account|tenant|org|team|group|room",
  "|order|item|key|id|name|role|version|step|case|example|sample|member|customer|sess|hs|rs|es|ps|sha|aes|md|hmac" +
    "|utf|tls|ssl|ctr|cbc|gcm|des",
  String.raw`|blowfish|pbkdf|scrypt|argon|bcrypt|http|oauth|ac|x)[\w-]{0,24}$`,
);
const isLoginArgument = (text: string, isFirst: boolean) =>
  text.length >= 8 &&
  text.length <= 128 &&
  !features.isPublicValue(text) &&
  !isUserName.test(text) &&
  !(isFirst && isKebab.test(text)) &&
  !otherArgument.test(text) &&
  (features.looksChosen(text) || (!isFirst && hasLetter(text) && hasDigit(text) && !isKebab.test(text))) &&
  !isPlaceholder(text);

/** `deploy-token-2` is a name, not a credential. */
const isKebab = /^[a-z\d]+(?:[-_][a-z\d]+)+$/;

/** `login("anna", "…")`: of exactly two strings, the second is the password, whatever it looks like. */
const pairCall = pattern(
  "i",
  String.raw`^(?:log_?in|sign_?in|authenticate|auth|basic_?auth|\w{0,8}bind(?:_s)?`,
  String.raw`|\w{0,12}credentials?)(?:_?(?:as|with|user))?(?:async)?$`,
);
const strategy = pattern(
  "i",
  "^(?:jwt|local|google|github|gitlab|saml|oidc|oauth2?|basic|bearer|digest|token|anonymous",
  `|sso|api|web|GET|POST|https?:.*|/.*)$`,
);

/** The arguments of a login call that look like credentials. */
function loginArguments(list: readonly Argument[], called: string): Value[] {
  const [user, secret] = list;
  const given = secret?.value ?? secret?.inner;
  if (
    list.length === 2 &&
    pairCall.test(called) &&
    user?.value &&
    given &&
    !strategy.test(user.value.text) &&
    !strategy.test(given.text) &&
    isInPlace(given.text)
  )
    return [given];
  return list.flatMap(({ inner }, place) =>
    inner && isUserName.test(list[place - 1]?.inner?.text ?? "") && isWordPhrase(inner.text)
      ? [inner]
      : inner && isLoginArgument(inner.text, place === 0 && list.length > 1)
        ? [inner]
        : [],
  );
}

/** The name of a directory's user, or a mail address: the password is the next argument. */
const isUserName = /^(?:[A-Za-z]{1,6}=[^,=]{1,60}(?:,|$)|[\w.+-]{1,64}@[\w-]{1,60}\.)/;
/** `"maple walrus quartz ember"`: several words that are not a sentence. */
const isWordPhrase = (text: string) =>
  /^(?:[a-z]{3,12}(?: [a-z]{3,12}){2,7}|[a-z\d]{4}(?: [a-z\d]{4}){3})$/.test(text) &&
  !features.sentenceWords.test(text);

function knownArgument(list: readonly Argument[], { name, place }: KnownCall): Value | undefined {
  const stringOf = (argument: Argument | undefined) => argument?.value ?? argument?.inner;
  const first = stringOf(list[place]);
  const value = first && isUserName.test(first.text) ? stringOf(list[place + 1]) : first;
  if (!value) return undefined;
  const isPlain = /^[a-z]{5,}$|^[a-z]{2,}(?:[-_][a-z]{2,}){1,6}$/.test(value.text);
  const isWord = isPlain && value === list[place]?.value && isInPlace(value.text);
  const isPhrase =
    (/^\S{2,20}(?: \S{2,20}){1,5}$/.test(value.text) && hasDigit(value.text)) || isWordPhrase(value.text);
  return (strictCalls.test(name) && (isWord || isPhrase)) ||
    isWordPhrase(value.text) ||
    !isNoCredential(value)
    ? value
    : undefined;
}

const unclosedStep = 48;

function findInCalls(text: string): Span[] {
  const spans: Span[] = [];
  /** After a call without a closing bracket, skips the calls in the next `unclosedStep` characters. */
  let unclosedUntil = 0;
  for (let at = text.indexOf("("); at !== -1; at = text.indexOf("(", at + 1)) {
    if (at < unclosedUntil) continue;
    // `JWT::encode` and `DBI->connect` are in the table as `JWT.encode` and `DBI.connect`.
    const before = text
      .slice(Math.max(0, at - 32), at)
      .replace(/::|->/g, ".")
      .replace(/\.__construct$/, "");
    const word = calledWord.exec(before)?.[1] ?? "";
    const call = callAt(before, word, before.trimEnd().length);
    const isLoginCall = loginCallName.test(word);
    if (!call && !isLoginCall) continue;
    const list = argumentsAt(text, at + 1)?.list;
    if (!list) {
      unclosedUntil = at + unclosedStep;
      continue;
    }
    const known = call && knownArgument(list, call);
    const values = known ? [known] : isLoginCall ? loginArguments(list, word) : [];
    for (const { start, end } of values) spans.push({ start, end, kind: password.kind });
  }
  // A call and a call inside it may both report the same string.
  const inOrder = spans.sort((a, b) => a.start - b.start);
  return inOrder.filter(({ start }, index) => start >= (inOrder[index - 1]?.end ?? 0));
}

export const calls: Finder = { kinds: [password], keywords: [], find: findInCalls };
