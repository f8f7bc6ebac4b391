import { finders, guesses } from "./finders.ts";
import { highEntropy } from "./high-entropy.ts";
import { type FinderRanges, findSearchRanges } from "./line-ranges.ts";
import { clearMemoized } from "./memoize.ts";
import { mentions } from "./mentions.ts";
import { publicBlocks } from "./private-keys.ts";
import type { Kind, NameHit, Span } from "./rule.ts";
import { mergeSpans } from "./spans.ts";
import { marker, viewOf } from "./view.ts";
import { setOf } from "./words.ts";

/** Every kind that a marker can name, without duplicates, for the documentation. */
export const publishedKinds: readonly Kind[] = [
  ...new Map(finders.flatMap(({ kinds }) => kinds).map(({ kind, name }) => [kind, { kind, name }])).values(),
];

/** A text, and where the markers begin in it that the given text did not have. */
interface Marked {
  readonly text: string;
  readonly written: readonly number[];
}

function withMarkers({ text, written }: Marked, spans: readonly Span[]): Marked {
  let marked = "";
  let from = 0;
  const begins: number[] = [];
  const remaining = written.values();
  let next = remaining.next();
  const keepUntil = (until: number) => {
    for (; !next.done && next.value < until; next = remaining.next())
      if (next.value >= from) begins.push(marked.length + next.value - from);
    marked += text.slice(from, until);
  };
  for (const { start, end, kind } of spans) {
    keepUntil(start);
    begins.push(marked.length);
    marked += `[REDACTED:${kind}]`;
    from = end;
  }
  keepUntil(text.length);
  return { text: marked, written: begins };
}

/** Returns the marker that begins at a position, and its kind. */
function markerAt(text: string, at: number): { end: number; kind: string } {
  const end = text.indexOf("]", at);
  return { end: end + 1, kind: text.slice(at + "[REDACTED:".length, end) };
}

/** Returns the text with markers in the place of the spans. Every other character keeps its position. */
function withoutSpans(text: string, spans: readonly Span[]): string {
  let hidden = "";
  let from = 0;
  for (const { start, end } of spans) {
    hidden += text.slice(from, start) + marker.repeat(end - start);
    from = end;
  }
  return hidden + text.slice(from);
}

const placesIn = findSearchRanges(finders);

/** Runs one finder on the lines near its keywords. */
function findIn(text: string, { finder, ranges }: FinderRanges, names: readonly NameHit[]): Span[] {
  return ranges.flatMap(({ start, end }) => {
    if (start === 0 && end === text.length) return finder.find(text, names);
    const found = finder.find(text.slice(start, end), []);
    for (const span of found) {
      span.start += start;
      span.end += start;
    }
    return found;
  });
}

/** Values that RFC 4226, 6749, 7617 and 7636 and the tests of AES publish. */
const published = setOf(`
12345678901234567890 2b7e151628aed2a6abf7158809cf4f3c 6bc1bee22e409f96e93d7e117393172a 2YotnFZFEjr1zCsicMWpAA
QWxhZGRpbjpvcGVuIHNlc2FtZQ==
`);

function redactOnce(marked: Marked, isPath: boolean): Marked {
  const { text } = marked;
  const view = viewOf(text);
  const { searches, names } = placesIn(view.text);
  const blocks = view.text.includes("BEGIN") ? publicBlocks(view.text) : [];
  const isPublic = (span: Span) =>
    blocks.some((block) => block.start < span.end && span.start < block.end) ||
    published.has(view.text.slice(span.start, span.end));
  let spans: readonly Span[] = [];
  let seen = view.text;
  for (const search of searches) {
    if (search.finder === guesses[0]) seen = withoutSpans(view.text, spans);
    // A file path is not checked for randomness: the filter by path must find the path that was sent.
    if (isPath && (search.finder === highEntropy || search.finder === mentions)) continue;
    const found = findIn(seen, search, names).filter((span) => !isPublic(span));
    spans = mergeSpans(spans, found);
  }
  return withMarkers(
    marked,
    spans.map((span) => ({ ...view.original(span.start, span.end), kind: span.kind })),
  );
}

type Redacted = { text: string; kinds: string[] };

/**
 * A replacement can join two parts into a new credential, which the next round finds. Almost every text needs one
 * or two.
 */
const roundsMax = 3;
/** What follows was not judged. */
const unjudged = (start: number, end: number): Span => ({ start, end, kind: "secret" });

/** Returns where the first line begins that differs. */
function firstChange(before: string, after: string): number {
  let at = 0;
  while (at < after.length && before.charCodeAt(at) === after.charCodeAt(at)) at++;
  return before.lastIndexOf("\n", at - 1) + 1;
}

/** Returns what is behind the first marker that is new, on each line that a round still changes. */
function unjudgedIn(before: Marked, { text, written }: Marked): Span[] {
  const known = new Set(before.text.split("\n"));
  const spans: Span[] = [];
  for (const at of written) {
    const end = text.indexOf("\n", at) === -1 ? text.length : text.indexOf("\n", at);
    if ((spans.at(-1)?.end ?? 0) > at || known.has(text.slice(text.lastIndexOf("\n", at) + 1, end))) continue;
    spans.push(unjudged(markerAt(text, at).end, end));
  }
  return spans;
}

/**
 * Returns only a text that one more round leaves as it is, so that redacting twice is redacting once. A chain of
 * credentials that is longer than the rounds goes in the safe direction: the rest of its lines, then of the text,
 * then the whole text.
 */
function redactBy(given: string, isPath: boolean): Redacted {
  const steps: readonly ((before: Marked, after: Marked) => Marked)[] = [
    ...Array.from({ length: roundsMax }, () => (_: Marked, after: Marked) => after),
    (before, after) => withMarkers(after, unjudgedIn(before, after)),
    (before, after) =>
      withMarkers(before, [unjudged(firstChange(before.text, after.text), before.text.length)]),
    (before) => withMarkers(before, [unjudged(0, before.text.length)]),
  ];
  try {
    let redacted: Marked = { text: given, written: [] };
    for (const next of steps) {
      const after = redactOnce(redacted, isPath);
      if (after.text === redacted.text) break;
      redacted = next(redacted, after);
    }
    const { text, written } = redacted;
    return { text, kinds: [...new Set(written.map((at) => markerAt(text, at).kind))] };
  } finally {
    clearMemoized();
  }
}

/** Returns the text with `[REDACTED:<kind>]` in place of every recognized credential, and the kinds found. */
export const redact = (text: string): Redacted => redactBy(text, false);
export const redactPath = (path: string): Redacted => redactBy(path, true);
