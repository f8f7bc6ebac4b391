import { hasDigit, hasLetter } from "./appearance.ts";
import { isCredentialWord } from "./assignment-names.ts";
import {
  hasCredentialWord,
  isAlgorithm,
  isConstantLike,
  isDottedWords,
  isExpression,
  isHarmless,
  isPattern,
  isPublicValue,
} from "./features.ts";
import { isStandIn } from "./placeholders.ts";
import type { Accept } from "./rule.ts";
import type { Value } from "./values.ts";
import { marker } from "./view.ts";

/** What a value in the place of a password is, if it is not a password. */
export interface Refusal {
  readonly is: string;
  readonly test: (text: string, value: Value) => boolean;
}

const setOf = (spaced: string) => new Set(spaced.split(" "));

const typeWords = setOf(
  "string text char varchar nvarchar bytes byte integer number object array boolean secretstr securestring sensitive password hidden email checkbox date json yaml optional none true false null undefined nullptr",
);
/** Words behind an option or a name in a sentence. */
const functionWords = setOf(
  "does else flag from have here into must need needs only option options parameter argument arguments args prompt should that then there this uses using when where which will with without would your instead also after before stdin file flags value values field fields",
);
/** A state of a password, in the place of its value. */
const stateWords = setOf(
  "required optional mandatory hidden visible masked redacted encrypted hashed plaintext cleartext stored generated random expired missing invalid valid wrong incorrect correct changed unset empty blank unknown disabled enabled forgotten rotated revoked planned pending sent see",
);
/** Words of a sentence that say something about a password, in addition to the endings below. */
const predicates = new Set(
  "always never unset random secure insecure secret private correct incorrect right wrong valid invalid strong default plaintext cleartext plain clear bcrypt argon scrypt unicode ascii number object varchar digest username account phrase before after above below inside outside under until still already almost sometimes perhaps though because broken hidden stolen forgotten given taken chosen written spoken shown known unknown again garbage nonsense overkill false enough better longer shorter stronger weaker stale fresh simple trivial nowhere everywhere somewhere elsewhere another neither either anyone nobody everybody somebody legacy opaque short empty blank mandatory immediate separate fine gone okay good great bad weak long unique case text part only just also equal same different identical shared local global safe unsafe done sent read ready open public visible easy hard cheap free over down online offline live dead lost found left kept held set reset changed yours ours mine theirs hers his mandatory up-to-date read-only write-only out-of-date case-sensitive case-insensitive never-logged fixture sample dummy data yesterday today tomorrow yes sure nope dunno none nothing everything anything something later soon done maybe vault bitwarden keepass lastpass onepassword expire continue proceed change match login avoid ensure comply prevent allow access confirm verify begin start stay mean falsch leider schwach sicher unsicher geheim pflicht klartext korrekt einfach bereits nirgends anders gleich immer nicht valide invalide stocke toujours jamais correcte incorrecte requise requis haché hachée chiffré incorrecta correcta segura insegura debil fuerte corta larga siempre nunca igual incorreta correta fraca curta longa sempre muito corretta debole troppo podstawa wymagane puste hier dort voulu obligatoire".split(
    " ",
  ),
);
/** The endings of adjectives, participles and adverbs. */
const predicateEnding =
  /(?:ed|ing|able|ible|ly|iv[aeo]|tif|ous|ful|less|[dstir]ent|[dstvir]ant|ary|ory|ional|ical|ernal|imal|inal|ish|tic|ric|mic|lich|bar|ig|haft|end|iert|elt|oire|ique|ada|ida|ado|ido|oria|ata|uta|ato|uto|sed|ized|ised)$/;
/** `abgelaufen`, `gehasht`. */
const germanParticiple = /^(?:ge|ab|ver|zu|be|er|ent|an|auf|aus|ein|um|un|vor|weg|hinter)\w{3,}(?:en|t|n)$/;

/** `always`, `stored`, `abgelaufen`: a word that says something about a password. */
export const isPredicate = (value: string): boolean => {
  const word = value.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
  return predicates.has(word) || germanParticiple.test(word) || predicateEnding.test(word);
};

export const refusals: readonly Refusal[] = [
  { is: "stand-in or reference", test: isStandIn },
  { is: "several words", test: (text) => /\s/.test(text) },
  { is: "type", test: (text) => typeWords.has(text.toLowerCase()) },
  { is: "algorithm", test: isAlgorithm },
  { is: "format, version, date or address", test: isHarmless },
  { is: "constant of code", test: isConstantLike },
  { is: "word for a credential", test: isCredentialWord },
  { is: "name of a credential", test: hasCredentialWord },
  { is: "state of a password", test: (text) => stateWords.has(text.toLowerCase()) },
  {
    is: "function word",
    test: (text, { isQuoted }) => !isQuoted && functionWords.has(text.toLowerCase()),
  },
  {
    is: "code",
    test: (text, { isQuoted }) => !isQuoted && isExpression(text),
  },
  { is: "pattern", test: isPattern },
  {
    is: "word of another script",
    test: (text) => /^\p{L}+$/u.test(text) && !/^\p{Script=Latin}+$/u.test(text),
  },
  {
    is: "label of a form",
    test: (text) =>
      /^(?:confirm|bestätig|repet|wiederhol|répét|conferm|potwierd|forg|olvid|vergess|oubli|anmeld|einlogg|connexion|submit)\p{L}*$/iu.test(
        text,
      ),
  },
  {
    is: "public value",
    test: (text) => isPublicValue(text) && !/^\d+$/.test(text),
  },
];

export const isRefused = (value: Value): boolean =>
  refusals.some(({ test }) => test(value.text, value)) || (!hasDigit(value.text) && value.text.length > 40);

/** For a value that a pattern found in a place for passwords. */
export const isInPlace: Accept = (text) =>
  text.length >= 4 &&
  hasLetter(text) &&
  !isRefused({ text, start: 0, end: text.length, isQuoted: isDottedWords(text), isClosed: false });

/** A found text that is no credential, whatever found it: a marker, an algorithm, the stream of a Lambda's log. */
export const staysAnywhere = (text: string): boolean =>
  text.includes(marker) || text.includes("[$LATEST]") || isAlgorithm(text);
