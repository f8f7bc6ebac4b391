import { type Finder, hasDistinct, kindNamed, type Span } from "./rule.ts";
import { marker } from "./view.ts";
import { pattern } from "./words.ts";

/**
 * Finds private keys in any wrapping: comments, tags, line numbers, blame, quotes, calls that append. The lines of a
 * key may have any short text between them. The header and the base64 after it identify the key.
 */
const boundary = pattern(
  "g",
  String.raw`-{2,5}(?:[ \t+_]|%20)?(BEGIN|END)(?:[ \t+_]|%20)((?:[A-Za-z0-9 +_]|%20){2,48}?)(?:[ \t+_]|%20)?-{2,5}`,
  String.raw`|(?<![\w-])(BEGIN|END) (`,
  String.raw`(?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY)(?![\w-])`,
);
const isPrivateLabel = (label: string) => /PRIVATE|SECRET KEY|STATIC KEY/i.test(label);

const runPattern = /[A-Za-z0-9+/=]+/g;
/** A shorter run is a word, unless it is alone on its line. */
const runLengthMin = 16;
/** Maximum length of the text between two lines of a key: `sb.AppendLine("`, a line of `git blame`. */
const gapLengthMax = 120;
/** A shorter body is an ellipsis or a word, not a key. */
const bodyLengthMin = 12;
const bodyDistinctMin = 8;
const keyLengthMax = 16_384;

const privateKey = kindNamed("Private key");
const { kind } = privateKey;

interface Run {
  readonly start: number;
  readonly end: number;
}

/** A line of a key mixes digits, capitals and small letters; `/home/user/project/file` does not. */
const isMixed = (run: string) => /\d/.test(run) && /[A-Z]/.test(run) && /[a-z]/.test(run);

function isBodyRun(text: string, { start, end }: Run): boolean {
  if (end - start < runLengthMin) return false;
  const run = text.slice(start, end);
  // `password=…`: in base64 an equals sign is the end.
  if (/=[^=]/.test(run)) return false;
  return isMixed(run) || /^[0-9a-f]{32,}$/.test(run) || (end - start >= 40 && hasDistinct(run, 12));
}

