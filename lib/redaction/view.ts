import { required } from "../runtime/required.ts";
import { pattern } from "./words.ts";

/**
 * The normalized text that the rules search. Plain text replaces rare spaces, full-width signs, escapes, formatting
 * tags and joined strings. Every character maps to its part of the original.
 */
export interface View {
  readonly text: string;
  /** Returns the part of the original text that `[start, end)` of the view represents. Takes no empty range. */
  original(start: number, end: number): { start: number; end: number };
}

/**
 * Quotes inside a string: `\"` or `&quot;`. The innermost quotes are escaped twice. A quote pairs only with a
 * quote of the same kind.
 */
export const innerDouble = "\uE000";
export const innerSingle = "\uE001";
export const innermostDouble = "\uE002";
export const innermostSingle = "\uE003";
/** A marker of an earlier redaction. It is not a name, a value or a context. */
export const marker = "\uE010";

/** Letters of Chinese, Japanese and Korean (U+3040 to U+A788, U+AC00 to U+D7FF) have no plain form. */
const special = pattern("g", String.raw`[&\\%"'\x60[^\n\u001b\u0080-\u303f\ua789-\uabff\ud800-\uffff]`);
/** The colours of a terminal, as bytes or as a program writes them. */
const colour = pattern("y", String.raw`(?:\u001b|\\(?:e|033|x1[bB]|u001[bB]))\[[\d;]{0,12}[A-Za-z]`);
const markerPattern = /\[REDACTED(?::[a-z0-9_]{1,60})?\]/y;
const entityNames = "amp & lt < gt > equals = colon : num # excl ! dollar $ sol / plus + commat @ lowbar _";
const namedEntities = new Map(
  entityNames.match(/\w+ \S/g)?.map((pair) => [pair.slice(0, -2), pair.slice(-1)] as const),
)
  .set("quot", innerDouble)
  .set("apos", innerSingle)
  .set("nbsp", " ");
