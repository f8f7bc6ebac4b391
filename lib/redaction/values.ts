import { innerDouble, innermostDouble, innermostSingle, innerSingle } from "./view.ts";

/** A value and its position, for the many ways to write a string. */
export interface Value {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly isQuoted: boolean;
  /** Whether `<` follows the value, as at the end of an XML element. */
  readonly isClosed: boolean;
}

export function bareValue(text: string, start: number): Value {
  return { text, start, end: start + text.length, isQuoted: false, isClosed: false };
}

export const quotes = `"'\`${innerDouble}${innerSingle}${innermostDouble}${innermostSingle}`;

const patternsOf = (inside: (quote: string) => string) =>
  new Map(Array.from(quotes, (quote) => [quote, new RegExp(`${quote}(${inside(quote)})${quote}`, "y")]));
/** A doubled quote is part of the string in SQL, Basic and CSV. */
const stringPatterns = patternsOf((quote) => `(?:[^${quote}\\n]|${quote}${quote})+`);
/** `"Kd82\nmQzLp71"`: a string with an escaped line end, which is a line end here, and without a space. */
const brokenPatterns = patternsOf((quote) => `[^\\s:,;{([${quote}]{2,60}\\n[^\\s:${quote}]{2,60}`);
const rawLengthMax = 512;
/** `"""…"""`, `<![CDATA[…]]>`: the text between them may have lines. */
const rawOpener = /("""|'''|```)(?:\w{0,12}\n)?|<!\[CDATA\[/y;

/** `quotedUntil`: where the text goes on behind the closing quote. A bare value has none. */
function found(text: string, start: number, end: number, quotedUntil?: number): Value {
  const isQuoted = quotedUntil !== undefined;
  const closedAt = quotedUntil ?? end;
  const isClosed = text.startsWith("</", closedAt) || text.charAt(closedAt) === "<";
  return { text: text.slice(start, end), start, end, isQuoted, isClosed };
}

/** Returns the value without the whitespace at both ends. */
function trimmed(text: string, from: number, until: number, closedAt: number): Value | undefined {
  let start = from;
  let end = until;
  while (start < end && /\s/.test(text.charAt(start))) start++;
  while (end > start && /\s/.test(text.charAt(end - 1))) end--;
  return start < end ? found(text, start, end, closedAt) : undefined;
}

function rawAt(text: string, at: number): Value | undefined {
  rawOpener.lastIndex = at;
  const opener = "\"'`<".includes(text.charAt(at) || " ") ? rawOpener.exec(text) : null;
  if (!opener) return undefined;
  const closer = opener[1] ?? "]]>";
  const start = rawOpener.lastIndex;
  const end = text.slice(start, start + rawLengthMax).indexOf(closer);
  let closedAt = start + end + closer.length;
  while (closedAt < start + rawLengthMax && /\s/.test(text.charAt(closedAt))) closedAt++;
  return end > 0 ? trimmed(text, start, start + end, closedAt) : undefined;
}

function stringAt(text: string, at: number): Value | undefined {
  const quote = text.charAt(at);
  const pattern = [stringPatterns, brokenPatterns]
    .map((patterns) => patterns.get(quote))
    .find((each) => each && matches(each, text, at));
  if (!pattern) return undefined;
  const behind = pattern.lastIndex;
  const first = text.charAt(at + 1);
  // `"\"…\""`: a string inside a string.
  const inner = behind - at > 4 && text.charAt(behind - 2) === first && stringPatterns.has(first) ? 1 : 0;
  const end = behind - 1 - inner;
  return found(text, at + 1 + inner, end - cutOff(text.slice(at + 1 + inner, end)), behind);
}

/** `Zk3hT9s[truncated]`: the length of the note that the rest was cut off. */
const cutOff = (value: string): number =>
  /(?<=.)[[(](?:truncated|snip|omitted|\.\.\.|…)[\])]?$/i.exec(value)?.[0].length ?? 0;

const bareRun = new RegExp(`[^\\s<>,;|&\\\\${quotes}]{1,512}`, "y");
/** The next field of a form, a list or a connection string ends a value. Other separators are part of it. */
const nextField = /[&,;][ \t]*(?:[\w.[\]-]{1,40}[ \t]{0,2}[=:]|#|$)|&\w{2,6};/y;
const nextTag = /<(?:\/|!|\?|[A-Za-z])/y;

function matches(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

/** Whether the separator at `at` is part of a bare value. */
function isContinued(text: string, at: number, isWholeLine: boolean): boolean {
  const separator = text.charAt(at);
  const next = text.charAt(at + 1);
  if (separator === "" || /\s/.test(separator) || next.charCodeAt(0) >= 0x2e80) return false;
  if (quotes.includes(separator)) return isWholeLine && next !== "" && !/[\s,;)\]}]/.test(next);
  if (separator === "<") return !matches(nextTag, text, at);
  if (next === "" || /\s/.test(next)) return isWholeLine && separator !== "\\" && separator !== ">";
  // `…<1234>…` is not a tag.
  if (separator === ">") return isWholeLine || /<\d+$/.test(text.slice(Math.max(0, at - 8), at));
  if (separator === "|") return next !== "|" && !quotes.includes(next);
  if (separator === "\\") return !quotes.includes(next);
  return (isWholeLine || !quotes.includes(next)) && !matches(nextField, text, at);
}

const bareLengthMax = 4_096;

/** A `<` that no `>` on its line closes, and that opens no string, is part of the value. */
const looseAngle = /<(?![^<>\n]{0,200}>)[^\s<>(=-]/y;

/** Excludes final punctuation, and a closing bracket whose opening bracket is before the value. */
function withoutClosers(text: string, start: number, from: number): number {
  let end = from;
  for (;;) {
    const last = text.charAt(end - 1);
    if (end <= start) return start;
    if (".,:;".includes(last)) end--;
    else if (")]}".includes(last)) {
      const opener = "([{".charAt(")]}".indexOf(last));
      const value = text.slice(start, end);
      if (value.split(opener).length >= value.split(last).length) return end;
      end--;
    } else return end;
  }
}

/**
 * Reads a value up to the end of a word, a field, a cell or a tag. `isWholeLine`: the rest of the line is only the
 * value.
 */
export function bareAt(
  text: string,
  start: number,
  isWholeLine: boolean,
  lengthMax: number = bareLengthMax,
): Value | undefined {
  let end = matches(looseAngle, text, start) ? start + 1 : start;
  while (end - start < lengthMax) {
    bareRun.lastIndex = end;
    if (bareRun.test(text)) end = bareRun.lastIndex;
    if (!isContinued(text, end, isWholeLine)) break;
    end++;
  }
  const foreign = text.slice(start, end).search(/[(（「【]?[\u2e80-\ud7ff]/);
  if (foreign >= 6) end = start + foreign;
  end -= cutOff(text.slice(start, end));
  if (!isWholeLine) end = withoutClosers(text, start, Math.min(end, start + lengthMax));
  return end > start ? found(text, start, end) : undefined;
}

export function valueAt(
  text: string,
  at: number,
  isWholeLine = false,
  lengthMax: number = bareLengthMax,
): Value | undefined {
  const quoted = rawAt(text, at) ?? stringAt(text, at);
  if (quoted) return quoted;
  // Skips an opening quote that has no closing quote.
  const start = quotes.includes(text.charAt(at)) && text.charAt(at) !== "" ? at + 1 : at;
  return bareAt(text, start, isWholeLine && start === at, lengthMax);
}
