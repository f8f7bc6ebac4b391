import { keyTable, namedTable, otherTable, tokenTable, vendorNames } from "./vendor-table.ts";

/** A row of a vendors' table: a kind, the prefixes or vendor names before its tokens, and their form. */
export interface VendorRow {
  readonly name: string;
  readonly words: readonly string[];
  readonly alphabet: string;
  readonly length: number;
  readonly isExact: boolean;
  readonly flags: string;
}

function rowsOf(table: string, called = ""): VendorRow[] {
  return table
    .trim()
    .split("\n")
    .map((line) => {
      const [name = ""] = line.split(": ", 1);
      const words = line.slice(name.length + 2).split(" ");
      const [, alphabet = "w", length = "0", flags = ""] =
        /^([a-z])(\d+)(\D*)$/.exec(words.pop() ?? "") ?? [];
      if (words.length === 0) words.push((name.split(" ")[0] ?? "").toLowerCase());
      return {
        name: name + called,
        words,
        alphabet,
        length: Number(length),
        isExact: flags.includes("="),
        flags,
      };
    });
}

export const prefixRows: readonly VendorRow[] = [
  ...rowsOf(keyTable, " key"),
  ...rowsOf(tokenTable, " token"),
  ...rowsOf(otherTable),
];
export const namedRows: readonly VendorRow[] = rowsOf(namedTable);

/** The names of all vendors that have keys without a prefix, each as one word. */
export const vendorWords: ReadonlySet<string> = new Set([
  ...vendorNames.trim().split(/\s/),
  ...namedRows.flatMap(({ words }) => words),
]);
