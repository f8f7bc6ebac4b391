/** A row of a table that leads from a name to its value, found by the first characters of the text between them. */
export interface Bridge {
  /** The characters that the bridge can begin with. */
  readonly first: string;
  /** The characters that can follow the first spaces of the bridge; undefined if any character can. */
  readonly beyond?: string;
}

const isBlank = (character: string) => character === " " || character === "\t";
const blanksMax = 80;

/** Returns the rows that can begin at a position, so that most names need only one lookup. */
export function bridgesFrom<Row extends Bridge>(rows: readonly Row[]): (text: string, at: number) => readonly Row[] {
  const known = new Map<string, readonly Row[]>();
  const firsts = new Set(rows.flatMap((row) => [...row.first]));
  return (text, at) => {
    const first = text.charAt(at);
    if (!firsts.has(first)) return [];
    let end = at;
    while (end < at + blanksMax && isBlank(text.charAt(end))) end++;
    const beyond = end > at ? text.charAt(end) : "";
    const key = first + beyond;
    const made = known.get(key) ?? rows.filter((row) => row.first.includes(first) && (end === at || (row.beyond?.includes(beyond) ?? true)));
    // Only ASCII characters, so that the cache stays small.
    if (first < "\x80" && beyond < "\x80") known.set(key, made);
    return made;
  };
}
