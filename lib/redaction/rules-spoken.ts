import { hasBothCases, hasDigit, hasLetter, isHex, looksRandom } from "./appearance.ts";
import { isCode, isField, isMadeUp, isNumberedWord, isStrong, isTokenLike } from "./assignment-values.ts";
import { decodeStart } from "./decoded.ts";
import { lineOf } from "./nearby.ts";
import { isPlaceholder } from "./placeholders.ts";
import {
  type Accept,
  type AcceptInContext,
  after,
  alone,
  base64,
  type ContextRule,
  type FoundSecret,
  quoted,
  spaced,
  unquoted,
} from "./rule.ts";

/** Credentials in dialogues, small files and sentences: the words around a value identify it. */

const isNoPlaceholder: Accept = (secret) => !isPlaceholder(secret);
/** Only a credential looks like this, in a place where a credential is expected. */
const isLikely: Accept = (secret) =>
  secret.length >= 6 &&
  (isMadeUp(secret) || isCode(secret) || isTokenLike(secret) || (secret.length >= 10 && hasMixed(secret))) &&
  isNoPlaceholder(secret);
const hasMixed = (secret: string) => hasDigit(secret) && hasBothCases(secret);
const isAny: Accept = (secret) => secret.length >= 5 && isNoPlaceholder(secret);

/** The answer of a mail client: the user and the password, each after a zero byte. */
const isPlainAnswer: Accept = (secret) => /\0.+\0./.test(decodeStart(secret));

