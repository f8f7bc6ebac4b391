import { hasBothCases, hasDigit, hasLetter, isHex, isUuid, looksVeryRandom } from "./appearance.ts";
import * as features from "./features.ts";
import { memoize } from "./memoize.ts";
import { isPlaceholder } from "./placeholders.ts";
import { type Accept, type AcceptInContext, type ContextRule, kindNamed } from "./rule.ts";
import { isOrdinary } from "./sentences.ts";
import { marker } from "./view.ts";
import { pattern } from "./words.ts";

/** The last search, which guesses: a line mentions credentials, and a value on it looks like one. */

const keywordsOf = (listed: string) => listed.split("|");

const passwordWords =
  "unlock|protected with|encrypted with|wifi|wi-fi|wlan|ssid|accounts|wachtwoord|şifre|pass|pwd|cred|auth|login" +
  "|log in|log on|signin|sign in|sign-in|парол|密码|パスワード|kennwort|contrase|clave|senha|parol|haslo|hasło|hasła|secret|secrète|segret|phrase|frase" +
  "|sudo|prompt|admin|root:|elastic:|postgres:|guest:|inlog|aanmeld|anmeld|melde dich|connecte|logowani|svc-|wachtwoordzin";
const speaksOfPasswords = new RegExp(passwordWords, "i");
const secretWords = "secret|token|keystore|ks.load|signing|signed with|hmac|jwt|vault|database|connect";
const speaksOfSecrets = new RegExp(secretWords, "i");

const lineReach = 200;
/** The line around a value, up to `lineReach` characters on each side; `\0` replaces the value. */
export function lineOf(text: string, start: number, end: number): string {
  const before = text.slice(Math.max(0, start - lineReach), start);
  const behind = text.slice(end, end + lineReach);
  const lineEnd = behind.indexOf("\n");
  return `${before.slice(before.lastIndexOf("\n") + 1)}\0${lineEnd === -1 ? behind : behind.slice(0, lineEnd)}`;
}
/** The part of the line that can speak of the value: words before a credential speak of that credential. */
function clauseOf(text: string, start: number, end: number): string {
  const [before = "", behind = ""] = lineOf(text, start, end).split("\0");
  return `${before.slice(before.lastIndexOf(marker) + 1)}\0${behind.includes(marker) ? "" : behind}`;
}
const isSpokenOf = (text: string, start: number, end: number): boolean => speaksOfPasswords.test(clauseOf(text, start, end));

/** The words before a credential in a sentence: "log in with …", "use … to sign in". */
const offering = pattern(
  "i",
  String.raw`(?:(?:^|[\s(])(?:with|using|use|try|enter|type|is|was|as|and|to|it.s|commit|revoke|string|value|ist|war|était|era|est|es|é|è|lautet|mit`,
  String.raw`|und|verwende|avec|utilise[rz]?|con|usa|usar|com|pra|para|use|z|użyj|с|через)|[/→])[ \t]{1,2}["'\x60(\uE000-\uE003]?$`,
);
/** "passwords of the tablets: front desk Lobby2021, warehouse …" */
const isListed = (text: string, start: number, end: number) =>
  /^(?:[,;]|\s*(?:\n|$))/.test(text.slice(end, end + 4)) &&
  /(?:passw\w*|accounts|logins)\b[^:\n]{0,60}:[^\n]*\s$/i.test(text.slice(Math.max(0, start - 160), start));
