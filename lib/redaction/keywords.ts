import { required } from "../runtime/required.ts";

/** Finds many words in one pass over a text: groups of three characters exclude most positions. */
export interface Keyword {
  /** In lower case. */
  readonly word: string;
}

const groupsCount = 1 << 16;
const groupOf = (first: number, second: number, third: number) =>
  ((first << 9) ^ (second << 5) ^ third) & (groupsCount - 1);
const pairOf = (first: number, second: number) => ((first << 7) ^ second) & (groupsCount - 1);

/** The first Chinese, Japanese or Korean character. */
const signMin = 0x2e80;
/** Whether the search finds the word by its first character alone. */
const isSign = ({ word }: Keyword) => word.length === 1 || word.charCodeAt(0) >= signMin;

/** A fast check whether a character, a pair or a group has words. */
function flagsOf(keys: Iterable<number>): Uint8Array {
  const flags = new Uint8Array(groupsCount);
  for (const key of keys) flags[key] = 1;
  return flags;
}

/**
 * At one position the search reports the words in the order of the list, but words of two characters and of one
 * character last.
 */
export function wordSearch<Word extends Keyword>(
  words: readonly Word[],
): (text: string, heard: (word: Word, at: number) => void) => void {
  const others = words.filter((each) => !isSign(each));
  const bySign = Map.groupBy(words.filter(isSign), ({ word }) => word.charCodeAt(0));
  const byGroup = Map.groupBy(
    others.filter(({ word }) => word.length > 2),
    ({ word }) => groupOf(word.charCodeAt(0), word.charCodeAt(1), word.charCodeAt(2)),
  );
  const byPair = Map.groupBy(
    others.filter(({ word }) => word.length <= 2),
    ({ word }) => pairOf(word.charCodeAt(0), word.charCodeAt(1)),
  );
  const hasSign = flagsOf(bySign.keys());
  const hasGroup = flagsOf(byGroup.keys());
  const hasPair = flagsOf(byPair.keys());
  const hasStart = flagsOf(others.map(({ word }) => pairOf(word.charCodeAt(0), word.charCodeAt(1))));
  return (text, heard) => {
    const lowerCase = lowerCaseOf(text);
    const hear = (candidates: readonly Word[] | undefined, at: number) => {
      for (const candidate of required(candidates, "words of a flag")) {
        const { word } = candidate;
        const last = word.length - 1;
        // Most words of a group differ in their last character, and one character costs less than a call.
        if (lowerCase.charCodeAt(at + last) === word.charCodeAt(last) && lowerCase.startsWith(word, at))
          heard(candidate, at);
      }
    };
    let first = lowerCase.charCodeAt(0);
    let second = lowerCase.charCodeAt(1);
    for (let at = 0; at + 1 < lowerCase.length; at++) {
      const third = lowerCase.charCodeAt(at + 2);
      const pair = pairOf(first, second);
      if (hasStart[pair]) {
        const group = groupOf(first, second, third);
        if (hasGroup[group]) hear(byGroup.get(group), at);
        if (hasPair[pair]) hear(byPair.get(pair), at);
      }
      if (hasSign[first]) hear(bySign.get(first), at);
      first = second;
      second = third;
    }
  };
}

/** Returns the text in lower case, with the same length, so that positions agree. */
function lowerCaseOf(text: string): string {
  const lowerCase = text.toLowerCase();
  return lowerCase.length === text.length ? lowerCase : text.replaceAll("İ", "i").toLowerCase();
}
