import { learningLimits } from "../contract/limits.ts";
import { tableShape } from "../contract/table.ts";
import { OneAtATime } from "../runtime/one-at-a-time.ts";
import { turnTaker } from "../runtime/turns.ts";
import { type Embedder, normalised } from "./embedder.ts";
import { subjectWords, weakWords } from "./local-vocabulary.ts";

/**
 * A simple replacement for a model: hashed words, subjects that words of our field belong to, pairs and pieces of
 * words. It uses no network: the same text gives the same vector everywhere. Texts that share rare words, parts of
 * identifiers or subjects are close together; it understands nothing else.
 */
export const localEmbedder: Embedder = {
  id: "local-2",
  embed: (text, signal) =>
    turns.run(async () => {
      signal?.throwIfAborted();
      const vector = normalised(hashedVector(text));
      await takeTurn(text.length);
      return vector;
    }),
};

const turns = new OneAtATime();
const takeTurn = turnTaker(learningLimits.charactersPerTurn);

const { dimensions } = tableShape.vectorIndex;

/** The weight of a feature by its kind. A word's subjects share one weight, and so do its pieces. */
const weights = { word: 1, subject: 1.2, pair: 0.15, piece: 0.5 } as const;
const weakWeight = 0.4;
const pieceLengths = [3, 4, 5] as const;
const longestWord = 64;

function hashedVector(text: string): number[] {
  const stems = wordsOf(text).map(stemOf);
  const words = tally(stems.map((stem) => [stem, 1]));
  const pairs = tally(stems.slice(1).map((stem, index) => [`${stems[index]} ${stem}`, 1]));
  const sums = new Float64Array(dimensions);
  const add = (feature: string, weight: number) => {
    const hash = hashOf(feature);
    // A bit of the hash gives the sign, so that features in the same dimension cancel out on average.
    const place = hash % dimensions;
    sums[place] = (sums[place] ?? 0) + ((hash >>> 16) & 1 ? weight : -weight);
  };
  const counted = new Map<number, number>();
  for (const [word, times] of words) {
    const weight = (weak.has(word) ? weakWeight : 1) * (1 + Math.log(times));
    add(`word ${word}`, weights.word * weight);
    const pieces = piecesOf(`^${word}$`);
    for (const piece of pieces) add(`piece ${piece}`, (weights.piece * weight) / Math.sqrt(pieces.length));
    const about = subjectsOf.get(word) ?? [];
    for (const subject of about)
      counted.set(subject, (counted.get(subject) ?? 0) + weight / Math.sqrt(about.length));
  }
  // Several words of one subject count more than one word, but not proportionally.
  for (const [subject, weight] of counted) add(`subject ${subject}`, weights.subject * Math.log2(1 + weight));
  for (const [pair, times] of pairs) add(`pair ${pair}`, weights.pair * (1 + Math.log(times)));
  return [...sums];
}

function tally<Feature>(counted: ReadonlyArray<readonly [Feature, number]>): Map<Feature, number> {
  const counts = new Map<Feature, number>();
  for (const [feature, times] of counted) counts.set(feature, (counts.get(feature) ?? 0) + times);
  return counts;
}

/** Letters and digits of any script; `camelCase`, `snake_case` and `HTTPServer` are split into their words. */
function wordsOf(text: string): string[] {
  return text
    .normalize("NFKC")
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1 && !common.has(word));
}

/** Sufficient for plurals and verb forms; a stem that is cut too short is cut the same way everywhere. */
function stemOf(word: string): string {
  if (word.length < 5)
    return word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
  const cut = word.replace(/(?:ations?|ingly|edly|ings?|ies|ied|ed|es|ly|s)$/, "");
  const stem = cut.length >= 3 ? cut : word;
  return /([^aeiou])\1$/.test(stem) && stem.length > 4 ? stem.slice(0, -1) : stem.replace(/e$/, "");
}

/** Uses only the first letters: a longer text is not a word, and its pieces mean little. */
function piecesOf(word: string): string[] {
  const letters = [...word.slice(0, longestWord)];
  return pieceLengths.flatMap((length) =>
    letters.slice(length - 1).map((_, start) => letters.slice(start, start + length).join("")),
  );
}

/** FNV-1a, then a final mix: FNV alone puts similar features in neighbouring places. */
function hashOf(feature: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < feature.length; index++)
    hash = Math.imul(hash ^ feature.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Words that say nothing about the subject, in sentences and in code. */
const common = new Set(
  (
    "a an and are as at be been but by can cannot could did do does for from had has have if in into is it its " +
    "may more most must never no not of on only or our over shall should so such than that the their then there " +
    "these they this those to too use used using via was we were what when where which while who will with " +
    "within without would you your always any all also because before after every each other instead like make " +
    "new let const var function return import export class public static void async await def self if else " +
    "true false null undefined none string number int bool type value values"
  ).split(" "),
);

const weak: ReadonlySet<string> = new Set(weakWords.map(stemOf));

/** The numbers of the subjects that a stem belongs to. */
const subjectsOf: ReadonlyMap<string, readonly number[]> = (() => {
  const found = new Map<string, number[]>();
  for (const [subject, words] of subjectWords.entries())
    for (const stem of new Set(words.map(stemOf))) found.set(stem, [...(found.get(stem) ?? []), subject]);
  return found;
})();
