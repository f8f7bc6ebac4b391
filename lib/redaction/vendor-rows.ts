import { required } from "../runtime/required.ts";
import { keyTable, otherTable, tokenTable, vendorNames } from "./vendor-table.ts";

/** A row of a vendors' table: a kind, the prefixes or vendor names before its tokens, and their form. */
export interface VendorRow {
  readonly name: string;
  readonly words: readonly string[];
  readonly alphabet: string;
  readonly length: number;
  readonly isExact: boolean;
  readonly flags: string;
}

/** `Acme: acme_live_ acme_test_ a32#`: the kind, the words before its tokens, and their form. */
const rowPattern = /^(.+?): (.* )?([a-z])(\d+)(\D*)$/;

function rowsOf(table: string, called = ""): VendorRow[] {
  return table
    .trim()
    .split("\n")
    .map((line) => {
      const row = required(rowPattern.exec(line), `form of the vendor in the row "${line}"`);
      const [, name = "", listed, alphabet = "", length = "", flags = ""] = row;
      const [vendor = ""] = name.toLowerCase().split(" ");
      return {
        name: name + called,
        words: listed ? listed.trim().split(" ") : [vendor],
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

/** The names of all vendors that have keys without a prefix, each as one word. */
export const vendorWords: ReadonlySet<string> = new Set(vendorNames.trim().split(/\s/));