const sentenceEnd = /(?:[^\s"'`,;.!?)\uE000-\uE003]|[.,;!?)](?=[^\s"'`,;.!?)\uE000-\uE003]))+[!?]?/y;

const password = (keywords: string, pattern: RegExp, value: RegExp, accept: AcceptInContext): ContextRule =>
  after("Password", keywords, spaced(pattern), value, accept);

/** Names before a colon that are not users: `sha256:…`, `image:tag`. */
const noUser = /\b(?:sha\d*|md5|https?|urn|arn|id|commit|tag|image|version|host|port|line|error|v\d+):$/i;
/** "bob:… are the credentials", "send bob:… as basic auth" */
const speaksOfPairs = /\bcred|basic[ -]?auth|user[ /:]pass|zugangsdaten|identifiants|уч[её]тн/i;
/** "log in with bob:…": the same words are common in sentences without a pair. */
const speaksOfLogins = /log(?:ged|ging)?[ -]?in|sign[ -]?in|anmeld|логин|账号|ログイン/i;

function isSpokenPair(secret: string, { text, start, end, context }: FoundSecret): boolean {
  if (secret.length < 8 || !hasLetter(secret) || noUser.test(context)) return false;
  if (/[/:@\\<>(){}[\]]/.test(secret + text.charAt(end)) || !isLikely(secret)) return false;
  const line = lineOf(text, start, end);
  return speaksOfPairs.test(line) || (speaksOfLogins.test(line) && !isNumberedWord(secret) && !isHex(secret));
}

/** An answer has a digit, or is a name at the end of its line. */
const isAnswer: AcceptInContext = (secret, { text, end }) =>
  secret.length >= 4 &&
  (hasDigit(secret) || /^\p{Lu}\S*[."'`]?\s*$/mu.test(text.slice(end - secret.length, end + 8))) &&
  isNoPlaceholder(secret);

/** `{{…}}` is a code mark of Jira, and a placeholder in templates: only random text is a value. */
const isMarked: Accept = (secret) =>
  hasDigit(secret) && (isStrong(secret) || isCode(secret) || looksRandom(secret));

/** A path or an assignment is not the second line of a file with a user and a password. */
const isSecondLine: Accept = (secret) =>
  !/^[/~.#$-]|[(){}]/.test(secret) && !isField(secret) && isLikely(secret);

// biome-ignore format: one rule a line
export const spokenContexts: readonly ContextRule[] = [
  // The dialogue of a mail server: 334 UGFzc3dvcmQ6 means "Password:", and the next line is the answer.
  password("gfzc3dvcmq6", /[Uc]GFzc3dvcmQ6[^\n]{0,12}\n¬(?:\S{1,16}: ?|[<>] ?)?/g, base64, (secret) => secret.length >= 6),
  password("plain", /\bPLAIN[=\s]{1,4}(?:\+\s{1,4})?[¶]?/g, base64, isPlainAnswer),
  // A file of two lines: the user, then the password.
  password("auth|cred|pass|login|secret", /(?:(?:auth|cred|pass|login|secret)[\w-]{0,20}\.(?:txt|conf|cfg|dat|ini)|auth-user-pass|[./]\w{0,12}credentials|(?:the|our|my) (?:creds|credentials|login))\b[^\n]{0,40}\n(?:```\w{0,10}\n)?¬[\w.@+-]{2,40}\n¬(?=\S{6,90}¬(?:\n|$))/gi, unquoted, isSecondLine),
  // btoa("bob:…"), base64_encode('bob:…'), Buffer.from('bob:…')
  password("btoa|b64|base64|encode64|buffer.from|getbytes|tostring", /(?:btoa|b64_?encode|base64_?encode\w{0,9}|encode64|encodeToString|Base64\.\w{1,16}|Buffer\.from|getBytes)\((?:\[\]byte\()?b?[¶`][A-Za-z][\w.@+-]{0,39}:(?!\/)/gi, quoted, (secret, { context }) => isAny(secret) && !/\s/.test(secret) && (isLikely(secret) || /btoa|b64|base64/i.test(context))),
  // cookieSession({ keys: ["…", "…"] }), app.keys = ["…"]
  after("Secret", "cookie|keygrip|keys =", /(?:(?:cookie_?session|keygrip)\((?:[^()\n]{0,80}keys?[¶]?¬[:=]¬)?|app\.keys = )\[[¶]/gi, /[^\]\n]+(?=[¶])/y, isAny),
  after("Secret", "secretor", /\bsecretOr\w{0,7}Key[¶]?¬[:=]¬[¶]/g, quoted, isAny),
  // bob:… are the credentials
  password("cred|basic auth|log in|login|logged in|sign in|user/pass|zugangsdaten|anmeld|identifiants|учетн|учётн|логин|账号|ログイン", /(?<![\w/:.@%+-])[A-Za-z][\w.@+-]{1,39}:(?=[^\s:/])/g, sentenceEnd, isSpokenPair),
  // log in with bob / …, bob@example.com / …
  password("@|in with|in as|in using", / \/ (?<=(?:[gn][ -]?in (?:with|as|using) [\w.+-]{2,40}|\w@[\w-]{1,40}(?:\.[\w-]{1,20}){1,3}) \/ )/gi, sentenceEnd, isLikely),
  // The auth code for the door API: …
  password("code", /\b(?:auth\w{0,12}|access|activation|pairing|security|secret|device|log-?in|invit\w{2,5}|registration|verification|confirmation|enrol\w{3,5}|join|unlock|door|gate|alarm|entry|safe|master|admin|setup|transfer) codes?(?: (?:for|of|to|from|on)(?: [\w.'-]{1,24}){1,5}?)?[¶`)]?¬(?::| is:?| was|=)~[¶`*]{0,3}/gi, sentenceEnd, (secret) => hasDigit(secret) && (isLikely(secret) || /^[A-Z0-9]{3,8}(?:-[A-Z0-9]{3,8}){1,5}$/.test(secret))),
  // Security question: first pet? Answer: …
  password("question|answer|frage|pregunta|pergunta|domanda|maiden", /(?:(?:question|frage|pregunta|pergunta|domanda)\b[^\n]{0,90}?\b(?:answer|antwort|réponse|respuesta|resposta|risposta)|(?:security|secret) answer|maiden name)(?: is|[ \t]?[:=])~[¶`]?/gi, /[^\s"'`,;.\uE000-\uE003]+/y, isAnswer),
  // Jira: Password: {{…}}
  password("{{", /(?:pass\w{0,6}|pwd?|secret|token|key|kennwort|contraseña|senha|hasło|пароль)\*?¬[:=|]\*?¬\{\{/gi, /[^\s{}|]+(?=\}\})/y, isMarked),
  // ~/.google_authenticator: the seed, the options, the scratch codes
  alone("TOTP seed", '\n" ', /(?<![\w-])[A-Z2-7]{16,64}(?=\s{1,12}" [A-Z]{2,12}_[A-Z]{2,12})|(?<=" TOTP_AUTH\s{1,12})\d{8}(?:\s{1,12}\d{8}){0,9}/g, isNoPlaceholder),
];