const offeredAs = /^[!"'`]{0,2} (?:as|als|como|comme|come|jako) (?:\w+ )?(?:passw|kennw|wachtw|contras|senha|mot de|has[lł]|phrase|frase)/i;
const isOffered = (secret: string, text: string, start: number, end: number): boolean =>
  offering.test(text.slice(Math.max(0, start - 12), start)) || offeredAs.test(text.slice(end, end + 24))
    ? features.isMadeUp(secret) || (features.isCode(secret) && !isOrdinary(secret))
    : (features.isNumberedWord(secret) || features.isDecoratedWord(secret)) && isListed(text, start, end);

/** Words right before something that is no password: a place, an article, the kind of a thing. */
const namesAnother = pattern(
  "i",
  String.raw`(?:^|[\s(\x60"'])(?:the|an?|in|on|at|from|of|via|see|per|under|into|der|die|das|den|dem|im|am|vom|aus|bei|le|la|les|du|des|el|los|las|del|il|lo`,
  String.raw`|no|nos|het|de|een|van|uit|w|we|this|your|our|my|calls?|class|function|method|module|template|version|release|build|sprint|job|pod|node|host`,
  String.raw`|server|cluster|image|tag|branch|commit|ticket|issue|pr|user|group|role|team|file|table|column|field|key|ids?|header|region|zone|env|plan|policy`,
  String.raw`|named|called|run|runs|bucket|queue|topic|session|request|device|model|alert|case|step)[ \t]{1,2}["'\x60(\uE000-\uE003]?$`,
);
/** `GalaxyS23`, `releaseLock2`, `update_batch_2024`, `GRP_ADMIN_01`, `api-6c5f7d9b4-kx8zq`, `price_1TKX…`: names of things and of code. */
const isNameOfThing = pattern(
  "",
  String.raw`^(?:[a-z]*(?:[A-Z][a-z]+|V?\d{1,3}|[A-Z]\d{1,3}|[A-Z]{2,3})+|[a-z]+(?:[-_.+][a-z\d]+)+|\w+\.[A-Z]\w*|[A-Z\d]+(?:[-_][A-Z\d]+)*`,
  String.raw`|[A-Z][a-z]+(?:_[A-Z][a-z]*)+\d{0,4}|[a-z]{2,12}_[A-Za-z\d]{12,}|[a-z]+@[\w.-]+)$`,
);
/** A value behind its own name was judged with that name; behind two words and a colon it is part of a sentence. */
const isUnnamed = (before: string) =>
  /[\s(,"'`*]$|^$/.test(before)
    ? !/[:=>][ \t]*["'`\uE000-\uE003]?$/.test(before) || /[a-z] [a-z]+: ["'`]?$/i.test(before)
    : /(?<![\w/.@:+-])(?:root|admin|elastic|postgres|guest):$/.test(before);
/** A word that no sentence has and that names nothing else. */
const isOdd: Accept = memoize(
  (secret) =>
    secret.length <= 40 &&
    hasDigit(secret) &&
    (features.isCode(secret) || ((features.isMadeUp(secret) || features.isMixedWord(secret)) && !isNameOfThing.test(secret))) &&
    !isOrdinary(secret) &&
    !isHex(secret) &&
    !isUuid(secret) &&
    !/%[0-9A-Fa-f]{2}/.test(secret) &&
    !features.isHarmless(secret) &&
    !features.isPublicValue(secret),
);

/** Where people speak of access, an odd word is the password, wherever it stands, unless the word before it names another thing. */
const isGiven: AcceptInContext = (secret, { text, start, end }) =>
  (isOffered(secret, text, start, end) ||
    (isOdd(secret) && !namesAnother.test(text.slice(Math.max(0, start - 24), start)) && isUnnamed(text.slice(Math.max(0, start - 40), start)))) &&
  !/^[A-Z]+-\d+$|@[\w-]+\.|^[A-Za-z]\w*\.[A-Z_]+$|^\*|^[a-z]+(?:_[a-z]+){2,}$/.test(secret) &&
  !/[/=%@:\\([{<&#]/.test(text.charAt(end)) &&
  !isPlaceholder(secret);

/** A value that SOPS, Jasypt or Travis encrypted. */
const isEncrypted = /ENC(?:\[\w+,data:|\()[\w+/]*$|\bsecure:\s*["']?[\w+/]*$/;
const encryptedReach = 700;

const bareRule: ContextRule = {
  ...kindNamed("Password"),
  keywords: keywordsOf(passwordWords),
  isNear: true,
  pattern: /[\w!#$%^&*?+~@-]+(?:\.[\w!#$%^&*?+~@-]+)*/g,
  accept: (secret, found) =>
    secret.length >= 8 &&
    // A plain word, which most are, or a digest.
    !/^(?:[A-Za-z]?[a-z]*|(?:[0-9a-f]{8}){4,8})$/.test(secret) &&
    isGiven(secret, found) &&
    isSpokenOf(found.text, found.start, found.end) &&
    !isEncrypted.test(found.text.slice(Math.max(0, found.start - encryptedReach), found.start)),
};

/** A label before the string that names something else: a user, a name, a path. */
const otherLabel = pattern(
  "i",
  String.raw`(?:user|name|login|id|mail|host|account|realm|tenant|project|bucket|region|role|group|type|alg\w*|version|path|file|url|uri|class|selector`,
  String.raw`|href|src|key|hash|digest|bypass|public)\w{0,6}["'\x60\uE000-\uE003]?\s*[:=(,]?\s*[([]?\0?$`,
);

/** The text before a value that the search for assignments has judged, or a word right before the quote. */
const ownName = /[^\s([{,]\s*(?::=?|=>?)\s*$|\w$/;

/** `"myEasily830"`, `"m4gn3t%leopard"`: not a name, an address or a path. */
const isQuotedSecret: AcceptInContext = (secret, { text, start, end }) => {
  if (secret.length < 8 || secret.length > 64 || !hasLetter(secret) || !hasDigit(secret)) return false;
  if (/[\s/=:\\]|^[#.$@[-]|@[\w-]+\.|\.\w{1,5}$/.test(secret) || isHex(secret) || isUuid(secret) || features.isAlgorithm(secret)) return false;
  // `aws.auth#sigv4`, `Oauth2Config`: names of code.
  if (/^pub|^eyJ|^[a-z]+(?:-[a-z]+)*-[a-z\d]{5,10}$|^[a-z]\w*\.[\w.]+#[a-z]|oauth2/i.test(secret)) return false;
  const isMapped = /^["'`][^\n]{0,160}(?:#|\/\/|--)[^\n]{0,40}passw/i.test(text.slice(end, end + lineReach)) && /^[a-z]{4,}\d+$/i.test(secret);
  const isSure = isMapped || features.isStrong(secret) || features.isDecoratedWord(secret) || features.isUnusualWord(secret) || features.isCode(secret);
  if (!(isSure && (isMapped || !isOrdinary(secret))) && !features.isNumberedWord(secret)) return false;
  const line = clauseOf(text, start, end);
  const before = line.slice(0, Math.max(0, line.indexOf("\0") - 1));
  return (
    (isMapped || speaksOfPasswords.test(line) || speaksOfSecrets.test(line)) &&
    (isMapped || (!otherLabel.test(before) && !ownName.test(before))) &&
    !isPlaceholder(secret)
  );
};

const quotedRule: ContextRule = {
  ...kindNamed("Password"),
  keywords: keywordsOf(`${passwordWords}|${secretWords}`),
  isNear: true,
  pattern: /(?<=["'`\uE000-\uE003])[^\s"'`\uE000-\uE003]+(?=["'`\uE000-\uE003])/g,
  accept: isQuotedSecret,
};

const tokenWords = "hmac|jeton|token|secret|passw|api key|api-key|apikey| key|chiave|clave|chave|credential|revoke|hard-cod|hardcod|log in|login";
const speaksOfTokens = new RegExp(tokenWords, "i");
const namedBefore =
  /(?<!\b(?:value|data|content|raw|[Oo]ld|[Nn]ew|dev|stag(?:e|ing)|prod(?:uction)?|test|live|sandbox|qa))["']?(?::=?|=>?)[ \t]{0,8}["'`\uE000-\uE003]?$/;
/** A random word on a line that speaks of tokens and keys: "Revoke …, it is the deploy token". */
const tokenRule: ContextRule = {
  ...kindNamed("Token"),
  reach: 300,
  keywords: keywordsOf(tokenWords),
  isNear: true,
  pattern: /(?<![\w/.:=@%+#\]-])[A-Za-z\d][\w+/-]{15,79}={0,2}(?![\w/.:=@%+(-])/g,
  accept: (secret, { text, start, end }) =>
    features.isStrong(secret) &&
    hasDigit(secret) &&
    (isUuid(secret)
      ? /\b(?:old|new|dev|stag(?:e|ing)|prod(?:uction)?|test|live|sandbox|qa): ["'`]?$/i.test(text.slice(Math.max(0, start - 16), start))
      : isHex(secret)
        ? /^(?:[0-9a-f]{8}){4,16}$/.test(secret)
        : (hasBothCases(secret) || /(?:\d\D*){5}/.test(secret)) && looksVeryRandom(secret) && !/[_/-]/.test(secret.replace(/[_/-]/, ""))) &&
    !features.isPublicValue(secret) &&
    !secret.startsWith("eyJhbGci") &&
    !features.isHarmless(secret) &&
    // A value with its own name was judged with the name, unless the name says nothing.
    (isAnswer(text, start, end) || isCalledToken.test(text.slice(end, end + 40)) || !namedBefore.test(text.slice(Math.max(0, start - 24), start))) &&
    !/^ {1,2}\*?[\w./-]{1,80}\.\w{2,4}\b/.test(text.slice(end, end + 96)) &&
    !isEncrypted.test(text.slice(Math.max(0, start - encryptedReach), start)) &&
    (speaksOfTokens.test(clauseOf(text, start, end)) || isAnswer(text, start, end)) &&
    (!publicWord.test(lineOf(text, start, end).replace(/(?<=\0[^\n]*)[;.] .*$/, "")) || isCalledToken.test(text.slice(end, end + 40))) &&
    !(/^[0-9a-f]{40}$/.test(secret) && commitWord.test(lineOf(text, start, end))) &&
    !isPlaceholder(secret),
};
/** "Who has the secret?", and in the next line `ben> …`; "the secret to replace", and below it `Old value: …`. */
const answer = pattern(
  "i",
  String.raw`(?:\?[^\n]{0,12}\n[ \t>]{0,4}(?:[\w.@-]{1,24}[:>] )?|\n\[?\d{1,2}:\d\d(?::\d\d)?\]? [\w.@-]{1,24}: |(?:\n|\. )[ \t\d.-]{0,6}(?:old|new`,
  String.raw`|current|previous)(?: (?:one|value)[^:\n]{0,60})?: )["'\x60]?$`,
);
const isAnswer = (text: string, start: number, end: number): boolean => {
  const before = text.slice(Math.max(0, start - lineReach), start);
  return (
    (answer.test(before) || isBetween.test(`${before}\0${text.slice(end, end + 40)}`)) &&
    /^["'`]?(?:[.,]|[ \t]*(?:\n|$))/.test(text.slice(end, end + 4)) &&
    /secret|token|passw|credential|\b(?:key|chiave|clave|chave)\b/i.test(before)
  );
};
/** The line of another person, between two lines of one. */
const isBetween = /(?:^|\n)([\w.]{2,20}): [^\n]{8,120}\n[\w.]{2,20}: \0\n\1: /;
/** "… is the API token of the legacy system" */
const isCalledToken = /^["'`]? (?:is|was) (?:the|our|my|an?) (?:[\w-]{1,16} )?(?:token|secret|password|api key)\b/i;
/** Forty hex digits are more often a commit. */
const commitWord = /\bHEAD\b|checkout|\bPR\b|landed|\bfix(?:ed|es)?\b|\bremove[sd]\b|\bsee\b|rebase|\bdiff\b|upstream/i;
const publicWord = pattern(
  "i",
  String.raw`public|publish|integrity|sha-?\d|md5|revert|bisect|blob|\btree\b|parent|pinned|submodule|cherry|merge|branch|firmware|sum\b|digest`,
  String.raw`|checksum|hash|etag|fingerprint|commit|nonce|cursor|\bids?\b|_id|(?:er|st|nt|on|ce|ct|ge|un|ob|it|ey)id\b|certificate|captcha|site.?key`,
  String.raw`|uuid|version|trace|request|accessor|cache(?! passw)|correlation|span\b|git show`,
);

export const nearbyRules: readonly ContextRule[] = [bareRule, quotedRule, tokenRule];
