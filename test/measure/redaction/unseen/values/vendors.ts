import { readFileSync } from "node:fs";
import { makeFromPattern } from "../grammar/pattern.ts";
import type { Random } from "./random.ts";

export type VendorFormat = { readonly vendor: string; readonly kind: string; readonly pattern: string };

const read = (file: string): VendorFormat[] =>
  readFileSync(new URL(file, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [vendor = "", kind = "", ...pattern] = line.split(" ");
      return { vendor, kind, pattern: pattern.join(" ") };
    });

/** Tokens that their form alone tells. */
export const vendorTokens = read("vendor-tokens.txt");
/** Keys that only the name before them tells. */
export const vendorKeysByName = read("vendor-names.txt");

export const anyVendorToken = (random: Random): string =>
  makeFromPattern(random.pick(vendorTokens).pattern, random);
