import { hasBothCases, hasDigit, hasLetter, hasNoSpaces, isPlainCase, isUuid } from "./appearance.ts";
import { aboutWords, type Claim } from "./assignment-names.ts";
import { isCredential } from "./evidence.ts";
import * as features from "./features.ts";
import { memoize } from "./memoize.ts";
import { nextIn } from "./next-in.ts";
import { isPredicate, isRefused } from "./not-passwords.ts";
import { areNoNames, isJoinedPair } from "./passphrases.ts";
import { isPlaceholder, isStandIn } from "./placeholders.ts";
import type { Accept } from "./rule.ts";
import type { Name } from "./separators.ts";
import { bareValue, type Value, valueAt } from "./values.ts";
import { marker } from "./view.ts";
import { pattern, setOf } from "./words.ts";

/**
 * The value that a sentence gives a name: "the password for staging is …", "der Token lautet …", "密码是…". A walk
 * over the words finds values that look like
 * credentials; behind a saying that can give only a password, a plain word is one too.
 */
/** Adverbs between the verb and the value: "is still …". */
const adverb = [
  "now|still|immer noch|toujours|encore|ancora|ainda|nog steeds|currently|just|simply|literally|actually|really",
  "basically|apparently|again|only|jetzt|noch|nun|maintenant|ahora|agora|ora|teraz|nu",
].join("|");
const verbs = setOf(`${adverb.replaceAll("|", " ")} 
is was are be been s it's equals contains contient contiene enthält reads becomes stays remains ist war lautet lauten
heißt est sera était es era será
é foi fica è sarà jest brzmi to это был является равен будет auf à a na на zu in as au al em para por en com er är
olyan je este adesso теперь
bisher derzeit aktuell momentan vorher previously formerly temporarily actuellement actualmente atualmente attualmente
obecnie сейчас todavía always
vaut vale gleich sei sería seria będzie wynosi равна - → -> => = :`);
/** After one of these words the sentence describes the credential and does not give its value. */
const otherSubjects =
  setOf(`hash hashes hashed digest checksum fingerprint sha sha1 sha256 sha512 md5 commit id ids uuid guid version
url uri path file filename length size bucket count limit type format algorithm kid arn issue ticket pr pull release
build revision trace request correlation expires expired ttl see docs rotated rotation policy manager page field
column header named called accessor login password token secret passphrase -accessor -username --username -user --user
-u -name --name`);
const prepositions = setOf("in of from on with by for to");
/** "password string …", "secret hex …": these words still belong to the name. */
const carriers = setOf("string value hex base64 text phrase literal here below code");
const sureVerbs = setOf("is was are were");
const wordsMax = 14;
const candidatesMax = 3;
const wordLengthMax = 128;
const valueLengthMax = 512;
const listedLengthMax = 24;

/** "just type …": "for passwords use argon2id" gives an algorithm. */
const isTypedWord: Accept = (word) =>
  isJoinedPair(word) ||
  /^[a-z]+(?:[-_][a-z]+)+[-_]?\d{1,4}$/.test(word) ||
  (features.isMadeUp(word) && !isOrdinary(word) && !features.isAlgorithm(word));

const technicalName = pattern(
  "",
  String.raw`PBKDF|[Ss][Hh][Aa]-?\d|HMAC|[Hh]mac|AES|aes-?\d|RSA|OAuth|oauth|Argon|argon|crypt`,
  String.raw`|[Bb]ase64|UTF|utf-?\d|ISO[- ]?\d|RFC|TLS|HTTP|http|JWT|X509|FIDO|WebAuthn`,
);
/** Values with digits that are not credentials: `v2.4.1-rc1`, `ISO27001`, `user42`, `2024-01-01`. */
export const isOrdinary: Accept = memoize(
  (value) =>
    /^[A-Za-z]{1,10}-?\d{1,5}$/.test(value) ||
    /^v?\d[\d.,:/-]*[a-z]{0,6}\d*$|^\d{4}-\d\d-\d\dT/i.test(value) ||
    technicalName.test(value) ||
    value.includes("://"),
);

