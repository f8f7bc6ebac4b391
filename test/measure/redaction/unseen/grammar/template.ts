import { makeFiller } from "../values/fillers.ts";
import type { Random } from "../values/random.ts";
import { makeSecret } from "../values/secrets.ts";
import { joinLines, linesOf, plain, type Segment } from "../values/segments.ts";

/**
 * A carrier is a text with places: `⟪kind⟫` for a secret, `⟨kind⟩` for any other variable part. `#1` behind a kind
 * keeps the value for a second place with the same name. A secret of several lines says how the lines stand:
 * `⟪pem @each⟫` repeats the whole line for each of them, `⟪pem @join(\n)⟫` puts the text between them.
 */
const place = /⟪([^⟫]+)⟫|⟨([^⟩]+)⟩/gu;

type Kept = Map<string, Segment[]>;

export function renderTemplate(template: string, random: Random): Segment[] {
  const kept: Kept = new Map();
  const lines = template.split("\n").flatMap((line) => renderLine(line, random, kept));
  return joinLines(lines);
}

function renderLine(line: string, random: Random, kept: Kept): Segment[][] {
  const each = /⟪([^⟫]+) @each⟫/u.exec(line);
  if (!each) return [renderPlaces(line, random, kept)];
  const [whole, kind = ""] = each;
  const before = line.slice(0, each.index);
  const after = line.slice(each.index + whole.length);
  return linesOf(makeSecret(kind, random)).map((value, index) => [
    ...renderPlaces(before.replaceAll("⟨line⟩", String(index + 11)), random, kept),
    ...value,
    ...renderPlaces(after, random, kept),
  ]);
}

function renderPlaces(line: string, random: Random, kept: Kept): Segment[] {
  const segments: Segment[] = [];
  let done = 0;
  for (const match of line.matchAll(place)) {
    segments.push(
      plain(line.slice(done, match.index)),
      ...renderPlace(match[1], match[2] ?? "", random, kept),
    );
    done = match.index + match[0].length;
  }
  segments.push(plain(line.slice(done)));
  return segments.filter(({ text }) => text !== "");
}

function renderPlace(secretKind: string | undefined, filler: string, random: Random, kept: Kept): Segment[] {
  const description = secretKind ?? filler;
  const [, kind = description, label] = /^(.*)#(\d+)$/u.exec(description) ?? [];
  const known = label === undefined ? undefined : kept.get(description);
  if (known) return known;
  const made = secretKind === undefined ? [plain(makeFiller(kind, random))] : renderSecret(kind, random);
  if (label !== undefined) kept.set(description, made);
  return made;
}

function renderSecret(description: string, random: Random): Segment[] {
  const [, kind = description, separator] = /^(.*) @join\((.*)\)$/u.exec(description) ?? [];
  const made = makeSecret(kind, random);
  return separator === undefined ? made : joinLines(linesOf(made), separator);
}
