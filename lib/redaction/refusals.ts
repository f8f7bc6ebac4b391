import { hasDigit, hasLetter } from "./appearance.ts";
import { isCredentialWord } from "./assignment-names.ts";
import {
  hasCredentialWord,
  isAlgorithm,
  isConstantLike,
  isExpression,
  isHarmless,
  isPattern,
  isPublicValue,
} from "./assignment-values.ts";
import { isStandIn } from "./placeholders.ts";
import { isPredicate } from "./plain-words.ts";
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
  "does else flag from have here into must need needs only option parameter argument prompt should that then there this uses using when where which will with without would your instead also after before stdin file flags value values field fields",
);
export const refusals: readonly Refusal[] = [
  { is: "stand-in or reference", test: isStandIn },
  { is: "several words", test: (text) => /\s/.test(text) },
  { is: "type", test: (text) => typeWords.has(text.toLowerCase()) },
  { is: "algorithm", test: isAlgorithm },
  { is: "format, version, date or address", test: isHarmless },
  { is: "constant of code", test: isConstantLike },
  { is: "word for a credential", test: isCredentialWord },
  { is: "name of a credential", test: hasCredentialWord },
  { is: "word about a password", test: isPredicate },
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
    is: "word of another script or language",
    test: (text) => /^\p{L}+$/u.test(text) && !/^[A-Za-z]+$/.test(text),
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
  !isRefused({ text, start: 0, end: text.length, isQuoted: false, isClosed: false });

/** A found text that is no credential, whatever found it: a marker, an algorithm, the stream of a Lambda's log. */
export const staysAnywhere = (text: string): boolean =>
  text.includes(marker) || text.includes("[$LATEST]") || isAlgorithm(text);
