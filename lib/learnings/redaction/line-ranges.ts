import { nameStems } from "./assignment-names.ts";
import { wordSearch } from "./keywords.ts";
import type { Finder, NameHit } from "./rule.ts";

/** Whole lines of a text, around the keywords of a finder. */
export interface LineRange {
  readonly start: number;
  end: number;
}

export interface SearchRanges {
  /** In the order of the finders. A finder without keywords has the whole text. */
  readonly stretches: ReadonlyArray<readonly LineRange[]>;
  /** The positions of possible credential names. */
  readonly names: readonly NameHit[];
}

/** The largest distance of a value from its keyword, unless the value is on the next line. */
const reachDefault = 160;

/** Finds every keyword of every finder, and every name, in one pass. */
export function findSearchRanges(finders: readonly Finder[]): (text: string) => SearchRanges {
  const owners = new Map<string, number[]>();
  for (const [index, { keywords }] of finders.entries())
    for (const keyword of keywords) owners.set(keyword, [...(owners.get(keyword) ?? []), index]);
  const words = [...new Set([...owners.keys(), ...nameStems])];
  const ownersOf = words.map((word) => owners.get(word) ?? []);
  const isName = words.map((word) => nameStems.has(word));
  const lengths = words.map((word) => word.length);
  const reaches = finders.map(({ reach }) => reach ?? reachDefault);
  const search = wordSearch(words);

  return (text) => {
    const stretches: LineRange[][] = finders.map(({ keywords }) =>
      keywords.length === 0 ? [{ start: 0, end: text.length }] : [],
    );
    const names: NameHit[] = [];
    /** The end of the last stretch of each finder. */
    const ends = new Int32Array(finders.length).fill(-1);
    let lineStart = 0;
    let lineBeforeStart = 0;
    let lineEnd = text.indexOf("\n");
    const lineEndBehind = (at: number) => {
      const end = text.indexOf("\n", at);
      return end === -1 ? text.length : end;
    };
    search(text, (word, at) => {
      for (; lineEnd !== -1 && lineEnd < at; lineEnd = text.indexOf("\n", lineStart)) {
        lineBeforeStart = lineStart;
        lineStart = lineEnd + 1;
      }
      if (isName[word]) addName(names, at, lengths[word] ?? 0);
      for (const owner of ownersOf[word] ?? []) {
        const until = Math.min(text.length, at + (reaches[owner] ?? 0));
        // The current stretch includes the next line too, and with it most of the following hits.
        if (until <= (ends[owner] ?? 0)) continue;
        const own = stretches[owner];
        const last = own?.at(-1);
        const end = lineEndBehind(Math.max(until, lineEndBehind(at) + 1));
        ends[owner] = end;
        if (last && lineBeforeStart <= last.end) last.end = end;
        else own?.push({ start: lineBeforeStart, end });
      }
    });
    return { stretches, names };
  };
}

/** Keeps the longer of two names that begin at the same position. */
function addName(names: NameHit[], at: number, length: number): void {
  const last = names.at(-1);
  if (last?.at !== at) names.push({ at, length });
  else if (length > last.length) names[names.length - 1] = { at, length };
}