/** For a value after a preposition or after no verb: the value alone must look like a credential. */
const isLikely = (value: string) =>
  features.isStrong(value) ||
  (value.length >= 8 &&
    hasDigit(value) &&
    hasBothCases(value) &&
    hasLetter(value) &&
    /^[\w!@#$%^&*+=?~.-]+$/.test(value) &&
    !/^[A-Z]?[a-z]+\d+$/.test(value) &&
    !isPlainCase(value.replace(/\d/g, "")));

/** `user=anna`, `?token=…`, `--flag`, a path: such text has its own name or meaning. */
const isOwnAssignment: Accept = memoize(
  (value) =>
    features.isField(value) ||
    /^[?&#-]?(?:[a-z_.[\]-]{2,}|[A-Z_]{2,})=|^(?:[a-z_.-]+|[A-Z_]+):|^-|^[./+&=?;,|]/.test(value) ||
    /:\/\/|\/.*\.[a-z]{1,5}(?::\d+)?$/.test(value),
);

/** `1Password`, `Base64-encoded`, `PasswordPolicyV2`: names that occur in sentences about credentials. */
const isNamed = /^1Password|^[Bb]ase(?:32|64)|[a-z]V\d{1,2}$/;

/** A word of a sentence behind the name of a credential. */
export interface Spoken {
  readonly value: Value;
  readonly claim: Claim;
  /** A person may have chosen the value. */
  readonly isChoice: boolean;
  /** A verb, a colon or an arrow leads to the value. */
  readonly isAfterSaying: boolean;
  /** The value is next to the name, behind "enter", or ends its line. */
  readonly isNext: boolean;
}

export interface SpokenEvidence {
  readonly evidence: string;
  readonly holds: (spoken: Spoken) => boolean;
}

const isLinked = ({ value, claim }: Spoken, link: "sentence" | "near") =>
  isCredential(value, { claim, link, isConstant: false, isEnvironment: false });

// biome-ignore format: one row a line
export const spokenEvidence: readonly SpokenEvidence[] = [
  { evidence: "said", holds: (spoken) => spoken.isAfterSaying && isLinked(spoken, "sentence") },
  { evidence: "likely", holds: ({ value: { text }, isChoice, isAfterSaying }) => isChoice && !isOrdinary(text) &&
    (isLikely(text) || (isAfterSaying &&
    features.isUnusualWord(text))) },
  { evidence: "near", holds: (spoken) => !isOrdinary(spoken.value.text) && isLinked(spoken, "near") },
];

function judged(
  value: Value | undefined,
  claim: Claim,
  isAfterSaying: boolean,
  isNext = false,
): Value | undefined {
  if (!value || value.text.length < 6 || isOwnAssignment(value.text) || isNamed.test(value.text))
    return undefined;
  const isChoice = isPassword(claim) || claim.kind === "secret" || claim.kind === "credential";
  if (!isChoice && /^[\w.-]+=[^=]/.test(value.text)) return undefined;
  // "the signature key …": right behind such a name, only a random value is a key.
  if (claim.kind === "key" && (!isNext || !/^[\w+=-]{20,}$/.test(value.text))) return undefined;
  const spoken = { value, claim, isChoice, isAfterSaying, isNext };
  return spokenEvidence.some(({ holds }) => holds(spoken)) &&
    !(isAfterSaying ? isStandIn : isPlaceholder)(value.text)
    ? value
    : undefined;
}

const isPassword = ({ kind }: Claim) => kind === "password" || kind === "passphrase";

const openers = /^[*_(["'`\uE000-\uE003]+/;

/** The next word of a line, behind spaces and one comma. */
const nextWord = /(?:,(?= ))?[ \t]*(\S{1,200})/y;
/**
 * A word without a digit, a sign, five consonants in a row (but "passphrase"), two capitals inside, two joints is
 * no credential.
 */
const isCandidate: Accept = memoize((word) =>
  /[\d!#$%^&*+~@]|(?!ssphr)[b-df-hj-np-tv-z]{5}|[A-Za-z]{20}|[a-z][A-Z].*[A-Z]|[a-z][-_.].*[a-z][-_.]/.test(
    word,
  ),
);

/** A sign of a candidate, so that most names need no walk. */
const candidateSign =
  /[\d!#$%^&*+~@]|(?!ssphr)[b-df-hj-np-tv-z]{5}|[a-z][A-Z]|[A-Za-z]{20}|[a-z][-_.][A-Za-z\d]{0,24}[a-z][-_.]/g;

function wordAt(text: string, word: string, at: number): Value | undefined {
  const opened = openers.exec(word)?.[0].replace(/["'`\uE000-\uE003].*$/s, "").length ?? 0;
  return valueAt(text, at + opened, false, valueLengthMax);
}

/** The largest distance between a credential and its name, in characters. */
const sentenceLengthMax = 160;

function bareWord(word: string): string {
  if (word.length > listedLengthMax) return "";
  return /^[a-z]+$/.test(word) ? word : word.toLowerCase().replace(/^["'`(*]+|["'`):*,]+$/g, "");
}

/** Returns the credential that the sentence after `from` gives. */
function findInSentenceAfter(
  text: string,
  from: number,
  claim: Claim,
  isForeign: boolean,
): Value | undefined {
  // Some languages need no verb: "A jelszó …".
  let isAfterSaying = isForeign;
  let isInPhrase = false;
  let isInAside = false;
  let isDirectlyAfter = true;
  let end = from;
  let wordsLeft = wordsMax;
  let candidatesLeft = candidatesMax;
  for (;;) {
    nextWord.lastIndex = end;
    const word = nextWord.exec(text)?.[1];
    if (word === undefined) return isAfterSaying || isDirectlyAfter ? ownLine(text, end, claim) : undefined;
    end = nextWord.lastIndex;
    // The sentence has given its credential, or an option has a value of its own.
    if (
      wordsLeft-- === 0 ||
      end - from > sentenceLengthMax + wordLengthMax ||
      word.includes(marker) ||
      /^--[a-z]/.test(word)
    )
      return undefined;
    const bare = bareWord(word);
    const last = word.charAt(word.length - 1);
    // A question mark right after the name: "password? …".
    const isAsked = word === "?";
    const isVerb = sureVerbs.has(bare) || last === ":" || word === "=";
    const isAbout = otherSubjects.has(bare) || /^hash|(?:password|token|secret)$/.test(bare);
    // "the token in the failing request was …": after "request" only a verb leads to the value.
    if (isInAside && isVerb) isInAside = false;
    else if (!isInAside && isCandidate(word)) {
      // Few words of a sentence look like a credential: more of them are no sentence.
      if (candidatesLeft-- === 0) return undefined;
      const value = wordAt(text, word, end - word.length);
      // "password mismatch for user …": a UUID that no verb gives is an id.
      const isId = !isDirectlyAfter && !isAfterSaying && isUuid(value?.text ?? "");
      if (!isId && judged(value, claim, isAfterSaying, isDirectlyAfter)) return value;
    }
    // "Use this password to log in:", and then the password on its own line.
    const own = ":?".includes(last)
      ? ownLine(text, end, claim, word === ":" && wordsLeft === wordsMax - 1)
      : undefined;
    if (own) return own;
    const isLast = word.length > wordLengthMax || (".!?;".includes(last) && !isAsked);
    if (isLast || (isAbout && !isInPhrase)) return undefined;
    isInAside ||= isAbout && !isVerb;
    // "Forgot your password? Click here …": only the next word can be the answer.
    if (isAsked) wordsLeft = 1;
    isInPhrase = prepositions.has(bare) || (isInPhrase && !isVerb);
    isAfterSaying = ":=→".includes(last) || isAsked || verbs.has(bare) || verbs.has(word);
    // Behind a name of another language the next word may be a verb that no list has.
    isAfterSaying ||= isForeign && wordsLeft === wordsMax - 1;
    isDirectlyAfter &&= carriers.has(bare) || /^\W+$/.test(word);
  }
}

/** The line break and the text before an answer: a speaker with or without the time, a bullet, "sure, it's". */
const lineBreak = /[\])"'`*:]{0,3}(?:(?:[ \t]*\n[ \t>]{0,8}){1,2}(?:[-*>] )?| A: )/y;
const ownLineEnd = /[."'`\uE000-\uE003]{0,2}[ \t]*(?:\n|$)/y;
/** "The password is" at the end of a line, and the password alone on the next one. */
function ownLine(text: string, from: number, claim: Claim, isLabel = false): Value | undefined {
  lineBreak.lastIndex = from;
  if (!lineBreak.test(text)) return undefined;
  const value = valueAt(text, lineBreak.lastIndex);
  if (!value) return undefined;
  ownLineEnd.lastIndex = value.end;
  const isAlone = ownLineEnd.test(text);
  return features.isStrong(value.text) ||
    features.isDecoratedWord(value.text) ||
    features.isNumberedWord(value.text) ||
    features.isMixedWord(value.text) ||
    (isAlone && (features.isDiceware(value.text) || features.isCode(value.text) || isLikely(value.text)))
    ? judged(value, claim, true)
    : isAlone &&
        isPassword(claim) &&
        (features.isWordPair(value.text) || (isLabel && isPasswordSaid(value, "", true)))
      ? value
      : undefined;
}

const cjkBridge = /[\u0e00-\u0eff\u2e80-\u9fff\uac00-\ud7af \t:=,"'*`]{0,16}/y;
const asciiWord = /[!-~]+/y;

/** For scripts without spaces between words: returns the first ASCII word after the name. */
function findInCjkAfter(text: string, from: number, claim: Claim): Value | undefined {
  cjkBridge.lastIndex = from;
  cjkBridge.test(text);
  const start = cjkBridge.lastIndex;
  asciiWord.lastIndex = start;
  if (!asciiWord.test(text)) return undefined;
  let end = asciiWord.lastIndex;
  while (end > start && /[.,;:)"'`\]}*]/.test(text.charAt(end - 1))) end--;
  // `"パスワード", "passwordAgain": …`: the next name of an object.
  if (/^["']\s{0,4}:/.test(text.slice(end, end + 6))) return undefined;
  const value = bareValue(text.slice(start, end), start);
  if (
    /^["'是为為は는은:][A-Za-z]{5,}$/.test(text.slice(from, start).trimEnd().slice(-1) + value.text) &&
    claim.kind === "password"
  )
    return isPasswordSaid(value, "", true) ? value : undefined;
  return judged(value, claim, true);
}

/** A sentence that can give only a password: there a plain word is a password too. */
export interface Saying {
  readonly saying: string;
  readonly name?: RegExp;
  /** Matches the text before the name, up to the name. */
  readonly before?: RegExp;
  /** Sticky: matches the text from the name to the value. */
  readonly behind: RegExp;
  /** The value ends with its quote, its line, its clause, or before a preposition. Otherwise any text may follow. */
  readonly ends: "quote" | "clause" | "phrase" | "line" | "anywhere";
  /** Words may come before the verb or the sign. */
  readonly isFar?: boolean;
  readonly value?: Accept;
}

const verb =
  `(?:is|was|it's|ist|war|lautet|heißt|est|c'est|es|era|sigue siendo|continua|é|è|jest|brzmi|är` +
  `|er)(?:·(?:${adverb}))?`;
/** In these patterns `·` is a space or a tab, `»` closes the name, `…` is up to seven words, `«` opens the value. */
const bridge = (source: string, flags = "uyi") =>
  new RegExp(
    source
      .replaceAll("»", "[\"'`)*\\uE000-\\uE003]{0,3}")
      .replaceAll("«", "[\"'`*\\uE000-\\uE003]{0,3}")
      .replaceAll("…", "(?:,?·{1,2}[\\p{L}\\d.@/'`()_-]{1,40}(?<!\\.)){0,7}?")
      .replaceAll("·", "[ \\t]"),
    flags,
  );
const speaker = "(?:[^\\n]{1,40}[:>] |[-*] )?(?:it'?s )?";
const asked = /\b(?:what|which|whats|wie|welches|was|quel|cuál|qual)\b[^\n]{0,60}$|: (?:[\w-]{1,20} ){0,3}$/;
const set =
  "set|reset|changed?|rotated|updated|switched|geändert|gesetzt|gereset|gewijzigd|veranderd|cambi[\\wé]{1,3}|changé" +
  "|(?:re)?mis|mudei|alterei|troquei" +
  "|zmieni[łl]\\p{L}{0,2}|ustawi[łl]\\p{L}{0,2}|(?:по|с|из)мен[яи]л\\p{L}?|поставил\\p{L}?";

// biome-ignore format: one row
export const sayings: readonly Saying[] = [
  { saying: "a verb", isFar: true, behind: bridge(`»(?:'s(?:·(?:${adverb}))?|…,?·{1,3}${verb})[ \\t:]{1,3}«`), ends:
    "phrase" },
  { saying: "quotes", behind:
    bridge("»·{1,4}(?:(?:to|auf|na|a|en|hâlâ|hala|still|noch)·|\\()?[\"'`\\uE000-\\uE003]"), ends: "quote" },
  { saying: "a colon in a sentence", isFar: true, name: /(?:pass|[^s])$/i, behind: bridge("»…·?:[ \\t*]{1,8}«"),
    ends: "clause",
    before: /(?:^|[\n(/])[^={}()"'`<>$\n]{0,60}$/ },
  { saying: "right behind the name", behind: bridge(":?·"), ends: "phrase",
    before: pattern("iu",
      String.raw`\b(?:(?:user|name|login|usuario|utilisateur|benutzer):?|temp|with|use[sd]?|using|by|demands|mit`,
      "|met|con|avec|com",
    String.raw`|usad)[ \t](?!(?:and|or|o|y|und|oder|et|ou|e)[ \t])(?:[\p{L}\d@._-]{1,24},?[ \t]){0,3}(?:mot de )?$`) },
  { saying: "typed at a prompt", behind: bridge("…,?·(?:just·|simply·)?(?:type|enter|use)·(?:in·)?«"), ends:
    "phrase", value: isTypedWord },
  { saying: "changed to", isFar: true, before: new RegExp(`(?<!\\p{L})(?:${set})(?!\\p{L})[^.\\n]{0,40}$`, "iu"),
    behind: bridge("…·(?:to|from|auf|en|à|a|na|на|para|naar)·«"), ends: "phrase" },
  { saying: "an answer", before: asked, ends: "line",
    behind:
    bridge(`(?=([^\\n?]{0,40}))\\1(?:\\?(?:·{0,4}\\n[ \\t>]{0,8}${speaker}|·{1,4}A:·)` +
      `|\\n(?:\\[\\d\\d:\\d\\d\\] )?\\*{0,2}\\p{L}{2,16}\\*{0,2}(?:: (?:it'?s )?|·{1,3}\\d{1,2}:\\d\\d·{1,3}))`)
    },
];

/** A verb or a sign that can lead from a name to a value over other words. */
const lead = bridge(`[:=(]|·(?:${verb}|to|auf|from|von|naar|en|à|a|na|на|para)[ \\t:]`, "ugi");
const leadReach = 320;
const nearSayings = sayings.filter(({ isFar }) => !isFar);

/** "use bluebird as the database password" */
const saidBefore = new RegExp(
  "\\b(?:use[sd]?|type|enter|try|with|using|set|choose|pick|still|and|und)[ \\t]{1,2}[\"'`]?((?!(?:it|its|this|that" +
    "|them|the|your|same|one)\\b)" +
    "[\\p{L}\\d][^\\s\"'`,;:()<>{}=$/\\\\]{3,39})[\"'`]?[ \\t]{1,2}as[ \\t](?:(?:the|its|your|a|my|our|new" +
    "|default)[ \\t]){0,2}(?:[\\w.-]{2,20}[ \\t]){0,2}$",
  "iu",
);
const plainWord = /[\p{L}\d][^\s"'`,;<>(){}=|\\\uE000-\uE010]{2,60}/uy;
const conjunction =
  "and|or|but|so|because|if|when|until|since|und|aber|weil|wenn|et|mais|si|y|pero|e|ma|se|en|als";
const closers = "-->|\\*\\/|%>|#\\}";
const endings = {
  clause: bridge(
    `·?["'\`*)\\]\\uE000-\\uE003]{0,3}(?:[.,;:!?)\\]]{1,3}(?:\\s|$)|·{0,8}(?:\\n|$|${closers})|·{1,4}(?:(?!--)[-(#` +
      `|/]|(?:${conjunction})·))`,
  ),
  phrase: bridge(
    "[\"'`*\\uE000-\\uE003]{0,2}·(?:(?:to|of|on|for|at|in|from|with|op|und|auf|für|bei|pour|sur|dans|para|em|en|per" +
      "|nel|su|na|för|till?|på|do|ce)·" +
      "|(?:yesterday|today|this|now|again|heute|gestern|hier|ayer|ieri|ontem|vandaag|gisteren|lol|ha(?:ha)+|btw|fyi" +
      "|thx|thanks|please|pls|ok)(?!\\p{L})" +
      "|[:;]-?[)(DP]|\\p{Extended_Pictographic})",
  ),
  line: new RegExp(`["'\`*\\uE000-\\uE003]{0,3}\\.?[ \\t]{0,8}(?:\\n|$|#|${closers})`, "y"),
};
const quotePattern = /["'`\uE000-\uE003]/;

const joints = setOf(`
is was has have had hasn been never not since between for of on to at in from von vom für auf am im zum zur de du
des del della di do da van voor dla na w
`);
const changedTo = /(?:set|reset|changed|rotated|updated) to /;
/** "password policy is", not "password of the policy is": the words before a preposition belong to the name. */
function isOfAnother(behindName: string): boolean {
  if (/, (?:the|our|its) \w+ (?:is|was)/.test(behindName)) return true;
  const words =
    behindName
      .toLowerCase()
      .replace(changedTo, "")
      .match(/\p{L}+/gu) ?? [];
  if (words.some((word) => /^(?:tabla|tabela|cach[eé]|índice|partici|mapa|registro)/.test(word))) return true;
  const joint = words.findIndex((word) => joints.has(word));
  return (joint === -1 ? words : words.slice(0, joint)).some(
    (word) => isAbout(word) || /(?:ment|tion)$/.test(word),
  );
}

export const isAbout = (word: string) => aboutWords.has(word) || aboutWords.has(word.replace(/s$/, ""));

/** "with password protection": nouns that make one with the name. */
const nounsBehindName =
  setOf(`grant flow box protect access support attack attacks database step guess property sync plugin backend
requirement requirements autofill breach leak leaks alone dictionary people user users letter letters test tests`);
const isNounBehindName = (word: string) =>
  nounsBehindName.has(word) ||
  /^\p{Ll}+(?:tion|sion|ity|ment|ness|ance|ence|ship|ism|zione|ción|ção|cji)$/u.test(word);

/** Whether a word can be a password where a sentence gives one. */
export function isPasswordSaid(value: Value, quote: string, isBehindColon = false): boolean {
  const isQuoted = quote !== "";
  const { text } = value;
  const word = text.toLowerCase();
  if (!/^(?=.{4}).*\p{L}{3}/u.test(text) || /[\u3040-\u30ff\u4e00-\u9fff]{2}/.test(text)) return false;
  if (/^[A-Z]{2,5}$|^\p{L}{1,3}$|^https?:/u.test(text) || isAbout(word)) return false;
  // "est erroné", "jest błędne": a word with the ending of another language.
  if (!isQuoted && /^\p{L}+$/u.test(text) && /[^\0-\x7f]$|^nie\p{L}{4,}$/u.test(text)) return false;
  if (isQuoted && (quote === "`" ? /^[a-z]+(?:_[a-z]|[A-Z][a-z])/ : /^[a-z]+(?:_[a-z]+){2,}$/).test(text))
    return false;
  if (/^(?:[A-Z][a-z]+){3,}$/.test(text) && !areNoNames(text)) return false;
  const isSentence = !/[a-z][A-Z]/.test(text) && isPredicate(word, isBehindColon || isJoinedPair(text));
  if (!isQuoted && (isSentence || isNounBehindName(text))) return false;
  return !isRefused({ ...value, isQuoted: isQuoted || features.isDottedWords(text) });
}

const isAt = (pattern: RegExp, text: string, from: number): boolean => {
  pattern.lastIndex = from;
  return pattern.test(text);
};

/** The word that begins at `start`, without the punctuation behind it. */
function plainWordAt(text: string, start: number): Value | undefined {
  if (text.charCodeAt(start) >= 0x2e80 || !isAt(plainWord, text, start)) return undefined;
  return bareValue(text.slice(start, plainWord.lastIndex).replace(/[^\p{L}\d!]+$/u, ""), start);
}

const beforeReach = 100;
const systemBefore = /\b(?:ssh|root|admin|db|wi-?fi|vpn|login|ftp|smtp)[ \t]$/i;
const opensBridge = /(?:'s(?= )|["'`)*\uE000-\uE003]{0,3})[ \t,:=?是为為は는은-]/y;

/** Returns the password that a saying gives behind its name, or before it: "use … as password". */
function findSaid({ text, name, start, end }: Name, rows: readonly Saying[]): Value | undefined {
  const before = text.slice(Math.max(0, start - beforeReach), start);
  // `Argument "password" to "connect"`: a message of a compiler.
  if (/\b(?:argument|parameter|property) ["'`]$/i.test(before)) return undefined;
  // "pass a `region`", "sudo passwd anna": the verb or the command, not the name.
  const isVerb =
    /^passwd$/i.test(name) ||
    (/^pass$/i.test(name) && !systemBefore.test(before) && !/(?:^|\n)\W*$/.test(before));
  // `create(:user, password: SecureRandom.hex)`: an argument of a call is code.
  if (/^: ?[\w.]/.test(text.slice(end, end + 3)) && /\w\((?:[^()\n]|\([^()\n]*\))*$/.test(before))
    return undefined;
  // Nothing that leads to a name ends in a quote.
  const isLed = !/["'`]$/.test(before);
  for (const { name: named, before: led, behind, ends, value: isFitting } of isAt(opensBridge, text, end)
    ? rows
    : []) {
    if (named?.test(name) === false || (isVerb && ends !== "line")) continue;
    if ((led && !isLed) || !isAt(behind, text, end) || (ends === "quote" && /secret$/i.test(name))) continue;
    const valueStart = behind.lastIndex;
    const value = plainWordAt(text, valueStart);
    if (!value || isRefused({ ...value, isQuoted: true }) || led?.test(before) === false) continue;
    const behindName = text.slice(end, valueStart);
    if (!isFitting && isOfAnother(behindName)) continue;
    const quote = text.charAt(valueStart - 1);
    // The closing quote of « … » has a space before it.
    const isQuoted =
      quotePattern.test(quote) &&
      text
        .slice(value.end, value.end + 2)
        .trimStart()
        .startsWith(quote);
    const isEnded =
      ends === "anywhere" ||
      (isQuoted && ends !== "line") ||
      (ends !== "quote" && isAt(endings[ends], text, value.end)) ||
      (ends === "phrase" && isAt(endings.clause, text, value.end));
    const isBehindColon =
      /[:(]/.test(behindName) || (!/\p{L}/u.test(behindName) && isAt(endings.line, text, value.end));
    if (
      isEnded &&
      isFitting?.(value.text) !== false &&
      isPasswordSaid(value, isQuoted ? quote : "", isBehindColon)
    )
      return value;
  }
  const word = before.includes(" as ") ? saidBefore.exec(before)?.[1] : undefined;
  if (!word) return undefined;
  const value = bareValue(word, start - before.length + before.lastIndexOf(word));
  return isPasswordSaid(value, "") ? value : undefined;
}

/** The characters that can follow a name in a sentence, up to the next space. */
const opensSentence = /(?:'s(?= ))?["'`)*\]?»\uE000-\uE003]{0,3}(?:[:,]?\s|$)/y;
const isCjk = (name: string) => hasNoSpaces(name.charCodeAt(name.length - 1));

/** Returns the credential that a sentence gives a name. Call it with increasing positions: it reads the text once. */
export function sentencesIn(text: string): (name: Name, claim: Claim) => Value | undefined {
  const candidateBehind = nextIn(text, candidateSign);
  const findLooking = (name: Name, claim: Claim): Value | undefined => {
    if (isCjk(name.name)) return findInCjkAfter(text, name.end, claim);
    if (candidateBehind(name.end) - name.end >= sentenceLengthMax) return undefined;
    if (!isAt(opensSentence, text, name.end)) return undefined;
    return findInSentenceAfter(
      text,
      name.end,
      claim,
      /[^\0-\x7f]|^(?:parola|heslo|salasana)/i.test(name.name),
    );
  };
  const leadBehind = nextIn(text, lead);
  return (name, claim) => {
    if (/^1password/i.test(name.name)) return undefined;
    const looking = findLooking(name, claim);
    if (looking || isCjk(name.name) || !(isPassword(claim) || claim.kind === "secret")) return looking;
    const said = findSaid(name, leadBehind(name.end) - name.end < leadReach ? sayings : nearSayings);
    return said &&
      (isPassword(claim) ||
        features.isWordPair(said.text) ||
        features.isDiceware(said.text) ||
        isJoinedPair(said.text))
      ? said
      : undefined;
  };
}

export const verbsBeforeName: ReadonlySet<string> = setOf(
  "as is als como comme come jako как ist est es é è to -",
);
