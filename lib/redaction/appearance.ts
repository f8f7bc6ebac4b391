import { hasDistinct } from "./rule.ts";

/** How a value looks: random, written by a person, or a placeholder. */

export const hasDigit = (value: string): boolean => /\d/.test(value);
export const hasLetter = (value: string): boolean => /[A-Za-z]/.test(value);
export const hasBothCases = (value: string): boolean => /[A-Z]/.test(value) && /[a-z]/.test(value);
export const isHex = (value: string): boolean => /^(?:0x)?[0-9a-fA-F]+$/.test(value);
export const isUuid = (value: string): boolean =>
  value.length === 36 && /^[0-9a-fA-F]+(?:-[0-9a-fA-F]+){4}$/.test(value);

/** Letters of Thai, Lao, Chinese, Japanese and Korean: no space is between two words. */
export const hasNoSpaces = (code: number): boolean => code >= 0x2e80 || (code >= 0x0e00 && code <= 0x0eff);

/** Inspects only the first characters: they show what a long value looks like. */
const lookedAtMax = 256;

/** 1 digit, 2 capital, 3 small letter, 0 anything else. */
function characterClass(code: number): number {
  if (code >= 48 && code <= 57) return 1;
  if (code >= 65 && code <= 90) return 2;
  return code >= 97 && code <= 122 ? 3 : 0;
}

interface Rhythm {
  /** Share of neighbours of different classes. A capital before a small letter begins a word: not counted. */
  flips: number;
  /** Share of neighbours that follow each other in the alphabet. */
  steps: number;
  /** Share of characters in stretches of one case too long to be random. */
  words: number;
  /** Share of characters in stretches of two or more small letters, with the capital before them. */
  syllables: number;
}

const smallStretchMin = 4;
const capitalStretchMin = 6;

/** Compares only letters and digits. */
function rhythmOf(value: string): Rhythm {
  let pairs = 1;
  let flips = 0;
  let steps = 0;
  let inWords = 0;
  let inSyllables = 0;
  let stretch = 0;
  let before = 0;
  for (let index = 0; index <= value.length; index++) {
    const here = characterClass(value.charCodeAt(index));
    if (before !== 0 && here !== 0) {
      pairs++;
      if (before !== here && !(before === 2 && here === 3)) flips++;
      if (value.charCodeAt(index) - value.charCodeAt(index - 1) === 1) steps++;
    }
    if (here === before) stretch++;
    else {
      if ((before === 3 && stretch >= smallStretchMin) || (before === 2 && stretch >= capitalStretchMin))
        inWords += stretch;
      if (before === 3 && stretch >= 2)
        inSyllables += stretch + (characterClass(value.charCodeAt(index - stretch - 1)) === 2 ? 1 : 0);
      stretch = 1;
    }
    before = here;
  }
  return {
    flips: flips / pairs,
    steps: steps / pairs,
    words: inWords / value.length,
    syllables: inSyllables / value.length,
  };
}

/** `Password`, `currentUser`, `aws-cdk/CfnKey`: capitals only at the start of a word. */
export const isPlainCase = (value: string): boolean =>
  value.split(/[^A-Za-z0-9]/).every((part) => /^[A-Za-z]?[a-z]*(?:[A-Z][a-z]+)*$/.test(part));

/**
 * Random characters change class at every second place; identifiers, paths and sentences do not. `wordsMax` is the
 * largest share of characters that may be in words.
 */
export function isRandom(wordsMax: number, whole: string, stepsMax = 0.9): boolean {
  if (whole.length < 10 || !hasDistinct(whole, 8)) return false;
  const value = whole.slice(0, lookedAtMax);
  const { flips, steps, words, syllables } = rhythmOf(value);
  if (steps > stepsMax || ((words > wordsMax || syllables > 0.75) && hasBothCases(value))) return false;
  if (hasDigit(value)) return flips >= 0.15;
  return flips >= 0.09 && hasBothCases(value) && !isPlainCase(value);
}

/** For a place that already suggests a credential. */
export const looksRandom = (value: string): boolean => isRandom(0.6, value);
/** For a value whose appearance is the only evidence. */
export const looksVeryRandom = (value: string): boolean => isRandom(0.35, value, 0.3);
