import { finders, guesses } from "./finders.ts";
import { highEntropy } from "./high-entropy.ts";
import { type FinderRanges, findSearchRanges } from "./line-ranges.ts";
import { clearMemoized } from "./memoize.ts";
import { publicBlocks } from "./private-keys.ts";
import type { Kind, NameHit, Span } from "./rule.ts";
import { mergeSpans } from "./spans.ts";
import { marker, viewOf } from "./view.ts";
import { longLength, weighed } from "./weighed.ts";

/** Every kind that a marker can name, without duplicates, for the documentation. */
export const publishedKinds: readonly Kind[] = [...new Map(finders.flatMap(({ kinds }) => kinds).map(({ kind, name }) => [kind, { kind, name }])).values()];

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
const published = new Set(
  "12345678901234567890 2b7e151628aed2a6abf7158809cf4f3c 6bc1bee22e409f96e93d7e117393172a 2YotnFZFEjr1zCsicMWpAA QWxhZGRpbjpvcGVuIHNlc2FtZQ==".split(" "),
);

function redactOnce(text: string, isPath: boolean, kinds: Set<string>): string {
  const view = viewOf(text);
  const { searches, names } = placesIn(view.text);
  const blocks = view.text.includes("BEGIN") ? publicBlocks(view.text) : [];
  const isPublic = (span: Span) =>
    blocks.some((block) => block.start < span.end && span.start < block.end) || published.has(view.text.slice(span.start, span.end));
  let spans: readonly Span[] = [];
  let seen = view.text;
  for (const search of searches) {
    if (search.finder === guesses[0]) seen = withoutSpans(view.text, spans);
    // A file path is not checked for randomness: the filter by path must find the path that was sent.
    if (isPath && (search.finder === highEntropy || search.finder === weighed)) continue;
    const found = findIn(seen, search, names).filter((span) => !isPublic(span));
    spans = mergeSpans(spans, found);
  }
  for (const { kind } of spans) kinds.add(kind);
  return withMarkers(
    text,
    spans.map((span) => ({ ...view.original(span.start, span.end), kind: span.kind })),
  );
}

/** A replacement can join two parts into a new credential; the next round finds it. */
const roundsMax = 64;
/** Maximum total length of these lines. A text that contains only credentials is not a Learning. */
const markedLengthMax = 32_768;

function untilStable(text: string, isPath: boolean, kinds: Set<string>): string {
  let before = text;
  for (let round = 0; round < roundsMax; round++) {
    const redacted = redactOnce(before, isPath, kinds);
    if (redacted === before) break;
    before = redacted;
  }
  return before;
}

/** Separates two lines that are not adjacent in the text. No credential contains it. */
const apart = "\n\uE011\n";

/** Searches all lines with markers as one text, which is far cheaper than one search for each line. */
function redactMarkedLines(text: string, isPath: boolean, kinds: Set<string>): string {
  const lines = text.split("\n");
  let length = 0;
  const isMarked = lines.map((line) => {
    if (!line.includes("[REDACTED:")) return false;
    length += line.length;
    return length <= markedLengthMax;
  });
  const marked = lines.filter((_, index) => isMarked[index]);
  const redacted = redactOnce(marked.join(apart), isPath, kinds).split(apart);
  if (redacted.length !== marked.length) return text;
  return lines.map((line, index) => (isMarked[index] ? redacted.shift() : line)).join("\n");
}

type Redacted = { text: string; kinds: string[] };

function redactBy(text: string, isPath: boolean): Redacted {
  const kinds = new Set<string>();
  try {
    const first = redactOnce(text, isPath, kinds);
    if (first === text) return { text, kinds: [] };
    // A long text gets one more round, which reads only the lines with markers: a second search of all of it would double the cost.
    const redactAgain = text.length > longLength ? redactMarkedLines : untilStable;
    return { text: redactAgain(first, isPath, kinds), kinds: [...kinds] };
  } finally {
    clearMemoized();
  }
}

/** Returns the text with `[REDACTED:<kind>]` in place of every recognized credential, and the kinds found. */
export const redact = (text: string): Redacted => redactBy(text, false);
export const redactPath = (path: string): Redacted => redactBy(path, true);
