import { hasBothCases, hasDigit, isHex, isUuid, looksVeryRandom } from "./appearance.ts";
import * as features from "./features.ts";
import { memoize } from "./memoize.ts";
import { areDrawn, isJoinedPair } from "./passphrases.ts";
import { isPlaceholder } from "./placeholders.ts";
import { type Accept, type AcceptInContext, type ContextRule, type FoundSecret, kindNamed } from "./rule.ts";
import { isOrdinary } from "./sentences.ts";
import { marker } from "./view.ts";
import { pattern } from "./words.ts";

/** The last search, which guesses: a value gets points for its look, and for what the words around it speak of. */

const keywordsOf = (listed: string) => listed.replace("(?!or(?!i))", "").split("|");

const passwordWords =
  "wachtwoord|şifre|pass|pwd|pw|cred|парол|密码|密碼|口令|パスワード|비밀번호|암호|kennwort|contrase|clave|senha|parol|haslo|hasł|secret|secrète" +
  "|segret|phrase|frase|mot de passe|lösenord|adgangskode|heslo|jelszó|salasana|magic word|code word|codeword|кодов|psk|비번|mdp|passord|kodeord|losung";
/** Words about access: they say less than a word for a password. */
const accessWords =
  "lock|encrypt|protect|unzip|zugang|entsperr|déverr|desbloq|sblocc|odblok|wifi|wi-fi|wlan|ssid|accounts|demo account|the account" +
  "|auth(?!or(?!i))|login|log in|log on|signin|sign in|sign-in|sudo|prompt|admin|root:|elastic:|postgres:|guest:|inlog|aanmeld|anmeld|melde dich|connecte" +
  "|logowani|svc-|get in|gets you|lets you|let you|opens with|opened with|entrar|accéd|acced|acess|rotated|breach|keystore";
/** Words that people use of machines and their users: enough only for a value that looks like nothing else. */
const userWords = "root|account|tenant|user|superuser|bind|ldap|desktop|vpn|ssh|snmp|bastion";
/** "upward" and "shipwreck" are no names of passwords, and "pass" is a verb unless a word or a sign says otherwise. */
const asPattern = (words: string) =>
  words
    .replace("|pw|", "|(?<![a-z])pw(?![a-z])|")
    .replace("|pass|", "|pass[-_]?[wpck]|[-_/]pass(?![a-z])|(?<![a-z])(?:(?:the|db|root|admin|user|my|our|ssh|sudo|and) pass(?![a-z])|pass(?: ?[:=(]|$))|");
export const speaksOfPasswords = new RegExp(asPattern(passwordWords), "i");
export const speaksOfAccess = new RegExp(`${asPattern(passwordWords)}|${accessWords}`, "i");
export const speaksOfUsers = new RegExp(`(?<![a-z])(?:${userWords})(?![a-z])`, "i");

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

