/** Finds many words in one pass over a text: groups of three characters exclude most positions. */
export type Heard = (word: number, at: number) => void;

const groupsCount = 1 << 16;
const groupOf = (first: number, second: number, third: number) =>
  ((first << 9) ^ (second << 5) ^ third) & (groupsCount - 1);
const pairOf = (first: number, second: number) => ((first << 7) ^ second) & (groupsCount - 1);

/** The first Chinese, Japanese or Korean character. The search finds such words by their first character. */
const signMin = 0x2e80;

/** The words are in lower case. A word of one character must be Chinese, Japanese or Korean. */
export function wordSearch(words: readonly string[]): (text: string, heard: Heard) => void {
  const buckets: number[][] = [[]];
  const byGroup = new Uint16Array(groupsCount);
  const byPair = new Uint16Array(groupsCount);
  const bySign = new Map<number, number[]>();
  const add = (table: Uint16Array, place: number, index: number) => {
    table[place] ||= buckets.push([]) - 1;
    buckets[table[place] ?? 0]?.push(index);
  };
  for (const [index, word] of words.entries()) {
    const [first, second, third] = [word.charCodeAt(0), word.charCodeAt(1), word.charCodeAt(2)];
    if (first >= signMin) bySign.set(first, [...(bySign.get(first) ?? []), index]);
    else if (word.length > 2) add(byGroup, groupOf(first, second, third), index);
    else add(byPair, pairOf(first, second), index);
  }
  return (text, heard) => {
    const lowerCase = lowerCaseOf(text);
    const hear = (candidates: readonly number[], at: number) => {
      for (const index of candidates) if (lowerCase.startsWith(words[index] ?? "", at)) heard(index, at);
    };
    let first = lowerCase.charCodeAt(0);
    let second = lowerCase.charCodeAt(1);
    for (let at = 0; at + 1 < lowerCase.length; at++) {
      const third = lowerCase.charCodeAt(at + 2);
      const group = byGroup[groupOf(first, second, third)] ?? 0;
      if (group !== 0) hear(buckets[group] ?? [], at);
      const pair = byPair[pairOf(first, second)] ?? 0;
      if (pair !== 0) hear(buckets[pair] ?? [], at);
      if (first >= signMin) hear(bySign.get(first) ?? [], at);
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
