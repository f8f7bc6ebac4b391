import { hasDigit, hasLetter } from "./appearance.ts";
import { isCredentialWord } from "./assignment-names.ts";
import * as features from "./features.ts";
import { memoize } from "./memoize.ts";
import { isStandIn } from "./placeholders.ts";
import type { Accept } from "./rule.ts";
import type { Value } from "./values.ts";
import { pattern, setOf } from "./words.ts";

/** What a value in the place of a password is, if it is not a password. */
export interface Refusal {
  readonly is: string;
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
correct changed unset empty blank unknown disabled enabled forgotten rotated revoked planned pending sent see mismatch
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
// biome-ignore format: one row a line
export const refusals: readonly Refusal[] = [
  { is: "stand-in or reference", test: isStandIn },
  { is: "several words", test: (text) => /\s/.test(text) },
  { is: "type", test: (text) => typeWords.has(text.toLowerCase()) },
  { is: "format, version, date or address", test: features.isHarmless },
  { is: "constant of code", test: features.isConstantLike },
  { is: "word for a credential", test: isCredentialWord },
  { is: "name of a credential", test: features.hasCredentialWord },
  { is: "state of a password", test: (text) => predicates.has(text.toLowerCase()) },
  { is: "function word", test: (text, isQuoted) => !isQuoted && functionWords.has(text.toLowerCase()) },
  { is: "code", test: (text, isQuoted) => !isQuoted && features.isExpression(text) },
  { is: "pattern", test: features.isPattern },
  { is: "word of another script", test: (text) => /^\p{L}+$/u.test(text) && !/^\p{Script=Latin}+$/u.test(text) },
  { is: "label of a form", test: (text) => formLabel.test(text) },
  { is: "public value", test: (text) => features.isPublicValue(text) && !/^\d+$/.test(text) },
];

const refusedBy = (isQuoted: boolean): Accept =>
  memoize(
    (text) => refusals.some(({ test }) => test(text, isQuoted)) || (!hasDigit(text) && text.length > 40),
  );
const isRefusedQuoted = refusedBy(true);
const isRefusedBare = refusedBy(false);
export const isRefused = ({ text, isQuoted }: Pick<Value, "text" | "isQuoted">): boolean =>
  isQuoted ? isRefusedQuoted(text) : isRefusedBare(text);

/** For a value that a pattern found in a place for passwords. */
export const isInPlace: Accept = (text) =>
  text.length >= 4 && hasLetter(text) && !isRefused({ text, isQuoted: features.isDottedWords(text) });
