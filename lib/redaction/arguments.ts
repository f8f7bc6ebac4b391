import { type Value, valueAt } from "./values.ts";

/** One of the parts that commas separate between two brackets: an argument of a call, a value of a row. */
export interface Argument {
  readonly start: number;
  readonly end: number;
  /** Set if the argument is one string and nothing else. */
  readonly value: Value | undefined;
  /**
   * The only string in the argument, with or without other text around it: `[]byte("…")`. The name of an encoding does not count: `Buffer.from("…",
   * "hex")`.
   */
  readonly inner: Value | undefined;
}

const encoding = /,[ \t]{0,4}(["'])(?:hex|base64(?:url)?|utf-?8|latin-?1|ascii|binary)\1/iy;
const plainRun = /[^"'`\uE000-\uE003,()[\]{}]+/y;
const argumentsMax = 24;
const lengthMax = 400;
const depthMax = 3;

function isEncodingAt(text: string, at: number): boolean {
  encoding.lastIndex = at;
  return encoding.test(text);
}

/**
 * Returns the arguments after an opening bracket and the position of the closing bracket. Returns undefined if there is no closing bracket, or if the list
 * is too long or too deep.
 */
export function argumentsAt(text: string, from: number): { list: Argument[]; end: number } | undefined {
  const list: Argument[] = [];
  let start = from;
  let value: Value | undefined;
  let inner: Value | undefined;
  let strings = 0;
  let isMore = false;
  let isChained = false;
  let depth = 0;
  let at = from;
  const close = (end: number) => {
    list.push({ start, end, value: isMore ? undefined : value, inner: strings === 1 ? inner : undefined });
    start = end + 1;
    value = undefined;
    inner = undefined;
    strings = 0;
    isMore = false;
    isChained = false;
  };
  while (at < text.length && at - from < lengthMax && list.length < argumentsMax) {
    const character = text.charAt(at);
    plainRun.lastIndex = at;
    if (plainRun.test(text)) {
      const plain = text.slice(at, plainRun.lastIndex).trim();
      // `"…".getBytes()` still counts as that string.
      isChained ||= value !== undefined && plain.startsWith(".");
      if (plain.replace(/^[NLbru@$]{1,2}$/, "") !== "" && !isChained) isMore = true;
      at = plainRun.lastIndex;
    } else if (character === "," && depth === 0) close(at++);
    else if (")]}".includes(character)) {
      if (depth-- === 0) {
        close(at);
        return { list, end: at };
      }
      at++;
    } else if ("([{".includes(character)) {
      if (++depth > depthMax) return undefined;
      isMore ||= !isChained;
      at++;
    } else if (isEncodingAt(text, at)) at = encoding.lastIndex;
    else if (text.charAt(at + 1) === character && text.charAt(at + 2) !== character) at += 2;
    else {
      const string = valueAt(text, at);
      if (value || depth > 0) isMore = true;
      value ??= string?.isQuoted ? string : undefined;
      inner ??= string;
      strings++;
      at = string?.isQuoted ? string.end + 1 : at + 1;
    }
  }
  return undefined;
}
