import { hasBothCases, hasDigit, hasLetter, isHex, isUuid, looksVeryRandom } from "./appearance.ts";
import * as features from "./features.ts";
import { memoize } from "./memoize.ts";
import { areDrawn, isJoinedPair } from "./passphrases.ts";
import { isPlaceholder } from "./placeholders.ts";
import { type Accept, type AcceptInContext, type ContextRule, kindNamed } from "./rule.ts";
import { isOrdinary } from "./sentences.ts";
import { marker } from "./view.ts";
import { pattern } from "./words.ts";

/** The last search, which guesses: a line mentions credentials, and a value on it looks like one. */

const keywordsOf = (listed: string) => listed.split("|");

const passwordWords =
  "wachtwoord|şifre|pass|pwd|pw|cred|парол|密码|パスワード|kennwort|contrase|clave|senha|parol|haslo|hasło|hasła|hasłem|secret|secrète|segret|phrase" +
  "|frase|mot de passe|lösenord|adgangskode|heslo|jelszó|salasana|magic word";
/** Words about access: they say less than a word for a password. */
const accessWords =
  "lock|encrypt|protect|unzip|zugang|entsperr|déverr|desbloq|sblocc|odblok|wifi|wi-fi|wlan|ssid|accounts|demo account|the account|auth|login|log in|log on" +
  "|signin|sign in|sign-in|sudo|prompt|admin|root:|elastic:|postgres:|guest:|inlog|aanmeld|anmeld|melde dich|connecte|logowani|svc-|get in|gets you|lets you" +
  "|let you|opens with|opened with|entrar|accéd|acced|acess|rotated|breach";
/** "upward" and "shipwreck" are no names of passwords, and "pass" is a verb unless a word or a sign says otherwise. */
const asPattern = (words: string) =>
  words
    .replace("|pw|", "|(?<![a-z])pw(?![a-z])|")
    .replace("|pass|", "|pass[-_]?[wpck]|[-_/]pass(?![a-z])|(?<![a-z])(?:(?:the|db|root|admin|user|my|our|ssh|and) pass(?![a-z])|pass(?: ?[:=(]|$))|");
const speaksOfPasswords = new RegExp(asPattern(passwordWords), "i");
const speaksOfAccess = new RegExp(`${asPattern(passwordWords)}|${accessWords}`, "i");
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

const speaksOfLogin =
  /passw|prompt|(?<![a-z])(?:pw|pwd|mdp|login|creds?|credentials|kennwort|contraseña|senha|hasło)(?![a-z])|парол|mot de passe|zugangsdaten/i;
