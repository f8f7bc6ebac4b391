import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { vendorKeysByName, vendorTokens } from "../values/vendors.ts";

export type Half = "development" | "held-out";

/** A carrier is a kind of text in which a secret (or none) is found. `isBare` forbids a wrapping round it. */
export type Carrier = {
  readonly group: string;
  readonly name: string;
  readonly template: string;
  readonly isBare: boolean;
  readonly half: Half;
};

/**
 * The half follows from the name, so that a new carrier never moves an old one. Only an eighth is held out by now: each round of
 * development may open a part of what was held out, and never measures with an opened part again.
 */
export const halfOf = (name: string): Half =>
  (createHash("sha256").update(name).digest()[0] ?? 0) % 8 === 7 ? "held-out" : "development";

const groupMark = "■ ";
const carrierMark = "▶ ";
const bareMark = " [bare]";

/** `■ group`, then `▶ carrier` with its text up to the next mark. Lines before the first mark are comments. */
export function parseCarriers(source: string): Carrier[] {
  const found: { group: string; title: string; lines: string[] }[] = [];
  let group = "";
  for (const line of source.split("\n")) {
    if (line.startsWith(groupMark)) group = line.slice(groupMark.length);
    else if (line.startsWith(carrierMark))
      found.push({ group, title: line.slice(carrierMark.length), lines: [] });
    else found.at(-1)?.lines.push(line);
  }
  return found.map((entry) => {
    const isBare = entry.title.endsWith(bareMark);
    const name = isBare ? entry.title.slice(0, -bareMark.length) : entry.title;
    const template = entry.lines.join("\n").replace(/\n+$/, "");
    return { group: entry.group, name, template, isBare, half: halfOf(`${entry.group}/${name}`) };
  });
}

const folder = new URL("../carriers/", import.meta.url);

const readFolder = (name: string): Carrier[] =>
  readdirSync(new URL(name, folder))
    .filter((file) => file.endsWith(".txt"))
    .sort()
    .flatMap((file) => parseCarriers(readFileSync(new URL(`${name}/${file}`, folder), "utf8")));

const vendorCarriers = (): Carrier[] => [
  ...vendorTokens.map(({ vendor, kind, pattern }) => carrier("vendor tokens", `${vendor} ${kind}`, pattern)),
  ...vendorKeysByName.map(({ vendor, kind, pattern }) =>
    carrier("vendor keys by name", `${vendor} ${kind}`, pattern),
  ),
];

/** A vendor's carrier has the form of the token as its template; a place of the same half goes round it. */
const carrier = (group: string, name: string, pattern: string): Carrier => ({
  group,
  name,
  template: `⟪/${pattern}/⟫`,
  isBare: false,
  half: halfOf(`${group}/${name}`),
});

export const secretCarriers: readonly Carrier[] = [...readFolder("secrets"), ...vendorCarriers()];
export const cleanCarriers: readonly Carrier[] = readFolder("clean");

/** Places for the vendors' values: `⟪value⟫` is the token and `⟨name⟩` the name of the key. */
export const tokenPlaces: readonly Carrier[] = readFolder("places").filter(({ group }) => group === "tokens");
export const namedPlaces: readonly Carrier[] = readFolder("places").filter(({ group }) => group === "names");
