/** Composed (NFKC) and case-insensitive: upper case also unifies `ß` with `ss`, and both small sigmas. */
const folded = (text: string): string => text.normalize("NFKC").toLowerCase().toUpperCase().normalize("NFKC");

/** Tells whether a text has every whitespace-separated word of `search`; undefined if there is nothing to look for. */
export function wordsMatcher(search: string | undefined): ((text: string) => boolean) | undefined {
  if (search === undefined) return undefined;
  const words = folded(search).split(/\s+/).filter(Boolean);
  return (text) => {
    const foldedText = folded(text);
    return words.every((word) => foldedText.includes(word));
  };
}
