import { hasDigit, hasLetter, looksRandom, looksVeryRandom } from "./appearance.ts";
import { isCredentialWord } from "./assignment-names.ts";
import { decodeStart } from "./decoded.ts";
import * as features from "./features.ts";
import { memoize } from "./memoize.ts";
import { isPlaceholder, isStandIn } from "./placeholders.ts";
import type { Accept } from "./rule.ts";
import type { Value } from "./values.ts";
import { pattern, setOf } from "./words.ts";

/** Where a value stands: in a place that can hold only a password, behind a name, or only among words about access. */
export type Where = "place" | "name" | "words";
/** What a value is, if it is no credential. */
export interface Never {
  readonly is: string;
  /** Without it the row counts everywhere. */
  readonly only?: readonly Where[];
  readonly test: (text: string, isQuoted: boolean) => boolean;
}

const typeWords =
  setOf(`string text char chararray bytearray charsequence varchar nvarchar bytes byte integer number object array
boolean secretstr securestring sensitive password hidden email checkbox date timestamp json yaml optional none true
false null undefined nullptr`);
/** Words behind an option or a name in a sentence. */
const functionWords =
  setOf(`does else flag from have here into must need needs only option options parameter argument arguments args
prompt should that then there this uses using when where which will with without would your instead also after before
stdin file flags value values field fields`);
/** Words that say something about a password, or its state, in addition to the endings below. */
const predicates = setOf(`
conforme errada errado flaky slow compuesta przekazane about comes lives subject due prone input weird odd complex
common robust gerekli yanlıs hatalı dogru gecersiz gecerli zorunlu guclu zayıf once twice always never secure insecure
secret private right strong default plain clear bcrypt argon scrypt unicode ascii username account phrase above below
inside outside under until still already almost sometimes perhaps though because broken stolen given taken chosen
written spoken shown known again garbage nonsense overkill enough better longer shorter stronger weaker stale fresh
simple trivial nowhere everywhere somewhere elsewhere another neither either anyone nobody everybody somebody legacy
opaque short immediate separate fine gone okay good great weak long unique part just equal same different identical
local global safe unsafe done read ready open public easy hard cheap free over down online offline live dead lost
found left kept held yours ours mine theirs hers sign-in sign-up log-in log-out up-to-date out-of-date case-sensitive
case-insensitive fixture sample dummy data yesterday today tomorrow sure nope dunno later soon maybe bitwarden keepass
lastpass onepassword continue avoid ensure prevent allow access confirm verify begin start stay mean falsch leider
schwach sicher unsicher geheim pflicht klartext korrekt einfach bereits nirgends anders gleich immer nicht valide
invalide stocke toujours jamais correcte incorrecte requise requis hache hachee chiffre chiffree stockee perime
perimee oublie oubliee incorrecta correcta segura insegura debil fuerte corta larga siempre nunca igual incorreta
correta fraca curta longa sempre muito corretta debole troppo podstawa wymagane puste hier dort voulu leer vide vacia
vazia vuota feld felder formular eingabe richtlinie richtlinien abfrage wechsel anforderung anderung lange felaktigt
ogiltigt feil ugyldig forkert ugyldigt zero jour traves iets nowe inne starke sicherheit verwaltung datei ablauf ihre
ihrem ihren ihrer ihres dein deine deinem deinen deiner deines required optional mandatory hidden visible masked
redacted encrypted hashed plaintext cleartext stored generated random expired missing invalid valid wrong incorrect
correct changed unset empty unknown disabled enabled forgotten rotated revoked planned pending sent see mismatch
on_create onjuist ongeldig verlopen verkeerd wygaslo irrelevant whatever anything something ignored unused overdue
split high second uguale uguali low medium normal next last first third static current obsolete void moot intact back
manual bogus lowercase uppercase eight twelve sixteen alphanumeric faux trop
mauvais mauvaise bon bonne blank outdated`);
/** The endings of participles and adverbs. */
const participleEnding =
  /(?:ed|ing|able|ible|(?<!dragonf|butterf|firef|mayf|fami|li)ly|iert|elt|lich|haft|oria|oire|less|ful|ous)$/;
/** The endings of adjectives. Behind a colon a noun is more likely: "pass: observatory". */
const adjectiveEnding = pattern(
  "",
  "(?:iv[aeo]|tif|[dstir]ent|[dstvir]ant|ary|ory|ional|ical|ernal|imal|inal|ish|tic|ric|mic",
  `|bar|ig|end|ique|[ai]d[ao]s?|ata|uta|ato|uto)$`,
);
/** `abgelaufen`, `gehasht`. */
const germanParticiple = /^(?:ge|ab|ver|zu|be|er|ent|an|auf|aus|ein|um|un|vor|weg|hinter)\w{3,}(?:en|[tnd])$/;

