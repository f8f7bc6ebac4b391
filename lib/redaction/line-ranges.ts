import { required } from "../runtime/required.ts";
import { nameStems } from "./assignment-names.ts";
import { wordSearch } from "./keywords.ts";
import type { Finder, NameHit } from "./rule.ts";

/** Whole lines of a text, around the keywords of a finder. */
export interface LineRange {
  readonly start: number;
  end: number;
}

/** A finder and the lines that it searches. A finder without keywords searches the whole text. */
export interface FinderRanges {
  readonly finder: Finder;
  readonly ranges: LineRange[];
}

export interface SearchRanges {
  /** In the order of the finders. */
  readonly searches: readonly FinderRanges[];
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
  // The longest word first: it is the name at its position.
  const search = wordSearch(
    words
      .sort((a, b) => b.length - a.length)
      .map((word) => ({ word, isName: nameStems.has(word), owners: owners.get(word) ?? [] })),
  );

  return (text) => {
    const searches: FinderRanges[] = finders.map((finder) => ({
      finder,
      ranges: finder.keywords.length === 0 ? [{ start: 0, end: text.length }] : [],
    }));
    const names: NameHit[] = [];
    let lineStart = 0;
    let lineBeforeStart = 0;
    let lineEnd = text.indexOf("\n");
    const lineEndBehind = (at: number) => {
      const end = text.indexOf("\n", at);
      return end === -1 ? text.length : end;
    };
    search(text, ({ word, isName, owners }, at) => {
      for (; lineEnd !== -1 && lineEnd < at; lineEnd = text.indexOf("\n", lineStart)) {
        lineBeforeStart = lineStart;
        lineStart = lineEnd + 1;
      }
      if (isName && names.at(-1)?.at !== at) names.push({ at, length: word.length });
      for (const owner of owners) {
        const { finder, ranges } = required(searches[owner], "finder of a keyword");
        const until = Math.min(text.length, at + (finder.reach ?? reachDefault));
        const last = ranges.at(-1);
        // The current range includes the next line too, and with it most of the following hits.
        if (last && until <= last.end) continue;
        const end = lineEndBehind(Math.max(until, lineEndBehind(at) + 1));
        if (last && lineBeforeStart <= last.end) last.end = end;
        else ranges.push({ start: lineBeforeStart, end });
      }
    });
    return { searches, names };
  };
}
