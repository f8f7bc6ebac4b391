import { hasNoSpaces } from "./appearance.ts";
import { aboutWords, type Claim } from "./assignment-names.ts";
import { isCredential } from "./evidence.ts";
import * as features from "./features.ts";
import { memoize } from "./memoize.ts";
import { isPredicate, isRefused } from "./never.ts";
import { nextIn } from "./next-in.ts";
import { areNoNames, isJoinedPair } from "./passphrases.ts";
import { isStandIn } from "./placeholders.ts";
import type { Accept } from "./rule.ts";
import type { Name } from "./separators.ts";
import { bareValue, type Value, valueAt } from "./values.ts";
import { pattern, setOf } from "./words.ts";

/**
 * The value that a sentence gives a name: "the password for staging is …", "der Token lautet …", "密码是…". A saying
 * leads from the name to the value; where it can give only a password, a plain word is one too.
 */
/** Adverbs between the verb and the value: "is still …". */
const adverb =
  "now|still|immer noch|toujours|encore|ancora|ainda|nog steeds|currently|just|simply|literally|actually|really" +
  "|basically|apparently|again|only|jetzt|noch|nun|maintenant|ahora|agora|ora|teraz|nu";

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

/** `user=anna`, `?token=…`, `--flag`, a path: such text has its own name or meaning. */
const isOwnAssignment: Accept = memoize(
  (value) =>
    features.isField(value) ||
    /^[?&#-]?(?:[a-z_.[\]-]{2,}|[A-Z_]{2,})=|^(?:[a-z_.-]+|[A-Z_]+):|^-|^[./+&=?;,|]/.test(value) ||
    /:\/\/|\/.*\.[a-z]{1,5}(?::\d+)?$/.test(value),
);

/** A value that the sentence gives, judged by what it looks like. */
const isGiven = (value: Value, claim: Claim) =>
  claim.kind !== "key" &&
  value.text.length >= 6 &&
  !isOwnAssignment(value.text) &&
  !technicalName.test(value.text) &&
  isCredential(value, { claim, link: "sentence", isConstant: false, isEnvironment: false }) &&
  !isStandIn(value.text);

/** A plain word is a password; a secret is at least two of them. */
const isChoice = (word: string, { kind }: Claim) =>
  kind === "password" ||
  kind === "passphrase" ||
  (kind === "secret" && (features.isWordPair(word) || features.isDiceware(word) || isJoinedPair(word)));

const valueLengthMax = 512;
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
  return isGiven(value, claim) ? value : undefined;
}

/** A sentence that can give only a password: there a plain word is a password too. */
export interface Saying {
  readonly saying: string;
  readonly name?: RegExp;
  /** Matches the text before the name, up to the name. */
  readonly before?: RegExp;
  /** Sticky: matches the text from the name to the value. */
  readonly behind: RegExp;
  /** The value ends with its quote, its line, its clause, or before a preposition. */
  readonly ends: "quote" | "clause" | "phrase" | "line";
  /** Words may come before the verb or the sign. */
  readonly isFar?: boolean;
}

const verb =
  `(?:is|was|are|it's|ist|war|lautet|heißt|est|c'est|es|era|sigue siendo|continua|é|è|jest|brzmi|är` +
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
function findSaid(
  { text, name, start, end }: Name,
  claim: Claim,
  rows: readonly Saying[],
): Value | undefined {
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
  for (const { name: named, before: led, behind, ends } of isAt(opensBridge, text, end) ? rows : []) {
    if (named?.test(name) === false || (isVerb && ends !== "line")) continue;
    if (!isAt(behind, text, end) || (ends === "quote" && /secret$/i.test(name))) continue;
    const valueStart = behind.lastIndex;
    const behindName = text.slice(end, valueStart);
    const given = valueAt(text, valueStart, false, valueLengthMax);
    if (given && isGiven(given, claim) && !isOfAnother(behindName)) return given;
    if (led && !isLed) continue;
    const value = plainWordAt(text, valueStart);
    if (!value || isRefused({ ...value, isQuoted: true }) || led?.test(before) === false) continue;
    if (isOfAnother(behindName)) continue;
    const quote = text.charAt(valueStart - 1);
    // The closing quote of « … » has a space before it.
    const isQuoted =
      quotePattern.test(quote) &&
      text
        .slice(value.end, value.end + 2)
        .trimStart()
        .startsWith(quote);
    const isEnded =
      (isQuoted && ends !== "line") ||
      (ends !== "quote" && isAt(endings[ends], text, value.end)) ||
      (ends === "phrase" && isAt(endings.clause, text, value.end));
    const isBehindColon =
      /[:(]/.test(behindName) || (!/\p{L}/u.test(behindName) && isAt(endings.line, text, value.end));
    if (isEnded && isPasswordSaid(value, isQuoted ? quote : "", isBehindColon) && isChoice(value.text, claim))
      return value;
  }
  const word = before.includes(" as ") ? saidBefore.exec(before)?.[1] : undefined;
  if (!word) return undefined;
  const value = bareValue(word, start - before.length + before.lastIndexOf(word));
  return isPasswordSaid(value, "") && isChoice(word, claim) ? value : undefined;
}

const isCjk = (name: string) => hasNoSpaces(name.charCodeAt(name.length - 1));

/** Returns the credential that a sentence gives a name. Call it with increasing positions: it reads the text once. */
export function sentencesIn(text: string): (name: Name, claim: Claim) => Value | undefined {
  const leadBehind = nextIn(text, lead);
  return (name, claim) => {
    if (/^1password/i.test(name.name)) return undefined;
    return isCjk(name.name)
      ? findInCjkAfter(text, name.end, claim)
      : findSaid(name, claim, leadBehind(name.end) - name.end < leadReach ? sayings : nearSayings);
  };
}

export const verbsBeforeName: ReadonlySet<string> = setOf(
  "as is als como comme come jako как ist est es é è to -",
);
