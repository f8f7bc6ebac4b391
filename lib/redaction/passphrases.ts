import { aboutWords } from "./assignment-names.ts";
import { listedWords } from "./placeholders.ts";
import { setOf } from "./words.ts";

/** Words of sentences about credentials, in addition to the words of placeholders. */
export const sentenceWords =
  setOf(`all asked also always are before but can could each every has have into its just least long longer easier
stronger better make many more most must never only over should stored than then there these too under use using was
were what when where which while who will without would you your character characters digits letters symbols minimum
maximum days strong random secure security plain logged rotate choose provide generated create wrong`);

/** More words of names: parts of a text, parts of a program, systems, algorithms. */
const namingWords =
  setOf(`version template component environment elasticsearch kubernetes namespace schema cluster phase chapter
appendix figure scenario milestone iteration quarter customer instance replica worker machine standard protocol
snapshot candidate package profile region generation revision product projekt kapitel abschnitt demo step line level
item section issue ticket option char byte digit release build port node windows python java base code http part
sprint task note point group team room oauth argon ubuntu debian fedora centos android chrome firefox postgres mysql
angular react scrypt bcrypt crypt use get confirm varchar https stdin com org net self req body args opts data row cfg
settings`);
/** A word that names of things have, alone or before a number. A password that a person made up has none. */
export const isNamingWord = (word: string): boolean =>
  listedWords.has(word) || aboutWords.has(word) || namingWords.has(word);

/** Words drawn at random: no word of a placeholder, and at most one word that names of things have. */
export const areDrawn = (words: readonly string[], namesMax = 1): boolean =>
  !words.some((word) => listedWords.has(word)) && words.filter(isNamingWord).length <= namesMax;

/** Words of headers, classes and products. */
const codeWords =
  setOf(`content transport control origin security options system microsoft apache google java abstract default
factory builder bean context proxy adapter filter exception repository session user account secure random string`);
/** Words drawn at random, none of which headers, classes or other names have. */
export function areNoNames(value: string): boolean {
  const words = (value.match(/[A-Z][a-z]+/g) ?? []).map((word) => word.toLowerCase());
  return areDrawn(words) && !words.some((word) => codeWords.has(word));
}

/** `duneMirror`: the same for two words without a joint. */
export const areRunTogether = (value: string): boolean => {
  const words = (value.match(/[A-Z]?[a-z]+/g) ?? []).map((word) => word.toLowerCase());
  return areDrawn(words, 0) && !words.some((word) => codeWords.has(word));
};

/** `walnut cinder velvet zephyr`: four words or more, none of them a word of a sentence. */
export function isWordPassphrase(value: string): boolean {
  if (!/^(?:[a-z]{3,10}(?: [a-z]{3,10}){3,7}|[A-Z][a-z]{2,9}(?: [A-Z][a-z]{2,9}){3,7})$/.test(value))
    return false;
  const words = value.toLowerCase().split(" ");
  return areDrawn(words) && !words.some((word) => sentenceWords.has(word));
}

/** Words that end an adjective or a noun of two words: `server-side`, `read-only`. */
const compoundEnds =
  setOf(`side only time use wide free level type style like safe friendly aware proof in out on off up down first
based bound factor way step end less lived party specific sensitive agnostic hosted managed supplied defined encoded
generated signed scoped facing link card access rights role`);
/** `snowball-fight`: two words with a joint, as no sentence has them. */
export const isJoinedPair = (value: string): boolean => {
  const words = /^(\p{L}\p{Ll}{2,11})[-_.](\p{L}\p{Ll}{2,11})\d{0,3}$/u
    .exec(value.length > 30 ? "" : value)
    ?.slice(1);
  return (
    words !== undefined &&
    areDrawn(
      words.map((word) => word.toLowerCase()),
      0,
    ) &&
    !compoundEnds.has(words[1] ?? "") &&
    !/(?:ed|able|ing)$/.test(value)
  );
};