/** For a value alone on its line, perhaps behind a speaker: the three lines above it, if no line has another value. */
function linesAbove(text: string, start: number, end: number): string | undefined {
  if (!/^["'`*]{0,2}(?: [a-z]{2,6})?[.!]?[ \t]*(?:\n|$)/.test(text.slice(end, end + 16))) return undefined;
  const [line = "", ...above] = text
    .slice(Math.max(0, start - lineReach), start)
    .split("\n")
    .reverse();
  if (above.length === 0 || !/^[ \t]*(?:[-*>•] |\[?\d\d?:\d\d[^\s]{0,4} )?(?:<?@?[\w.]{2,20}[:>] )?(?:[A-Za-z']{2,6},? ){0,2}["'`*]{0,2}$/.test(line))
    return undefined;
  const near = above
    .slice(0, 3)
    .join("\n")
    .replace(/\d:\d\d/g, "");
  return /[={};|]|[\w"]:\S/.test(near) || near.includes(marker) ? undefined : near;
}

/** The words before a credential in a sentence: "log in with …", "use … to sign in". */
const offering = pattern(
  "i",
  String.raw`(?:(?:^|[\s(])(?:with|using|use|try|enter|type|say|answer|is|was|as|and|to|on|it|it.s|its|now|still|noch|toujours|from|wants|word|one|commit`,
  `|revoke|string|value|ist|war|auf|mit|und|verwende|nutze|était|era|est|es|é|è|lautet|avec|mis|mets|tape[rz]?|utilise[rz]?|con|usa|usar|puse`,
  String.raw`|escribe|com|pra|para|impostato|digita|met|z|użyj|с|через|i\.e\.|d\.h\.)|[/→:])[ \t]{1,2}["'\x60(\uE000-\uE003]?$|["'\x60\uE000-\uE003]$`,
);
/** The sentence goes on with what the value does: "… gets you in", "… as the password", "… is our password". */
const offeredBehind = pattern(
  "iu",
  String.raw`^[!"'\x60\uE000-\uE003]{0,2},? (?:(?:gets|lets|let|opens|unlocks|works|should|eingeben|olarak)\b|(?:as|als|como|comme|come|jako|is|was|ist|est`,
  String.raw`|es|é|è|jest) (?:[\p{L}]+ ){0,3}(?:pass|kennw|wachtw|contras|senha|clave|mot de|has[lł]|phrase|frase|login))`,
);
/** "passwords of the tablets: front desk Lobby2021, warehouse …" */
const isListed = (text: string, start: number, end: number) =>
  /^(?:[,;]|\s*(?:\n|$))/.test(text.slice(end, end + 4)) &&
  /(?:passw\w*|accounts|logins)\b[^:\n]{0,60}:[^\n]*\s$/i.test(text.slice(Math.max(0, start - 160), start));
const isOffered = (text: string, start: number, end: number): boolean => {
  const before = text.slice(Math.max(0, start - 16), start);
  return (offering.test(before) && !/\b(?:in|on|run|ran|user) as .?$/.test(before)) || isListed(text, start, end);
};

/** Words right before something that is no password: a place, an article, the kind of a thing. */
const namesAnother = pattern(
  "i",
  String.raw`(?:^|[\s(\x60"'-])(?:the|an?|in|on|at|from|of|via|see|per|under|into|der|die|das|den|dem|im|am|vom|aus|bei|le|la|les|du|des|el|los|las|del|il|lo`,
  `|no|nos|het|de|een|van|uit|w|we|this|your|our|my|calls?|class|function|method|module|template|version|release|build|sprint|job|pod|node|host`,
  `|server|cluster|image|tag|branch|commit|ticket|issue|pr|user(?:name)?|group|role|team|file|table|column|field|key|ids?|header|region|zone|env`,
  `|plan|policy|const|let|var|val|new|type|named|called|ask|as|run|runs|bucket|queue|topic|session|request|device`,
  String.raw`|model|alert|case|step)[ \t]{1,2}["'\x60(\uE000-\uE003]?$`,
);
/** `GalaxyS23`, `releaseLock2`, `update_batch_2024`, `GRP_ADMIN_01`, `api-6c5f7d9b4-kx8zq`, `price_1TKX…`: names of things and of code. */
const isNameOfThing = pattern(
  "",
  String.raw`^(?:[a-z]*(?:[A-Z][a-z]+|V?\d{1,3}|[A-Z]\d{1,3}|[A-Z]{2,3})+|[a-z]+(?:\d[a-z]?)?(?:[-_.+][a-z\d]+)+|\w+\.[A-Z]\w*|[A-Z\d]+(?:[-_][A-Z\d]+)*`,
  String.raw`|[A-Z][a-z]+(?:_[A-Z][a-z]*)+\d{0,4}|[a-z]{2,12}_[A-Za-z\d]{12,}|[a-z]+@[\w.-]+)$`,
);
/** "leaked in this PR (rep0rt!ng)": no name has such a sign. */
const hasOddSign: Accept = (secret) => /[A-Za-z\d][!$%^&*?+~]+[A-Za-z\d]/.test(secret);
/** A value behind its own name was judged with that name; behind two words and a colon it is part of a sentence. */
const isUnnamed = (before: string) =>
  /[\s(,"'`*]$|^$/.test(before)
    ? !/[:=>][ \t]*["'`\uE000-\uE003]?$/.test(before) || /[a-z] [a-z]+: ["'`]?$/i.test(before)
    : /(?<![\w/.@:+-])(?:root|admin|elastic|postgres|guest):$/.test(before);
const isOther: Accept = (secret) =>
  isHex(secret) ||
  isUuid(secret) ||
  /%[0-9A-Fa-f]{2}(?!\d)/.test(secret) ||
  features.isHarmless(secret) ||
  features.isPublicValue(secret) ||
  features.isAlgorithm(secret);
/** A word that no sentence has and that names nothing else. */
const isOdd: Accept = memoize(
  (secret) =>
    hasDigit(secret) &&
    (features.isCode(secret) || ((features.isMadeUp(secret) || features.isMixedWord(secret)) && !isNameOfThing.test(secret))) &&
    !isOrdinary(secret) &&
    !isOther(secret),
);
/** `thunder_mango_19`, `bananaSplit77`: words that name nothing, and a number. A product and its version look the same. */
const isWordsAndNumber: Accept = memoize((secret) => {
  if (!hasDigit(secret) || !/^[A-Za-z][A-Za-z\d]*(?:[-_.][A-Za-z\d]+)*[!?#$*]?$/.test(secret) || /\d{7}/.test(secret) || isOther(secret)) return false;
  const words = (secret.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? []).map((word) => word.toLowerCase());
  if (words.some((word) => word.length < 3) && !/^[a-z]{1,2}-[a-z\d-]*[a-z]{4,}[a-z\d-]*\d{3}/.test(secret)) return false;
  return areDrawn(words, 0) && !features.isProduct(secret) && (words.length > 1 || /\d\d/.test(secret)) && /[a-z]/.test(secret);
});
/** `coral-herring`, `duneMirror`: words alone. A sentence must say that they are the password. */
const isWords: Accept = (secret) => isJoinedPair(secret) || features.isDiceware(secret) || features.isWordPair(secret);
/** A number of a year or longer, or several words: rarely a product. */
const isNoVersion: Accept = (secret) =>
  /(?:^|[^\d\-_.])\d{4}|[-_.](?!(?:19|20)\d\d$)\d{4}|[!?#$*]$|^(?:.*[a-z\d][-_.][A-Za-z]{3}|[A-Za-z]{4,}(?<=[a-z])[A-Z])(?!.*[a-z]\d$)/.test(secret);

/** "remove the password coral-herring from the file": right behind the word for a password, and the sentence goes on with a small word. */
const nameRightBefore = pattern(
  "i",
  String.raw`(?:(?<![a-z])(?:the|our|my|your|das|dem|le|la|el|a|il|het) (?:[\w-]{2,20} )?(?:pass(?:word|phrase)?|passwort|kennwort|mot de passe|contraseña`,
  String.raw`|clave|senha|wachtwoord)|(?<![a-z])hasło|пароль) ["'\x60(]?$`,
);
const goesOn = pattern(
  "i",
  String.raw`^["'\x60)]?(?:[.,;!?)]|\s*(?:\n|$)| (?:can|is|was|from|in|to|and|for|on|at|du|de|des|por|para|im|aus|für|auf|dans`,
  String.raw`|sur|en|em|do|da|dal|nel|nella|van|uit|z|w)\s)`,
);
const isNamedRight = (text: string, start: number, end: number) =>
  nameRightBefore.test(text.slice(Math.max(0, start - 50), start)) && goesOn.test(text.slice(end, end + 8));
/** A word for a password in the same sentence, near the value. */
const isSaidNear = (text: string, start: number, end: number): boolean =>
  speaksOfPasswords.test(text.slice(Math.max(0, start - 60), start).replace(/^.*(?:[.!?;] |\n|\uE010)/s, "")) ||
  speaksOfPasswords.test(text.slice(end, end + 60).replace(/(?:[.!?;] |\n|\uE010).*$/s, ""));

/** A ticket, an address, a version, a file, a constant, a name of code. */
const isNoPassword = pattern(
  "",
  String.raw`^[A-Z]+-\d+$|@[\w-]+\.|\d\.\d|\.(?:zip|t?gz|tar|txt|json|ya?ml|md|[jt]sx?|py|go|rb|java|html|css|sh|log|csv|xml|sql|com|org|net|dev|io)$`,
  String.raw`|^[A-Za-z]\w*\.[A-Z_]+$|^\*|^(?:import|options?|hashlib|process|config|req|res|ctx|self|this)\.|^[a-z]+(?:_[a-z]+){2,}$`,
);
/** Where people speak of access, an odd word is the password, unless the word before it names another thing; other words must be offered. */
const isGiven: AcceptInContext = (secret, { text, start, end }) => {
  const isOddWord = hasDigit(secret) && isOdd(secret);
  const isNumbered = !isOddWord && (isWordsAndNumber(secret) || features.isDiceware(secret));
  const isSaidBehind = !isOddWord && offeredBehind.test(text.slice(end, end + 48));
  if (!isOddWord && !isNumbered && !(isSaidBehind || isNamedRight(text, start, end))) return false;
  if (!isOddWord && !isNumbered && !(isSaidBehind ? isWords(secret) : isJoinedPair(secret))) return false;
  if (isNoPassword.test(secret)) return false;
  if (/[/=%@:\\([{<&#]/.test(text.charAt(end)) || isPlaceholder(secret)) return false;
  const above = linesAbove(text, start, end);
  if (hasDigit(secret) && (isOddWord || /\d\d|[!?]$/.test(secret)) && above !== undefined && speaksOfLogin.test(above)) return true;
  const line = clauseOf(text, start, end);
  const isPassword = speaksOfPasswords.test(line);
  if (!isPassword && !speaksOfAccess.test(line)) return false;
  if (!isOddWord && !isNumbered) return true;
  if (!isSaidBehind && !isUnnamed(text.slice(Math.max(0, start - 40), start))) return false;
  if (
    (isOddWord || (hasDigit(secret) && isSaidNear(text, start, end))) &&
    !(namesAnother.test(text.slice(Math.max(0, start - 24), start)) && !hasOddSign(secret))
  )
    return true;
  return (isSaidBehind || isOffered(text, start, end)) && (isPassword || isNoVersion(secret));
};

/** A value that SOPS, Jasypt or Travis encrypted. */
const isEncrypted = /ENC(?:\[\w+,data:|\()[\w+/]*$|\bsecure:\s*["']?[\w+/]*$/;
const encryptedReach = 700;

const bareRule: ContextRule = {
  ...kindNamed("Password"),
  keywords: keywordsOf(`${passwordWords}|${accessWords}`),
  isNear: true,
  pattern: /[\w!#$%^&*?+~@-]+(?:\.[\w!#$%^&*?+~@-]+)*/g,
  accept: (secret, found) =>
    secret.length >= 7 &&
    secret.length <= 40 &&
    // A plain word, which most are, or a digest.
    !/^(?:[A-Za-z]?[a-z]*|(?:[0-9a-f]{8}){4,8})$/.test(secret) &&
    isGiven(secret, found) &&
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
  if (/[\s/=:\\]|^[#.$@[-]|@[\w-]+\.|\.\w{1,5}$|^[A-Z][a-z]+\d$/.test(secret) || isHex(secret) || isUuid(secret) || features.isAlgorithm(secret)) return false;
  // `aws.auth#sigv4`, `Oauth2Config`: names of code.
  if (/^pub|^eyJ|^\w+(?:\.\w+){2,}$|^[a-z]+(?:-[a-z]+)*-[a-z\d]{5,10}$|^[a-z]\w*\.[\w.]+#[a-z]|oauth2/i.test(secret)) return false;
  const isMapped =
    /^["'`][^\n]{0,160}(?:#|\/\/|--)[^\n]{0,40}passw/i.test(text.slice(end, end + lineReach)) &&
    (isOdd(secret) || isWordsAndNumber(secret) || /^[a-z]{4,}\d$/i.test(secret));
  const isSure = isMapped || features.isStrong(secret) || features.isDecoratedWord(secret) || features.isUnusualWord(secret) || features.isCode(secret);
  if (!(isSure && (isMapped || !isOrdinary(secret))) && !features.isNumberedWord(secret)) return false;
  const line = clauseOf(text, start, end);
  const before = line.slice(0, Math.max(0, line.indexOf("\0") - 1));
  return (
    (isMapped || speaksOfAccess.test(line) || speaksOfSecrets.test(line)) &&
    (isMapped || (!otherLabel.test(before) && !ownName.test(before))) &&
    !isPlaceholder(secret)
  );
};

const quotedRule: ContextRule = {
  ...kindNamed("Password"),
  keywords: keywordsOf(`${passwordWords}|${accessWords}|${secretWords}`),
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