/** What may be before a value that is alone on its line: a quotation, a bullet, a time, a speaker, an arrow, "sure, it's". */
const lineOpening = pattern(
  "u",
  String.raw`^[ \t>|]*(?:[-*•—–←→] )?(?:\[[^\]\n]{1,20}\] ?)?(?:[\d.,/ -]{0,14}\d:\d\d(?::\d\d)?(?: ?[AP]M)?[ ,-]{1,3})?`,
  String.raw`(?:(?:[#↳A] ?)?\w{0,9} ?[|—]? ?<? ?[@*]{0,2}[\p{L}\d_.-]{1,24}\*{0,2}`,
  String.raw`(?: \(?\d{1,2}:\d\d\)?)?\*{0,2}[:>] ?)?(?:(?:->|=>|→) )?(?:[\p{L}']{1,10} ?[,:]? ){0,4}["'\x60*(]{0,2}$`,
);
const alone = /^["'`*)]{0,3}(?: [a-z]{2,6})?[.!]?[ \t]*(?:\n|$|\p{Extended_Pictographic})/u;
/** For a value alone on its line: the lines above it. A weak value needs lines without another value. */
function linesAbove(text: string, start: number, end: number, isWeak: boolean): string | undefined {
  if (!alone.test(text.slice(end, end + 16))) return undefined;
  const [line = "", ...above] = text
    .slice(Math.max(0, start - 2 * lineReach), start)
    .split("\n")
    .reverse();
  if (above.length === 0 || !lineOpening.test(line)) return undefined;
  const near = above
    .slice(0, 6)
    .join("\n")
    .replace(/\d:\d\d/g, "");
  return isWeak && (/[={};|]|[\w"]:\S/.test(near) || near.includes(marker)) ? undefined : near;
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
const isOffered = (before: string): boolean => offering.test(before) && !/\b(?:in|on|run|ran|user) as .?$/.test(before);

/** Words right before something that is no password: a place, an article, the kind of a thing. */
const namesAnother = pattern(
  "i",
  String.raw`(?:^|[\s(\x60"'-])(?:the|an?|in|on|at|from|of|via|see|per|under|into|der|die|das|den|dem|im|am|vom|aus|bei|le|la|les|du|des|el|los|las|del|il|lo`,
  `|no|nos|het|de|een|van|uit|w|we|this|your|our|my|calls?|class|function|method|module|template|version|release|build|sprint|job|pod|node|host`,
  `|server|cluster|image|tag|branch|commit|ticket|issue|pr|user(?:name)?|group|role|team|file|table|column|field|key`,
  String.raw`|\w*(?<!val)ids?|header|region|zone|env`,
  `|plan|policy|const|let|var|val|new|type|named|called|ask|as|run|runs|bucket|queue|topic|session|request|device`,
  String.raw`|model|resource|alert|case|step|hook|component)[ \t]{1,2}["'\x60(\uE000-\uE003]?$`,
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
    ? !/[:=>][ \t]*["'`\uE000-\uE003]?$/.test(before) || /[a-z] [a-z()]+: ["'`]?$/i.test(before)
    : /(?<![\w/.@:+-])(?:root|admin|elastic|postgres|guest):$/.test(before);
const isOther: Accept = (secret) =>
  isHex(secret) ||
  isUuid(secret) ||
  /%[0-9A-Fa-f]{2}(?!\d)|[\da-f]{8}-[\da-f]{4}-/i.test(secret) ||
  features.isHarmless(secret) ||
  features.isPublicValue(secret) ||
  features.isAlgorithm(secret);
/** A word that no sentence has and that names nothing else. */
const isOdd: Accept = memoize(
  (secret) =>
    (hasDigit(secret) || /[A-Za-z]{2}[!^%][A-Za-z]{2}/.test(secret) || (hasBothCases(secret) && /[a-z][A-Z]+[*$&~#+][A-Za-z]/.test(secret))) &&
    (features.isCode(secret) || ((features.isMadeUp(secret) || features.isMixedWord(secret)) && !isNameOfThing.test(secret))) &&
    !isOrdinary(secret) &&
    !isOther(secret),
);
/** `thunder_mango_19`, `bananaSplit77`: words that name nothing, and a number. A product and its version look the same. */
const isWordsAndNumber: Accept = memoize((secret) => {
  if (!hasDigit(secret) || !/^[A-Za-z][A-Za-z\d]*(?:[-_.][A-Za-z\d]+)*[!?#$*]?$/.test(secret) || /\d{7}/.test(secret) || isOther(secret)) return false;
  const words = (secret.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? []).map((word) => word.toLowerCase());
  if (/^[a-z]{4,}\d{2,}[a-z]{1,4}$/.test(secret)) return areDrawn(words.slice(0, 1), 0);
  if (words.some((word) => word.length < 3) && !/^[a-z]{1,2}-[a-z\d-]*[a-z]{4,}[a-z\d-]*\d{3}/.test(secret)) return false;
  return areDrawn(words, 0) && !features.isProduct(secret) && (words.length > 1 || /\d\d/.test(secret)) && /[a-z]/.test(secret);
});
/** `coral-herring`, `duneMirror`: words alone. A sentence must say that they are the password. */
const isWords: Accept = (secret) => isJoinedPair(secret) || features.isDiceware(secret) || features.isWordPair(secret);
/** A number of a year or longer, or several words: rarely a product. */
const isNoVersion: Accept = (secret) =>
  /(?:^|[^\d\-_.])\d{4}|[-_.](?!(?:19|20)\d\d$)\d{4}|[!?#$*]$|^(?:.*[a-z\d][-_.][A-Za-z]{3}|[A-Za-z]{4,}(?<=[a-z])[A-Z])(?!.*[a-z]\d$)/.test(secret);

/** "remove the password coral-herring from the file": right behind the word for a password, and the sentence goes on with a small word. */
const nameRightBefore = /(?:passw|kennw|passphr|contras|clave|senha|wachtw|passe$|has[lł]o|парол|schlüssel)[\p{L}-]{0,8} ["'`(]?$/iu;
const goesOn = /^["'`)]?(?:[.,;!?)]|\s*(?:\n|$)| (?:de|is|d[ou]s?|can|was|por|para|im|aus|dans|sur|[a-z]{1,3}|nella|from)\s)/i;
/** A word for a password in the same sentence, near the value. */
const isSaidNear = (text: string, start: number, end: number): boolean =>
  speaksOfPasswords.test(text.slice(Math.max(0, start - 60), start).replace(/^.*(?:[.!?;] |\n|\uE010)/s, "")) ||
  speaksOfPasswords.test(text.slice(end, end + 60).replace(/(?:[.!?;] |\n|\uE010).*$/s, ""));

/** A ticket, an address, a version, a file, a constant, a name of code. */
const isNoPassword = pattern(
  "",
  String.raw`^[A-Z]+(?:-\d+$|#)|^[a-z-]+#\d+$|^PT\d|sha\d|^\d+\*|^-|@[\w-]+\.|\d\.\d|\.(?:zip|t?gz|tar|txt|json|ya?ml|md|[jt]sx?|py|go|rb|java|html|css|sh`,
  "|log|csv|xml|sql|com|org|net|dev|io)$",
  String.raw`|^[A-Za-z]\w*\.[A-Z_]+$|^\*|^(?:import|options?|hashlib|process|config|req|res|ctx|self|this)\.|^[a-z]+(?:_[a-z]+){2,}$`,
);
/** `Walnut!Ferry82`, `kettle805Engine*`: a sign, or digits between letters of both cases, as in no name. */
const hasSign: Accept = (secret) => hasOddSign(secret) || /[A-Za-z\d][!$%^&*#~]$/.test(secret);
const isBlend: Accept = (secret) => features.isStrong(secret) || (hasBothCases(secret) && /[A-Za-z][-_.]?\d+[-_.]?[A-Za-z]/.test(secret));
/** `b4dg3r`, `7ang3r1n3!`, `p3pp3r46`: digits in the place of letters of a word. */
const isLeet: Accept = memoize((secret) => {
  const core = secret.replace(/[!?*#$]?$/, "").replace(/(?<=[a-z])\d{2,4}$/i, "");
  if (!/^(?=[^a-z]*[a-z])(?:[A-Za-z][a-z]+[-_.])?[A-Za-z\d][a-z\d]{3,15}$/.test(core) || isHex(core) || !/\d[a-z]|[a-z]{2}\d$/i.test(core)) return false;
  const count = core.match(/[0134579]/g)?.length ?? 0;
  const word = core.replace(/[0134579]/g, (digit) => "oieastg".charAt("0134579".indexOf(digit))).toLowerCase();
  return (count > 1 || (count === 1 && core.length > 4 && secret !== core)) && /^[a-z]+(?:[-_.][a-z]+)?$/.test(word) && !/[^aeiouy]{5}|[aeiou]{4}/.test(word);
});
/** `wajqc2nz`: small letters that no word has, and digits between them. */
const isScrap: Accept = (secret) =>
  /^[a-z\d]{7,16}$/.test(secret) &&
  /[a-z]\d+[a-z]/.test(secret) &&
  !isHex(secret) &&
  (/[b-df-hj-np-tv-xz]{3}/.test(secret) || (/.{8}/.test(secret) && /\d[a-z]+\d/.test(secret)));
/** Points for the look of a value: 5 for what is nothing but a password, 0 for two plain words, less for what is none. */
export function pointsOfLook(secret: string): number {
  if (features.isGarbled(secret) && hasBothCases(secret) && !isOther(secret) && !/^-|^[a-z]{2,12}_[A-Za-z\d]{12}|[A-Z]{2,}\.[A-Z]|\d\.\d/.test(secret))
    return hasSign(secret) ? 5 : 4;
  if (isNoPassword.test(secret)) return -9;
  if (isOdd(secret)) return hasSign(secret) ? 5 : isBlend(secret) ? 4 : 3;
  if ((isLeet(secret) || isScrap(secret)) && !isOrdinary(secret) && !isOther(secret) && !features.isProduct(secret)) return 4;
  const isDiceware = features.isDiceware(secret);
  if (isDiceware || isWordsAndNumber(secret)) return 2 + Number(hasSign(secret) || (isDiceware && /(?:[-_.]\w+){3}/.test(secret)));
  return isWords(secret) ? 0 : -9;
}
/** Points for what the text says about the value. */
function pointsOfContext(secret: string, look: number, { text, start, end }: FoundSecret): number {
  const before = text.slice(Math.max(0, start - 40), start);
  const isSaidBehind = look < 3 && offeredBehind.test(text.slice(end, end + 48));
  if (look < 1 && !(isSaidBehind ? isWords(secret) : isJoinedPair(secret) && nameRightBefore.test(before) && goesOn.test(text.slice(end, end + 8)))) return 0;
  const isSure = look > 3;
  const isDrawn = features.isDiceware(secret);
  const above = linesAbove(text, start, end, !isSure && !isDrawn);
  // `ops: …` below another value of a map is no speaker: somebody has said something before.
  const isMarked = above?.includes(marker);
  const isSpoken = above !== undefined && (isMarked ? /\?|\p{L}+ \p{L}+ \p{L}+/u.test(above) && speaksOfTokens.test(above) : speaksOfAccess.test(above));
  if (isSpoken && look > 1 && (look > 2 || /\d\d|[!?]$/.test(secret) || isDrawn)) return 3;
  const line = () => lineOf(text, start, end);
  if (look < 1) return speaksOfAccess.test(line()) ? 5 : 0;
  if (!isSaidBehind && !isUnnamed(before)) return 0;
  const isGiven = isSaidBehind || isOffered(before);
  if (namesAnother.test(before.slice(-24)) && !hasOddSign(secret) && !isGiven) return 0;
  if ((hasDigit(secret) || isDrawn) && isSaidNear(text, start, end)) return 3;
  if (speaksOfAccess.test(line())) return 2 + Number(isGiven && (isNoVersion(secret) || speaksOfPasswords.test(line())));
  return Number(isSure && (hasBothCases(secret) || hasSign(secret)) && speaksOfUsers.test(line()));
}
const pointsMin = 5;
const isGiven: AcceptInContext = (secret, found) => {
  const look = pointsOfLook(secret);
  if (look < 0 || /[/=%@:\\([{<&#]/.test(found.text.charAt(found.end)) || isPlaceholder(secret)) return false;
  const context = pointsOfContext(secret, look, found);
  return (context > 0 && look + context >= pointsMin) || isNearAccess(secret, look, found);
};
/** Begins behind a space, a quote, a bracket, or behind its user: "ops/…". */
const isApart = /(?:^|[\s"'`([\uE000-\uE003]|(?:^|[\s(`"'])[a-z][a-z\d_.-]{1,20}[:/])$/;
/** The name of something else, right before the value. */
const namesId = /(?:Id|[Nn]ame|Ref|uid)["'\s:=(]*$|334 $/;
/** A value that looks like a password: a word about access within a few lines is enough, unless something else is named right before it. */
function isNearAccess(secret: string, look: number, { text, start, end }: FoundSecret): boolean {
  const before = text.slice(Math.max(0, start - 60), start);
  if (secret.length > 32 || !hasDigit(secret) || !isApart.test(before)) return false;
  if (look < 4 && (!/\d\d/.test(secret) || /^[A-Za-z]+\d{1,3}$|^[A-Z\d-]+$/.test(secret))) return false;
  const own = before.replace(/^.*[.,;\n]/s, "");
  return (
    !publicWord.test(own) &&
    !namesId.test(own) &&
    (hasOddSign(secret) || !namesAnother.test(own.replace(/user $/, ""))) &&
    // The name of the value itself was judged before.
    speaksOfAccess.test(`${text.slice(Math.max(0, start - lineReach), start).replace(/\S+\s?[:=]\s*["'`\uE000]?$/, "")}\0${text.slice(end, end + lineReach)}`)
  );
}

/** A value that SOPS, Jasypt or Travis encrypted. */
const isEncrypted = /ENC(?:\[\w+,data:|\()[\w+/]*$|\bsecure:\s*["']?[\w+/]*$/;
const encryptedReach = 700;

const bareRule: ContextRule = {
  ...kindNamed("Password"),
  reach: 400,
  keywords: keywordsOf(`${passwordWords}|${accessWords}|${userWords}`),
  isNear: true,
  pattern: /[\w!#$%^&*?+~@-]+(?:(?:\.|(?<=\d[^\s=]{0,12})=)[\w!#$%^&*?+~@-]+)*/g,
  accept: (secret, found) =>
    secret.length >= 5 &&
    secret.length <= 64 &&
    (secret.length > 6 || isLeet(secret)) &&
    // A plain word, which most are, or a digest.
    !/^(?:[A-Za-z]?[a-z]*|(?:[0-9a-f]{8}){4,8})$/.test(secret) &&
    isGiven(secret, found) &&
    !isEncrypted.test(found.text.slice(Math.max(0, found.start - encryptedReach), found.start)),
};

const tokenWords =
  "hmac|jeton|token|secret|passw|api key|api-key|apikey| key|chiave|clave|chave|credential|revoke|hard-cod|hardcod|log in|login|pepper" +
  "|schlüssel|clé|sleutel|klucz|ключ|密钥|密鑰|キー|키";
const speaksOfTokens = new RegExp(tokenWords, "i");
const namedBefore =
  /(?<!\b(?:value|data|content|raw|[Oo]ld|[Nn]ew|dev|stag(?:e|ing)|prod(?:uction)?|test|live|sandbox|qa))["']?(?::=?|=>?)[ \t]{0,8}["'`\uE000-\uE003]?$/;
/** A random word on a line that speaks of tokens and keys: "Revoke …, it is the deploy token". */
const tokenRule: ContextRule = {
  ...kindNamed("Token"),
  reach: 300,
  keywords: keywordsOf(tokenWords),
  isNear: true,
  pattern: /(?<![\w/.:=@%+#\]-])[A-Za-z\d][\w+/-]{15,79}={0,2}(?![\w/:=@%+(-]|\.\w)/g,
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
    (isAnswer(text, start, end) || !namedBefore.test(text.slice(Math.max(0, start - 24), start))) &&
    !/^ {1,2}\*?[\w./-]{1,80}\.\w{2,4}\b/.test(text.slice(end, end + 96)) &&
    !isEncrypted.test(text.slice(Math.max(0, start - encryptedReach), start)) &&
    (speaksOfTokens.test(clauseOf(text, start, end)) || isAnswer(text, start, end)) &&
    !publicWord.test(windowOf(text, start, end)) &&
    !(/^[0-9a-f]{40}$/.test(secret) && commitWord.test(lineOf(text, start, end))) &&
    !isPlaceholder(secret),
};
/** Alone on its line, below lines that speak of tokens: the answer to a question, or the second half of a token. */
const isAnswer = (text: string, start: number, end: number): boolean => {
  const above = linesAbove(text, start, end, false);
  return above !== undefined && /secret|token|passw|credential|\b(?:key|chiave|clave|chave)\b/i.test(above) && !publicWord.test(above);
};
/** The words that may say what a random value is: those of its own clause. */
const windowOf = (text: string, start: number, end: number) =>
  lineOf(text, start, end)
    .replace(/^.*[,;] (?=[^\0]*\0)/, "")
    .replace(/(?<=\0[^\n]*)[;.] .*$/, "");
/** Forty hex digits are more often a commit. */
const commitWord = /\bHEAD\b|checkout|\bPR\b|landed|leaked in|introduced|\bfix(?:ed|es)?\b|\bremove[sd]\b|\bsee\b|rebase|\bdiff\b|upstream/i;
const publicWord = pattern(
  "i",
  String.raw`public|publish|integrity|ansible_vault|prüfsumm|sha-?\d|md5|revert|bisect|blob|\btree\b|parent|pinned|submodule|cherry|merge|branch`,
  String.raw`|firmware|sum\b|digest|\bevent\b|checksum|hash(?!ing)|etag|fingerprint|commit|nonce|cursor|\bids?\b|_id|(?:er|st|nt|on|ce|ct|ge|un|ob|it|ey)id\b`,
  String.raw`|certificate|ciphertext|captcha|site.?key|uuid|\bkid\b|version|trace|request|accessor|cache(?! passw)|correlation|span\b|git show`,
);

/** Words for a number that opens something. A code is one if a door, a safe or an alarm is near it. */
const pinWords = pattern(
  "iu",
  String.raw`(?<![a-z])(?:pin|puk|passcode|voicemail)(?![a-z])|pin-?code|-pin(?![a-z])|口令|暗証|비밀번호|密码|zugangscode|\bcode d'acc|(?<!\p{L})(?:master|duress`,
  String.raw`|bypass|door|gate|safe|alarm|access|entry|unlock|disarm|kiosk|keypad|host|tresor|wi-?fi)[ -](?:[\w-]{1,16} ){0,2}(?:code|key|combination)\b`,
  String.raw`|\b(?:code|código|codice|kod)\b[^.\n]{0,30}(?:door|room|locker|gate|safe|alarm|kiosk|coffre|porte|portail|cofre|puerta|porta|cassaforte|sejf)`,
  String.raw`|(?:unlock|open|disarm)s?\b[^.\n]{0,40}\bcode\b|passw\w*(?: (?:of|for|on|to|in|at) [^.:\n]{1,50})?: ?$`,
);
/** What the number counts, or that the line is about the pins of a board. */
const counted =
  /^["'`)]? ?(?:%|ms|s|sec\w*|min\w*|hours?|px|kb|mb|bytes?|digits?|char|zeichen|stellen|times|requests?|users?|rows?|attempts?|items?|tokens?|days?|of)\b/i;
/** "type 97300274" where a PIN is asked for, "duress code 965342", and the answer to "PIN for the door?". */
const pinRule: ContextRule = {
  ...kindNamed("PIN"),
  reach: 400,
  keywords: keywordsOf("pin|puk|passcode|voicemail|code|key|口令|暗証|비밀번호|密码|combination|código|codice|kod|passw"),
  isNear: true,
  pattern: /(?<![\w.,:/#$€£%+=-]|\d )\d{4,8}(?![\w%/:=-]|[.,]\d)/g,
  accept: (secret, { text, start, end }) => {
    if (/^(?:0?1234|(\d)\1+$|(?:19|20)\d\d$)/.test(secret) || counted.test(text.slice(end, end + 12))) return false;
    const sentence = text.slice(Math.max(0, start - 90), start).replace(/^.*(?:[.!?;] |\n)/s, "");
    if (/\b(?:port|size|timeout|limit|max|min|ttl|length|count|line|row|page|step|id|sensor|node|pr|issue|ticket|year)["']? ?[:=]? ?["']?$/i.test(sentence))
      return false;
    const announced = pinWords.test(sentence) ? sentence : (linesAbove(text, start, end, false)?.replace(/\bcode\b/i, "pincode") ?? "");
    if (offeredBehind.test(text.slice(end, end + 48))) return true;
    return pinWords.test(announced) && !/\d{4}[^\n]*$/.test(sentence) && !/header|board|gpio|pinout|jumper|error|status|version/i.test(announced);
  },
};

export const nearbyRules: readonly ContextRule[] = [bareRule, tokenRule, pinRule];
