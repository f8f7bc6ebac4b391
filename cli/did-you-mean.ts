/** At most this many letters differ; with more, the suggestion would be a guess. */
const differencesMax = 2;

/** " Did you mean …?" if one of the known words is close, otherwise nothing. */
export function didYouMean(word: string, known: readonly string[]): string {
  const [closest] = known
    .map((each) => ({ each, differences: differencesOf(word, each) }))
    .filter(({ each, differences }) => differences <= Math.min(differencesMax, each.length - 1))
    .toSorted((one, other) => one.differences - other.differences);
  return closest ? ` Did you mean ${closest.each}?` : "";
}

/** How many letters must be added, removed, replaced or swapped with their neighbour. */
function differencesOf(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, index) => index)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= one.length; row++) {
    rows[row] = [row];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = row > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      rows[row]?.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (isSame ? 0 : 1),
          isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return at(one.length, other.length);
}
