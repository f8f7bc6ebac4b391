import { assignments } from "./assignments.ts";
import { calls, charArrays, rows } from "./calls.ts";
import { contextFinder } from "./find-in-context.ts";
import { shapeFinder, tokenFinder } from "./find-tokens.ts";
import { highEntropy } from "./high-entropy.ts";
import { forgetJudged } from "./judged.ts";
import { links } from "./links.ts";
import { nearbyRules } from "./nearby.ts";
import { privateKeys, publicBlocks } from "./private-keys.ts";
import type { ContextRule, Finder, Kind, NameHit, ShapeRule, Span, TokenRule } from "./rule.ts";
import { commandContexts } from "./rules-commands.ts";
import { generalTokens, headerAndUrlContexts, statementContexts } from "./rules-context.ts";
import { formContexts, formShapes, formTokens } from "./rules-vendors.ts";
import { sections } from "./sections.ts";
import { withFound } from "./spans.ts";
import { placesFor, type Stretch } from "./stretches.ts";
import { structured } from "./structured.ts";
import { tables } from "./tables.ts";
import { namedVendors, vendorTokens } from "./vendors.ts";
import { marker, viewOf } from "./view.ts";

const tokenRules: readonly TokenRule[] = [...formTokens, ...vendorTokens, ...generalTokens];
const contextRules: readonly ContextRule[] = [
  ...formContexts,
  ...headerAndUrlContexts,
  ...commandContexts,
  ...statementContexts,
];

/** Every rule, for the tests that hold each of them to the same standard. */
export const rules: readonly (TokenRule | ShapeRule | ContextRule)[] = [
  ...tokenRules,
  ...formShapes,
  ...contextRules,
];

/** In the order they search: what names a credential best comes first, what guesses comes last. */
export const finders: readonly Finder[] = [
  ...privateKeys,
  tokenFinder(tokenRules),
  shapeFinder(formShapes),
  namedVendors,
  ...contextRules.map(contextFinder),
  rows,
  charArrays,
  calls,
  tables,
  ...structured,
  links,
  assignments,
  sections,
  highEntropy,
  ...nearbyRules.map(contextFinder),
];

/** Every kind a marker can name, once each, for the documentation. */
export const publishedKinds: readonly Kind[] = [
  ...new Map(finders.flatMap(({ kinds }) => kinds).map(({ kind, name }) => [kind, { kind, name }])).values(),
];

function withMarkers(text: string, spans: readonly Span[]): string {
  let marked = "";
  let from = 0;
  for (const { start, end, kind } of spans) {
    marked += `${text.slice(from, start)}[REDACTED:${kind}]`;
    from = end;
  }
  return marked + text.slice(from);
}

const placesIn = placesFor(finders);

/** What one finder sees, in the places where its keywords stand. */
function findIn(
  text: string,
  finder: Finder,
  stretches: readonly Stretch[],
  names: readonly NameHit[],
): Span[] {
  return stretches.flatMap(({ start, end }) => {
    if (start === 0 && end === text.length) return finder.find(text, names);
    const found = finder.find(text.slice(start, end), []);
    for (const span of found) {
      span.start += start;
      span.end += start;
    }
    return found;
  });
}

function redactOnce(text: string, isPath: boolean, kinds: Set<string>): string {
  const view = viewOf(text);
  const { stretches, names } = placesIn(view.text);
  const blocks = view.text.includes("-----BEGIN") ? publicBlocks(view.text) : [];
  const isPublic = ({ start, end }: Span) => blocks.some((block) => block.start < end && start < block.end);
  let spans: readonly Span[] = [];
  for (const [index, finder] of finders.entries()) {
    // A file's path is not judged by its look: the filter by path has to find what was sent.
    if (isPath && finder === highEntropy) continue;
    const found = findIn(view.text, finder, stretches[index] ?? [], names).filter(
      (span) => !view.text.slice(span.start, span.end).includes(marker) && !isPublic(span),
    );
    spans = withFound(view.text, spans, found);
  }
  for (const { kind } of spans) kinds.add(kind);
  return withMarkers(
    text,
    spans.map((span) => ({ ...view.original(span.start, span.end), kind: span.kind })),
  );
}

/** A marker can bring two things together that were apart: the next round finds what that makes. */
const roundsMax = 6;
/** In a long text there are fewer rounds, and they look only at the lines with markers, so far round a marker. */
const longLength = 16_384;
const longRoundsMax = 1;
const nearLength = 200;
/** A text that is nothing but credentials is no Learning: a second look at the whole of it would cost as much again. */
const nearTotalMax = 32_768;

function untilStable(text: string, isPath: boolean, kinds: Set<string>, rounds: number): string {
  let before = text;
  for (let round = 0; round < rounds; round++) {
    const redacted = redactOnce(before, isPath, kinds);
    if (redacted === before) break;
    before = redacted;
  }
  return before;
}

interface Stretched {
  readonly start: number;
  end: number;
}

/** The lines of the markers, in order, up to a total length. */
function nearMarkers(text: string): Stretched[] {
  const lines: Stretched[] = [];
  let total = 0;
  for (const { index } of text.matchAll(/\[REDACTED:/g)) {
    const before = text.slice(Math.max(0, index - nearLength), index);
    const start = index - before.length + before.lastIndexOf("\n") + 1;
    const behind = text.slice(index, index + nearLength);
    const end = index + (behind.includes("\n") ? behind.indexOf("\n") : behind.length);
    const last = lines.at(-1);
    const isJoined = last !== undefined && start <= last.end;
    total += isJoined ? Math.max(0, end - last.end) : end - start;
    if (total > nearTotalMax) break;
    if (isJoined) last.end = Math.max(last.end, end);
    else lines.push({ start, end });
  }
  return lines;
}

/** No credential has it: between two lines that were apart. */
const apart = "\n\uE011\n";

/** All lines with markers as one text: one search is far cheaper than one for each. */
function redactNearMarkers(text: string, isPath: boolean, kinds: Set<string>): string {
  const lines = nearMarkers(text);
  const joined = lines.map(({ start, end }) => text.slice(start, end)).join(apart);
  const redacted = untilStable(joined, isPath, kinds, longRoundsMax).split(apart);
  if (redacted.length !== lines.length) return text;
  let from = 0;
  let whole = "";
  for (const [index, { start, end }] of lines.entries()) {
    whole += text.slice(from, start) + redacted[index];
    from = end;
  }
  return whole + text.slice(from);
}

type Redacted = { text: string; kinds: string[] };

function redactBy(text: string, isPath: boolean): Redacted {
  const kinds = new Set<string>();
  try {
    const first = redactOnce(text, isPath, kinds);
    if (first === text) return { text, kinds: [] };
    const redacted =
      first.length > longLength
        ? redactNearMarkers(first, isPath, kinds)
        : untilStable(first, isPath, kinds, roundsMax);
    return { text: redacted, kinds: [...kinds] };
  } finally {
    forgetJudged();
  }
}

/** The text with every recognised credential replaced by `[REDACTED:<kind>]`, and the kinds that were found. */
export const redact = (text: string): Redacted => redactBy(text, false);
export const redactPath = (path: string): Redacted => redactBy(path, true);