const entity = new RegExp(
  `&(?:#(\\d{2,6})|#[xX]([0-9a-fA-F]{2,5})|(${[...namedEntities.keys()].join("|")}));`,
  "y",
);
const escapeSequence =
  /(\\+)(?:u(?:\{0{0,4})?00([2-7][0-9a-fA-F])\}?|x([2-7][0-9a-fA-F])|([nt"'`/]|r(?![a-z])|0(?=[A-Z]))|(\r?\n[ \t]*))/y;
/** A command of Windows that goes on in the next line. */
const cutLine = /\^\r?\n[ \t]*/y;
const percentEscape = /%(?:25)?(3[dD]|3[aA]|2[267]|2[fF]|2[bB]|2[dD]|7[bBdD]|0[aAdD])/y;
/** `"…" + "…"`, `'…' . '…'`, `"…" & _`, `"…" ..`, and calls that append. */
const join = pattern(
  "y",
  String.raw`(["'\x60])(?:(?:(?<=[Ss]tring\(["'][^"'\n]{1,80}["'])\))?[ \t]*(?:(?:\+\+?|\.\.?|&|<>`,
  String.raw`|\|\|)[ \t]*(?:_[ \t]*)?(?:\\?\r?\n[>+]?[ \t]*)?`,
  String.raw`|[\\\x60]?\r?\n[>+]?[ \t]*(?:\+\+?|\.\.?|&|<>|\|\|)[ \t]*)`,
  String.raw`|\)?[;\s]{0,40}(?:\w{0,24}\.)?(?:concat|[aA]ppend|push_str)\([ \t]*)\1`,
);

const isBetween = (code: number, from: number, to: number) => code >= from && code <= to;

/** Small and raised signs and rare arrows, and their plain forms. */
const smallForms = "﹕﹦꞉∶⁼﹒﹐⇒⟶➔➜➞";
const plainForms = ":=::=.,→→→→→";

/** Returns the plain text for a character beyond ASCII, or the character itself if it has no plain form. */
function plain(character: string): string {
  const code = character.charCodeAt(0);
  if (isBetween(code, 0xff01, 0xff5e)) return String.fromCharCode(code - 0xfee0);
  if (code === 0xa0 || code === 0x1680 || isBetween(code, 0x2000, 0x200a)) return " ";
  if (code === 0x202f || code === 0x205f || code === 0x3000) return " ";
  if (code === 0x85 || code === 0x2028 || code === 0x2029) return "\n";
  if (code === 0xad || code === 0xfeff || code === 0x180e || isBetween(code, 0x200b, 0x200f)) return "";
  if (isBetween(code, 0x202a, 0x202e) || isBetween(code, 0x2060, 0x2064)) return "";
  if (isBetween(code, 0x2018, 0x201b)) return "'";
  if (isBetween(code, 0x201c, 0x201f) || code === 0xab || code === 0xbb) return '"';
  if (isBetween(code, 0x300c, 0x300f)) return '"';
  if (isBetween(code, 0x2010, 0x2015) || code === 0x2212) return "-";
  if (isBetween(code, 0xe000, 0xe010)) return "\uFFFD";
  const small = smallForms.indexOf(character);
  return small === -1 ? character : plainForms.charAt(small);
}

const quoteOf = (character: string, isInnermost: boolean): string => {
  if (character === "'") return isInnermost ? innermostSingle : innerSingle;
  return character === '"' ? (isInnermost ? innermostDouble : innerDouble) : character;
};

function fromCode(code: number): string {
  const character = String.fromCharCode(code);
  return character === '"' || character === "'" ? quoteOf(character, false) : plain(character);
}

function unescaped(match: RegExpExecArray): string {
  const [, slashes = "", unicode, hex, letter = "", lineEnd] = match;
  const code = unicode ?? hex;
  if (code) return fromCode(Number.parseInt(code, 16));
  if (lineEnd !== undefined) return "";
  if (/[nr0]/.test(letter)) return "\n";
  if (letter === "t") return "\t";
  return quoteOf(letter, slashes.length > 1);
}

function entityMeaning([, decimal, hex = "", name]: RegExpExecArray): string {
  if (name) return required(namedEntities.get(name), `character of the entity ${name}`);
  const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
  return code === 13 ? "" : fromCode(code & 0xffff);
}

/** The prefix that comments, quotations, listings and logs put before every line. */
const linePrefix = pattern(
  "y",
  String.raw`(?:[ \t]{0,12}(?:\/\/[/!]?|#{1,4}|--(?!-)|;{1,3}|%{1,2}|REM|rem|dnl|\.\\"|'(?= )|>{1,3}|\+|!|\*(?!\*)`,
  String.raw`|L?\d{1,6}(?:[:|]| \|`,
  String.raw`(?![^\n|]{0,200}\|[^\n]))|[\w-]{1,30}-\d{1,2}[ \t]{1,4}\||[0-9a-f^]{7,12} \([^()\n]{8,60}\)|[│┃]`,
  String.raw`|\d{4}-\d\d-\d\dT[\d:.]{5,16}Z?[ \t]{1,2}`,
  String.raw`(?:[A-Z]{4,5}[ \t])?)(?![\w-])){1,2}[ \t]?|\+(?=\S)|[\w.-]{1,30}\/[\w./-]{1,60}\.\w{1,6}:(?:\d{1,5}:)?`,
  String.raw`|\d{4}-\d\d-\d\dT[\d:.]{5,16}Z?[ \t]{1,2}(?:[A-Z]{4,5}[ \t])?| {1,5}\d{1,6}\t(?![^\n\t]{0,200}\t)`,
);

function prefixLength(text: string, at: number): number {
  linePrefix.lastIndex = at;
  return linePrefix.test(text) ? linePrefix.lastIndex - at : 0;
}

/** Matches a sticky pattern at one position. */
function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** An escaped slash between `://` and the path is not a separator: it is part of a password. */
const isInAuthority = (text: string, at: number) =>
  /2f/i.test(text.slice(at + 1, at + 3)) && /:\/\/[^\s/@?#]*$/.test(text.slice(Math.max(0, at - 120), at));

/** An escape, entity, tag, join or marker that begins at a special character: its length and plain text. */
type Meaning = { readonly length: number; readonly meaning: string };

const meant = (match: RegExpExecArray | null, meaning: (match: RegExpExecArray) => string) =>
  match ? { length: match[0].length, meaning: meaning(match) } : undefined;

/** A space inside of French quotes. */
const isSpace = (character: string) => " \u00a0\u202f".includes(character || "x");

function meaningAt(text: string, at: number): Meaning | undefined {
  switch (text.charAt(at)) {
    case "[":
      return meant(matchAt(markerPattern, text, at), () => marker);
    case "&":
      return meant(matchAt(entity, text, at), entityMeaning);
    case "^":
      return meant(matchAt(cutLine, text, at), () => "");
    case "\u001b":
      return meant(matchAt(colour, text, at), () => "");
    case "\\":
      // `\\\\nas01\\share` is the name of a machine, not an escape; `c:\jobs\n.cmd` is a path.
      if (/(?<![A-Za-z])[A-Za-z]:(?:\\[\w.-]{1,40}){1,8}$/.test(text.slice(Math.max(0, at - 80), at)))
        return undefined;
      if (/(?:^|[\s"'=(])\\\\[A-Za-z]$/.test(text.slice(Math.max(0, at - 1), at + 3))) return undefined;
      return (
        meant(matchAt(colour, text, at), () => "") ?? meant(matchAt(escapeSequence, text, at), unescaped)
      );
    case "%":
      if (isInAuthority(text, at)) return undefined;
      return meant(matchAt(percentEscape, text, at), ([, code = ""]) => fromCode(Number.parseInt(code, 16)));
    case '"':
    case "'":
    case "`":
      return meant(matchAt(join, text, at), () => "");
    case "«":
      return { length: isSpace(text.charAt(at + 1)) ? 2 : 1, meaning: '"' };
    default:
      if (isSpace(text.charAt(at)) && text.charAt(at + 1) === "»") return { length: 2, meaning: '"' };
      return { length: 1, meaning: plain(text.charAt(at)) };
  }
}

/** Returns prefix lengths by line start, for prefixes that two or more lines in a row have. */
function sharedPrefixes(text: string): Map<number, number> {
  const shared = new Map<number, number>();
  let before = { start: 0, length: prefixLength(text, 0) };
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", end + 1)) {
    const line = { start: end + 1, length: prefixLength(text, end + 1) };
    if (line.length > 0 && before.length > 0) {
      shared.set(before.start, before.length);
      shared.set(line.start, line.length);
    }
    before = line;
  }
  return shared;
}

export function viewOf(text: string): View {
  special.lastIndex = 0;
  if (!special.test(text)) return { text, original: (start, end) => ({ start, end }) };
  const starts = new Uint32Array(text.length + 1);
  const ends = new Uint32Array(text.length + 1);
  const pieces: string[] = [];
  let length = 0;
  let at = 0;

  const keep = (until: number) => {
    if (until > at) pieces.push(text.slice(at, until));
    for (; at < until; at++) {
      starts[length] = at;
      ends[length++] = at + 1;
    }
  };
  /** The view drops a prefix only if a neighbouring line has a prefix too. */
  const prefixes = sharedPrefixes(text);
  at = prefixes.get(0) ?? 0;
  special.lastIndex = at;
  for (let hit = special.exec(text); hit; hit = special.exec(text)) {
    if (hit[0] === "\n") {
      const length = prefixes.get(hit.index + 1);
      if (length === undefined) continue;
      keep(hit.index + 1);
      at = hit.index + 1 + length;
      special.lastIndex = at;
      continue;
    }
    const found = meaningAt(text, hit.index);
    if (!found || (found.length === 1 && found.meaning === hit[0])) {
      // Skips the rest of a run of backslashes that is not an escape, so that the run is read once.
      if (hit[0] === "\\") while (text.charAt(special.lastIndex) === "\\") special.lastIndex++;
      continue;
    }
    keep(hit.index);
    const end = hit.index + found.length;
    for (let index = 0; index < found.meaning.length; index++) {
      starts[length] = hit.index;
      ends[length++] = end;
    }
    pieces.push(found.meaning);
    at = end;
    special.lastIndex = end;
  }
  keep(text.length);
  return {
    text: pieces.join(""),
    original: (start, end) => ({
      start: required(starts[start], "start of a span"),
      end: required(ends[end - 1], "end of a span"),
    }),
  };
}
