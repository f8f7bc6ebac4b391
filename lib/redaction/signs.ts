import { isHex, isUuid, looksRandom, looksVeryRandom } from "./appearance.ts";
import * as features from "./features.ts";
import { isJoinedPair } from "./passphrases.ts";
import { isPlaceholder } from "./placeholders.ts";
import type { Accept } from "./rule.ts";
import { isOrdinary } from "./sentences.ts";
import { pattern } from "./words.ts";

/** What can be seen of a value and of the words around it: signs, each with a name. `weights.ts` says what a sign weighs. */

const matches =
  (pattern: RegExp): Accept =>
  (value) =>
    pattern.test(value);

/** What the value may be, by its look. */
const looks: readonly (readonly [name: string, has: Accept])[] = Object.entries({
  strong: features.isStrong,
  diceware: features.isDiceware,
  decorated: features.isDecoratedWord,
  numbered: features.isNumberedWord,
  mixed: features.isMixedWord,
  code: features.isCode,
  unusual: features.isUnusualWord,
  words: features.isWordPair,
  pair: isJoinedPair,
  harmless: features.isHarmless,
  public: features.isPublicValue,
  product: features.isProduct,
  standin: isPlaceholder,
  named: features.hasCredentialWord,
  random: looksRandom,
  scattered: looksVeryRandom,
  token: features.isTokenLike,
  scrambled: (value: string) => features.isScrambled(value),
  expression: (value: string) => features.isExpression(value),
  pattern: features.isPattern,
  ordinary: isOrdinary,
  thing: matches(
    pattern(
      "",
      String.raw`^(?:[a-z]*(?:[A-Z][a-z]+|[A-Z]?\d{1,3}(?!\d)|[A-Z]{2,3}(?![A-Z]))+|[a-z]+(?:\d[a-z]?)?(?:[-_.+][a-z\d]+)+|\w+\.[A-Z]\w*`,
      String.raw`|[A-Z\d]+(?:[-_][A-Z\d]+)*|[a-z]{2,12}_[A-Za-z\d]{12,})$`,
    ),
  ),
  address: matches(/^[A-Z]+-\d+$|^-|@[\w-]+\.|\d\.\d|\.[a-z]{2,4}$|^[a-z]+(?:_[a-z]+){2,}$/),
  signed: matches(/[A-Za-z\d][!$%^&*?+~#]+[A-Za-z\d]/),
  shouted: matches(/[A-Za-z\d][!$%^&*#~]$/),
  path: matches(/\//),
  dotted: matches(/\./),
  mail: matches(/@/),
  year: matches(/(?<!\d)(?:19|20)\d\d(?!\d)/),
  leet: matches(/[a-z][013457@$][a-z]/i),
  four: matches(/\d{4}$/),
});

const knownLengths = new Set([16, 20, 24, 32, 40, 48, 64, 128]);
const alphabets: readonly RegExp[] = [/\d/, /[A-Z]/, /[a-z]/, /[!#$%^&*+?~@=]/, /[-_.]/, /\//];
/** The characters of a value: `dul` has digits and letters of both cases. */
function charactersOf(value: string): string {
  if (isUuid(value)) return "uuid";
  if (isHex(value) && /\d/.test(value) && /[a-f]/i.test(value)) return knownLengths.has(value.length) ? `hex${value.length}` : "hex";
  if (/^[\d.,/+-]+$/.test(value)) return /^\d{3,10}$/.test(value) ? `num${value.length}` : "num";
  return alphabets.map((alphabet, index) => (alphabet.test(value) ? "dulsjp".charAt(index) : "")).join("");
}

/** What the words around a value speak of. */
const subjects: readonly (readonly [name: string, words: RegExp])[] = [
  [
    "password",
    pattern(
      "i",
      String.raw`wachtwoord|şifre|pass[-_]?[wpck]|\bpass\b|pwd|\bpw\b|cred|парол|密码|密碼|口令|パスワード|비밀번호|비번|암호|kennwort|contrase|\bclave|senha|has[lł]`,
      String.raw`|secret|secrète|segret|phrase|frase|mot de passe|\bmdp\b|lösenord|heslo|jelszó|salasana|psk`,
    ),
  ],
  [
    "token",
    pattern(
      "i",
      String.raw`token|jeton|api[- _]?key|\bkeys?\b|schlüssel|\bcl[eé]f?\b|chave|chiave|sleutel|klucz|ключ|токен|密钥|密鑰|キー|トークン|키|토큰|令牌|bearer|hmac`,
      "|signing|webhook",
    ),
  ],
  ["access", /log ?in|log ?on|sign ?in|unlock|decrypt|protect|zugang|anmeld|auth|admin|root|account|user|sudo|prompt|connect|access|vpn|wifi|wi-fi|ssh|bind/i],
  ["pin", /\bpin\b|\bpuk\b|passcode|\bcodes?\b|código|codice|kod\b|recovery|backup code/i],
  ["hash", /hash|digest|check ?sum|fingerprint|sha-?\d|md5|etag|integrity|signatur|merkle|prüfsumme|empreinte|huella/i],
  [
    "id",
    pattern(
      "",
      String.raw`\bids?\b|_id\b|Id\b|uuid|guid|trace|request|session|ticket|issue|number|serial|pool|build|commit|branch|image|\btags?\b|cursor|order|invoice`,
      String.raw`|device|version|release|revision|PR\b|номер|numéro|número`,
    ),
  ],
  ["public", /public|certificat|publishable|anon|site ?key|öffentlich|publique|pública/i],
  ["rule", /example|placeholder|format|regex|pattern|polic|\brules?\b|must|should|length|vector|RFC|NIST|never|instead|z\.B\.|e\.g\.|document|schema|default/i],
  [
    "name",
    pattern(
      "i",
      "name|file|path|column|table|header|variable|param|flag|option|class|method|function|module|host|server|cluster|package|import|endpoint|url|keyboard",
    ),
  ],
  [
    "leak",
    /leak|hard-?coded|revoke|rotat|committed|plain ?text|in the clear|sorry|oops|tempor|changed|reset|still|expos|remove|entfern|supprim|elimin|borrar/i,
  ],
  ["verb", /\b(?:is|was|it's|its|with|use|using|try|enter|type|says?|to|as|now|ist|mit|lautet|est|avec|es|con|é|com|è|jest)[\s:"'`(*]*$/i],
];

/** What may be before a value that is alone on its line: a quotation, a bullet, a time, a speaker, an arrow. */
const lineOpening = pattern(
  "u",
  String.raw`^[ \t>|]*(?:[-*•—–←→↳] )?(?:[[(][^\])\n]{1,24}[\])] ?)?(?:[\d:., -]{4,20}(?: ?[AP]M)?(?: - | ))?(?:<? ?[@*]{0,2}[\p{L}\d_. -]{1,24}\*{0,2}`,
  String.raw`(?: \(?\d{1,2}:\d\d\)?)?\*{0,2}[:>] ?)?(?:(?:->|=>|→) )?(?:[\p{L}']{1,10} ?[,:]? ){0,3}["'\x60*(]{0,2}$`,
);
/** One character of a sign: no space, no quote, nothing that a template has to escape. */
const plain = (character: string): string => {
  if (/["'\uE000-\uE003]/.test(character)) return "q";
  if (/\n/.test(character)) return "n";
  if (/\s/.test(character)) return "_";
  return /[A-Za-z\d]/.test(character) ? "a" : /[:=,;.>()[\]{}/|*#@&+!?<-]/.test(character) ? character : "o";
};

const lineReach = 160;
const aboveReach = 300;
const nearReach = 40;
const aroundReach = 600;
const wordLengthMax = 10;
const sizeMax = 12;
/** A sign that is not there. */
const none = "0";

/** Calls `see` with each sign of the value itself. Returns what the value looks like. */
export function looksOf(value: string, see: (sign: string) => void): readonly string[] {
  const characters = charactersOf(value);
  see(`chars:${characters}`);
  see(`size:${characters}${Math.min(value.length >> 2, sizeMax)}`);
  const looked = looks.filter(([, has]) => has(value)).map(([name]) => name);
  for (const name of looked) see(`look:${name}`);
  return looked;
}

/** Calls `see` with each sign of the text around the value between `start` and `end`. */
export function surroundingsOf(text: string, start: number, end: number, looked: readonly string[], see: (sign: string) => void): void {
  see(`around:${plain(text.charAt(start - 1) || "\n")}${plain(text.charAt(end) || "\n")}`);

  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const lineEnd = text.indexOf("\n", end);
  const lead = text.slice(Math.max(lineStart, start - lineReach), start);
  const tail = text.slice(end, Math.min(lineEnd === -1 ? text.length : lineEnd, end + lineReach));
  const isLast = /^[ .!"'`)*]*$/.test(tail);
  const isFirst = lineOpening.test(lead);
  if (isLast || isFirst) see(`line:${isLast}${isFirst}`);

  const said = lead.split(/[.!?;] /).at(-1) ?? "";
  const saidBehind = tail.split(/[.!?;] /, 1)[0] ?? "";
  const words = (said.match(/\p{L}+/gu) ?? []).map((word) => word.toLowerCase().slice(0, wordLengthMax));
  const [last = ""] = words.slice(-1);
  for (const word of new Set(words)) see(`word:${word}`);
  see(`last:${last || none}`);
  const bridge = [...(/[^\p{L}\d]{0,3}$/u.exec(lead)?.[0] ?? "")].map(plain).join("");
  see(`bridge:${bridge || none}`);
  see(`next:${/\p{L}+/u.exec(saidBehind)?.[0].toLowerCase().slice(0, wordLengthMax) ?? none}`);
  see(`led:${last}${bridge.replace("_", "")}`);

  const above = text.slice(Math.max(0, lineStart - aboveReach), Math.max(0, lineStart - 1));
  const lineAbove = above.slice(above.lastIndexOf("\n") + 1);
  const near = said.slice(-nearReach);
  const around = text.slice(Math.max(0, start - aroundReach), end + aroundReach);
  for (const [subject, words] of subjects) {
    const places = [near, said, saidBehind, lead, tail, lineAbove, above, around];
    const place = subject + places.findIndex((part) => words.test(part));
    see(`says:${place}`);
    for (const name of looked) see(`${name}:${place}`);
  }
}