/** A run that is alone on its line has up to 12 signs before it, and up to 12 signs or a quote after it. */
const aloneBefore = /(?:^|\n)[^A-Za-z0-9\n]{0,12}$/;
const aloneBehind = /^(?:[^A-Za-z0-9\n]{0,12}(?:\n|$)|["'`\\])/;
function isAlone(text: string, { start, end }: Run): boolean {
  const before = text.slice(Math.max(0, start - 13), start);
  return aloneBehind.test(text.slice(end, end + 13)) && (aloneBefore.test(before) || before.length < 13);
}

/** Whether a short run is the last line of a key that was cut off. */
const isLastRun = (text: string, run: Run) =>
  text.charAt(run.end - 1) === "=" ||
  (isAlone(text, run) && !/^(?:truncated|snip|omitted|cut)$/i.test(text.slice(run.start, run.end)));

/** Returns the lines of a key that begin at or after `from` and before `until`. */
function bodyBehind(text: string, from: number, until: number): Run[] {
  const runs: Run[] = [];
  let end = from;
  runPattern.lastIndex = from;
  for (let match = runPattern.exec(text); match; match = runPattern.exec(text)) {
    const run = { start: match.index, end: runPattern.lastIndex };
    if (run.start - end > gapLengthMax || run.start >= until) break;
    if (isBodyRun(text, run)) runs.push(run);
    else if (runs.length > 0 && run.end - run.start < 64 && isLastRun(text, run)) return [...runs, run];
    else continue;
    end = run.end;
  }
  return runs;
}

const lengthOf = (runs: readonly Run[]) => runs.reduce((sum, { start, end }) => sum + end - start, 0);
const textOf = (text: string, runs: readonly Run[]) =>
  runs.map(({ start, end }) => text.slice(start, end)).join("");

interface Boundary {
  readonly start: number;
  readonly end: number;
  readonly isBegin: boolean;
  readonly label: string;
}

function boundariesOf(text: string): Boundary[] {
  boundary.lastIndex = 0;
  return Array.from(
    text.matchAll(boundary),
    ({ 0: whole, 1: word, 2: label = "", 3: bareWord, 4: bareLabel, index }) => ({
      start: index,
      end: index + whole.length,
      isBegin: (word ?? bareWord) === "BEGIN",
      // In a form or a URL, a plus, an underscore or `%20` replaces the space.
      label: (bareLabel ?? label).replace(/%20|[+_]/g, " "),
    }),
  );
}

const isKey = (text: string, runs: readonly Run[]) =>
  lengthOf(runs) >= bodyLengthMin && hasDistinct(textOf(text, runs), bodyDistinctMin);

/** Returns all base64 between BEGIN and END, including the short lines. */
function bodyBetween(text: string, from: number, until: number): Run[] {
  const body = text.slice(from, until);
  runPattern.lastIndex = 0;
  return Array.from(body.matchAll(runPattern), ({ 0: run, index }) => ({
    start: from + index,
    end: from + index + run.length,
  })).filter((run) => run.end - run.start >= 12 || isAlone(text, run));
}

/** Returns the key that starts at a BEGIN. The key ends at its END, or at its last line of base64. */
function begunKey(text: string, begin: Boundary, next: Boundary | undefined): Span | undefined {
  const until = Math.min(text.length, begin.end + keyLengthMax);
  const isEnded = next && !next.isBegin && next.start < until && isPrivateLabel(next.label);
  if (isEnded) {
    const between = bodyBetween(text, begin.end, next.start);
    if (isKey(text, between) && /\d|[a-z][A-Z]/.test(textOf(text, between)))
      return { start: begin.start, end: next.end, kind };
  }
  const runs = bodyBehind(text, begin.end, Math.min(until, next?.start ?? until));
  const last = runs.at(-1);
  return last && isKey(text, runs) ? { start: begin.start, end: last.end, kind } : undefined;
}

/** Returns a key whose BEGIN was cut off: reads its lines backwards from END. */
function endedKey(text: string, from: number, end: Boundary): Span | undefined {
  const windowStart = Math.max(from, end.start - keyLengthMax);
  const runs = bodyBetween(text, windowStart, end.start).filter(
    (run, index, all) => isBodyRun(text, run) || (index === all.length - 1 && isLastRun(text, run)),
  );
  let first = end.start;
  let length = 0;
  for (const run of runs.reverse()) {
    if (first - run.end > gapLengthMax) break;
    first = run.start;
    length += run.end - run.start;
  }
  return length >= bodyLengthMin && hasDistinct(text.slice(first, end.start), bodyDistinctMin)
    ? { start: first, end: end.end, kind }
    : undefined;
}

function findHeaded(text: string): Span[] {
  const spans: Span[] = [];
  const boundaries = boundariesOf(text);
  let from = 0;
  for (const [index, each] of boundaries.entries()) {
    if (each.start < from || !isPrivateLabel(each.label)) continue;
    const span = each.isBegin
      ? begunKey(text, each, boundaries[index + 1])
      : endedKey(text, Math.max(from, boundaries[index - 1]?.end ?? 0), each);
    if (!span || text.slice(span.start, span.end).includes(marker)) continue;
    spans.push(span);
    from = span.end;
  }
  return spans;
}

const putty = pattern(
  "g",
  String.raw`PuTTY-User-Key-File-[^\n]{1,60}\n(?:[^\n]{1,100}\n){0,24}?Private-Lines:[^\n]{1,8}(?:\n(?!Private-)`,
  String.raw`[^\n]{1,100}){1,60}(?:\nPrivate-(?:MAC`,
  String.raw`|Hash):[ \t]{0,4}[0-9a-fA-F]{0,64}|(?<=[A-Za-z\d+/=]{40}))`,
);
const findPutty = (text: string): Span[] =>
  Array.from(text.matchAll(putty), ({ 0: key, index }) => ({ start: index, end: index + key.length, kind }));

const publicLabel = /PARAMETERS|PUBLIC KEY|CERTIFICATE|CRL|SIGNATURE/;
/** Returns the certificates, public keys and signatures in a text: random text in them is not a secret. */
export function publicBlocks(text: string): Run[] {
  const boundaries = boundariesOf(text);
  const blocks: Run[] = [];
  for (const [index, begin] of boundaries.entries()) {
    if (!begin.isBegin || isPrivateLabel(begin.label)) continue;
    const next = boundaries[index + 1];
    // Without an END the text behind the block may hold credentials.
    if (!next || next.isBegin) continue;
    const last = bodyBehind(text, begin.end, next.start).at(-1);
    if (last && publicLabel.test(begin.label)) blocks.push({ start: begin.end, end: last.end });
  }
  return blocks;
}

export const privateKeys: readonly Finder[] = [findPutty, findHeaded].map((find) => ({
  kinds: [privateKey],
  keywords: [],
  find,
}));
