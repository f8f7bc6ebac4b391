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

function withMarkers(text: string, spans: readonly Span[]): string {
  let marked = "";
  let from = 0;
  for (const { start, end, kind } of spans) {
    marked += `${text.slice(from, start)}[REDACTED:${kind}]`;
    from = end;
  }
  return marked + text.slice(from);
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

function redactOnce(text: string, isPath: boolean, kinds: Set<string>): string {
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
  for (const { kind } of spans) kinds.add(kind);
  return withMarkers(
    text,
    spans.map((span) => ({ ...view.original(span.start, span.end), kind: span.kind })),
  );
}

type Redacted = { text: string; kinds: string[] };

/**
 * A replacement can join two parts into a new credential, which the next round finds. Almost every text needs one
 * or two.
 */
const roundsMax = 3;
const cut = "[REDACTED:secret]";

/** Returns where the first line begins that differs. */
function firstChange(before: string, after: string): number {
  let at = 0;
  while (at < after.length && before.charCodeAt(at) === after.charCodeAt(at)) at++;
  return before.lastIndexOf("\n", at - 1) + 1;
}

/** On each line that a round still changes, everything behind its first new marker goes: it was not judged. */
function withoutUnjudged(before: string, after: string): string {
  const known = new Set(before.split("\n"));
  return after
    .split("\n")
    .map((line) => (known.has(line) ? line : `${/^.*?\[REDACTED:\w+\]/.exec(line)?.[0] ?? cut}${cut}`))
    .join("\n");
}

/**
 * Returns only a text that one more round leaves as it is, so that redacting twice is redacting once. A chain of
 * credentials
 * that is longer than the rounds goes in the safe direction: the rest of its lines, then of the text, then the
 * whole text.
 */
function redactBy(text: string, isPath: boolean): Redacted {
  const kinds = new Set<string>();
  const once = (given: string) => redactOnce(given, isPath, kinds);
  const steps: readonly ((before: string, after: string) => string)[] = [
    ...Array.from({ length: roundsMax }, () => (_: string, after: string) => after),
    withoutUnjudged,
    (before, after) => before.slice(0, firstChange(before, after)) + cut,
    () => cut,
  ];
  try {
    let redacted = text;
    for (const next of steps) {
      const after = once(redacted);
      if (after === redacted) break;
      redacted = next(redacted, after);
    }
    return { text: redacted, kinds: [...kinds] };
  } finally {
    clearMemoized();
  }
}

/** Returns the text with `[REDACTED:<kind>]` in place of every recognized credential, and the kinds found. */
export const redact = (text: string): Redacted => redactBy(text, false);
export const redactPath = (path: string): Redacted => redactBy(path, true);