/** `always`, `stored`, `abgelaufen`: a word that says something about a password. */
export const isPredicate = (value: string, isBehindColon: boolean): boolean => {
  const word = value.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
  return (
    predicates.has(word) ||
    germanParticiple.test(word) ||
    participleEnding.test(word) ||
    (!isBehindColon && adjectiveEnding.test(word))
  );
};

const formLabel = pattern(
  "iu",
  "^(?:confirm|bestätig|rep[ei]t|wiederhol|répét|conferm|potwierd|powt|forg|olvid|vergess|oubli|anmeld|einlogg" +
    "|connexion|submit|pflicht",
  String.raw`|ob?blig|obrig|verplicht|erforder|(?:text|input|edit)(?:box|field|area))\p{L}*$`,
);
const unit = pattern(
  "",
  String.raw`^\d+(?:[a-z]{2,3}|[KMGT]i?B|\/(?:s|sec|min|h|hour|day)|sec\w*|min\w*|hours?|days?|weeks?|months?|years?`,
  "|bytes?|times?|bits?|chars?|characters?|digits?|letters?|words?)$",
);
const classForm = pattern(
  "",
  String.raw`^(?:[a-z]\w*\.)?[A-Z]\w{2,30}(?:Key|Token|Secret|Password|Credentials?|Client|Handler|Error|Exception)$`,
);
const isPlace = ["place"] as const;
const isAmongWords = ["words"] as const;
// biome-ignore format: one row a line
export const nevers: readonly Never[] = [
  { is: "sentence in a script without spaces", test: (text) => /[\u3040-\u30ff\u4e00-\u9fff]{2}/.test(text) },
  { is: "type", test: (text) =>
    /^(?:u?int|float|n?varchar|sha|aes|rs|hs|es|ps|utf|base|argon|md)-?\d+[a-z]*$/i.test(text) },
  { is: "number or version", test: (text) => /^v?\d{1,5}(?:\.\d+)*[a-z%]{0,2}$/i.test(text) },
  { is: "number with a unit", test: (text) => unit.test(text) },
  { is: "date", test: (text) => /^\d{4}-\d\d-\d\d(?:[T ].*)?$/.test(text) },
  { is: "place in memory", test: (text) => /^0x[\da-f]{6,16}$/i.test(text) },
  { is: "option", test: (text) => /^--?[a-z][a-z\d-]*$/.test(text) },
  { is: "style", test: (text) => /^[a-z][\w.#:-]*\{[a-z-]+:[^{}]+\}/.test(text) },
  { is: "member of code", test: (text) => /^[A-Za-z]\w*\.(?:\w+\.)?[A-Z]+(?:_[A-Z\d]+)*$/.test(text) &&
    !(hasDigit(text) && looksRandom(text)) && !features.isGarbled(text) },
  { is: "class", test: (text) => classForm.test(text) },
  { is: "address", test: (text) => /^(?:https?|arn|file|s3|gs):/i.test(text) },
  { is: "program and its version", test: (text) => /^[a-z-]+\/\d+(?:\.\d+)+$/i.test(text) },
  { is: "mail address", test: (text) => /^[a-z][\w.-]*@(?:[\w-]+\.)+[a-z\d-]+$/i.test(text) },
  { is: "path", test: (text) => /^[./~][\w./-]*$/.test(text) && !(text.length >= 20 && looksVeryRandom(text)) },
  { is: "constant of code", test: features.isConstantLike },
  { is: "pattern", test: features.isPattern },
  { is: "algorithm", test: features.isAlgorithm },
  { is: "word for a credential", only: ["place", "name"], test: isCredentialWord },
  { is: "image, file or function", only: ["name"], test: (text) =>
    /^[a-z][\w.-]*(?:\/[\w.-]+)+(?::[\w.-]+|\.[a-z]\w{0,4})$|^(?:async )?function\(/.test(text) },
  { is: "stand-in or reference", only: isPlace, test: isStandIn },
  { is: "several words", only: isPlace, test: (text) => /\s/.test(text) },
  { is: "word for a type", only: isPlace, test: (text) => typeWords.has(text.toLowerCase()) },
  { is: "state of a password", only: isPlace, test: (text) => predicates.has(text.toLowerCase()) },
  { is: "function word", only: isPlace, test: (text, isQuoted) => !isQuoted && functionWords.has(text.toLowerCase()) },
  { is: "code", only: ["place", "words"], test: (text, isQuoted) => !isQuoted && features.isExpression(text) },
  { is: "word of another script", only: isPlace, test: (text) =>
    /^\p{L}+$/u.test(text) && !/^\p{Script=Latin}+$/u.test(text) },
  { is: "label of a form", only: isPlace, test: (text) => formLabel.test(text) },
  { is: "name of a credential", only: ["place", "words"], test: features.hasCredentialWord },
  { is: "public value", only: ["place", "words"], test: (text) => features.isPublicValue(text) && !/^\d+$/.test(text) },
  { is: "placeholder", only: isAmongWords, test: isPlaceholder },
  { is: "product", only: isAmongWords, test: features.isProduct },
  { is: "field", only: isAmongWords, test: features.isField },
  { is: "id of a key", only: isAmongWords, test: features.isKeyId },
  { is: "words in base64", only: isAmongWords, test: (text) =>
    /^[A-Za-z\d+/]{8,}={0,2}$/.test(text) && /^[A-Za-z]{2}[A-Za-z .,!?_-]+:?$/.test(decodeStart(text)) },
  { is: "variable, path or parameter", only: isAmongWords, test: (text) =>
    /^(?:[&?]\w+=|\$[A-Z_]|[/.~@#]|-)|^[^&]*&\w+=|%[\dA-F]{2}|\/.*\.[a-z]{2,4}$/.test(text) },
  { is: "id of a trace, header or advisory", only: isAmongWords, test: (text) =>
    /^(?:0x|00-[\da-f]{32}-|X-[A-Z]|GHSA-)|.[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-/.test(text) },
  { is: "ticket, time or sum", only: isAmongWords, test: (text) =>
    /^(?:[A-Z]{2,9}-\d{1,5}|\d{4}-\d\d-\d\d.*|[\d.,/+*-]+|\d+\*[a-z.A-Z]+|\D*(?:128|256|384|512))$/.test(text) },
  { is: "words around a sign", only: isAmongWords, test: (text) =>
    /^(?:[A-Za-z_.-]+[#?@+][A-Za-z_.-]*\d?|[A-Z]\w+#[a-z]\w*!?)$/.test(text) },
  { is: "range or example", only: isAmongWords, test: (text) => /a-z|A-Z(?:a|0)|\\u?0|EXAMPLE/.test(text) },
];

/** What stands right before a value among words, and says what else it is. */
const behindName = String.raw`["'>]{0,2}[ \t]*[:=]?[ \t]*["'\x60]?$`;
// biome-ignore format: one row a line
export const neverBehind: readonly { readonly is: string; readonly before: RegExp }[] = [
  { is: "id", before: pattern("", String.raw`(?:(?:[a-z]|\b)I[dD]|(?:\b|_)(?:[kc]?id|nonce|trace|request|cursor)`,
    "|[cC]ursor|[pP]age_?[tT]oken)", behindName) },
  { is: "digest", before: pattern("", String.raw`(?:\b|_)(?:etag|hash|digest|checksum|fingerprint|x5t#S256`,
    String.raw`|sha(?:-?\d+)?|[cC]ommit|revision|(?:leaked|fixed|introduced|landed) (?:in|by))`, behindName) },
  { is: "version, place or name of something", before: pattern("", String.raw`(?:\b|_)(?:tag|branch|image|version`,
    "|release|file|path|build|named|called|TXT|ticket|issue)", behindName) },
  { is: "user", before: pattern("", String.raw`(?:\b|_)(?:user|customer|accessor|username)`, behindName,
    String.raw`|\b(?:log|sign)\w* ?in as ["'\x60]?$`) },
  { is: "key of a table or a cache", before: pattern("",
    String.raw`(?:(?:[iI]dempotency|[cC]ache|sort|partition)[- _][kK]ey|Sec-\S*)`, behindName) },
  { is: "encrypted value", before: /ENC\[\w+,\S*$|\|1\|$|encrypted:$/ },
  { is: "part of a name or of code", before: /arn:\S*$|::$|[{$%]\{ ?$|\b[nxy]["']?: ?["']$/ },
];
export const isNeverBehind: Accept = (lead) => neverBehind.some(({ before }) => before.test(lead));

const neverIn = (where: Where, isQuoted = false): Accept => {
  const rows = nevers.filter(({ only }) => only?.includes(where) ?? true);
  return memoize((text) => rows.some(({ test }) => test(text, isQuoted)));
};
const isNeverQuoted = neverIn("place", true);
const isNeverBare = neverIn("place");
export const isRefused = ({ text, isQuoted }: Pick<Value, "text" | "isQuoted">): boolean =>
  isQuoted ? isNeverQuoted(text) : isNeverBare(text);
export const isNeverNamed: Accept = neverIn("name");
export const isNeverMentioned: Accept = neverIn("words");

/** For a value that a pattern found in a place for passwords. */
export const isInPlace: Accept = (text) =>
  text.length >= 4 && hasLetter(text) && !isRefused({ text, isQuoted: features.isDottedWords(text) });
