import { type Finder, kindNamed, type Span } from "./rule.ts";

/**
 * Private keys as people paste them: whole, cut off at either end, on one line, quoted, indented, in a diff,
 * with `\n` as two characters. A pattern over all that would backtrack, so the body is walked piece by piece.
 */
const beginPattern = /-----BEGIN [A-Z0-9 ]*-----/g;
const endPattern = /-----END [A-Z0-9 ]*-----/g;
const isPrivate = (line: string) => line.includes("PRIVATE KEY");
/** What may stand between two lines of a key: line ends, also escaped, indentation, quotes, `>`, `+`, commas. */
const betweenPattern = /(?:\\[nrt]?|[\s"'`>+|,.*#;])*/y;
/** What a diff or a listing puts before a line: `-`, `12 |`, `12:`. */
const linePrefixPattern = /-(?!-)|\d{1,6}[ \t]{0,3}[|:]/y;
const base64Pattern = /[A-Za-z0-9+/]+={0,2}|=[A-Za-z0-9+/]{4}/y;
/** `Proc-Type: 4,ENCRYPTED`, `Version: GnuPG v2` */
const headerPattern = /[A-Z][A-Za-z-]+: [^\n\\"]+/y;
const closingPattern = /-{5,6}END[A-Z0-9 ]*(?:-----)?/y;

/** Less than this between BEGIN and END is an ellipsis or a word, not a key. */
const bodyLengthMin = 12;
const privateKey = kindNamed("Private key");

function matchEnd(sticky: RegExp, text: string, at: number): number {
  sticky.lastIndex = at;
  return sticky.test(text) ? sticky.lastIndex : -1;
}

/** A shorter piece is a word of the text behind the key, unless it is alone on its line. */
const pieceLengthMin = 16;
const isAloneBefore = (text: string, end: number) =>
  /^[ \t]{0,4}(?:$|[\r\n"'`\\]|-----)/.test(text.slice(end, end + 10));

/** Where the line of a key that begins at `at` ends; -1 if there is none. */
function pieceEnd(text: string, at: number): number {
  const end = matchEnd(base64Pattern, text, at);
  if (end - at >= pieceLengthMin || isAloneBefore(text, end)) return end;
  return matchEnd(headerPattern, text, at);
}

/** Where the next line of a key may begin. */
function nextPiece(text: string, at: number): number {
  const next = matchEnd(betweenPattern, text, at);
  const prefixed = matchEnd(linePrefixPattern, text, next);
  return prefixed === -1 ? next : matchEnd(betweenPattern, text, prefixed);
}

/** Where the key that begins before `from` ends; -1 if there is no key. */
function bodyEnd(text: string, from: number): number {
  let end = from;
  let bodyLength = 0;
  for (;;) {
    const next = nextPiece(text, end);
    const after = pieceEnd(text, next);
    if (after === -1) {
      if (bodyLength < bodyLengthMin) return -1;
      return Math.max(end, matchEnd(closingPattern, text, next));
    }
    bodyLength += after - next;
    end = after;
  }
}

const isBase64 = (character: string) => /[A-Za-z0-9+/=]/.test(character);
const isBetween = (character: string) => /[\s"'`>|,\\]/.test(character);

/** Where the base64 lines at the end of a text begin; its length if there are none. */
function bodyStart(text: string): number {
  let start = text.length;
  // The last line may be as short as it likes.
  let lineLengthMin = 1;
  for (;;) {
    let lineEnd = start;
    while (isBetween(text.charAt(lineEnd - 1))) lineEnd--;
    let lineStart = lineEnd;
    while (isBase64(text.charAt(lineStart - 1))) lineStart--;
    if (lineEnd - lineStart < lineLengthMin) return start;
    start = lineStart;
    lineLengthMin = 40;
  }
}

function findBegun(text: string): Span[] {
  const spans: Span[] = [];
  beginPattern.lastIndex = 0;
  for (let begin = beginPattern.exec(text); begin; begin = beginPattern.exec(text)) {
    const end = isPrivate(begin[0]) ? bodyEnd(text, beginPattern.lastIndex) : -1;
    if (end === -1) continue;
    spans.push({ start: begin.index, end, kind: privateKey.kind });
    beginPattern.lastIndex = end;
  }
  return spans;
}

/** The tail of a key whose beginning was cut off. */
function findEnded(text: string): Span[] {
  const spans: Span[] = [];
  let from = 0;
  for (const end of text.matchAll(endPattern)) {
    if (!isPrivate(end[0])) continue;
    const start = from + bodyStart(text.slice(from, end.index));
    from = end.index + end[0].length;
    if (end.index - start >= bodyLengthMin) spans.push({ start, end: from, kind: privateKey.kind });
  }
  return spans;
}

const puttyBegin = "PuTTY-User-Key-File-";
const puttyEnd = "Private-MAC:";
const puttyMacPattern = /[ \t]{0,4}[0-9a-fA-F]*/y;

function findPutty(text: string): Span[] {
  const spans: Span[] = [];
  for (let start = text.indexOf(puttyBegin); start !== -1; ) {
    const mac = text.indexOf(puttyEnd, start);
    if (mac === -1) break;
    const end = matchEnd(puttyMacPattern, text, mac + puttyEnd.length);
    // A sentence may name the first and the last line of such a file: between them lies no key.
    const body = text.slice(start, mac);
    if (body.includes("Private-Lines:") && !body.includes("\n\n"))
      spans.push({ start, end, kind: privateKey.kind });
    start = text.indexOf(puttyBegin, end);
  }
  return spans;
}

/** One after the other: what is cut off or lies around is looked for in what is left. */
export const privateKeys: readonly Finder[] = [findBegun, findEnded, findPutty].map((find) => ({
  kinds: [privateKey],
  keywords: [],
  find,
}));
