/** Replaces the parts of a page that `npm run generate` creates: each is between two marks with its name. */
export const withParts = (page: string, parts: Readonly<Record<string, () => string>>): string =>
  Object.entries(parts).reduce((text, [name, make]) => {
    const marked = new RegExp(`(<!-- ${name}: npm run generate -->\n).*?(<!-- end of ${name} -->)`, "s");
    if (!marked.test(text)) throw new Error(`The page has no place for ${name}.`);
    return text.replace(marked, (_, start: string, end: string) => `${start}\n${make()}\n\n${end}`);
  }, page);

export const markdownTable = (heads: readonly string[], rows: ReadonlyArray<readonly string[]>): string =>
  [heads, heads.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`)
    .join("\n");
