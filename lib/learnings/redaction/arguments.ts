import { type Value, valueAt } from "./values.ts";

/** What stands between two brackets, divided by commas: the arguments of a call, the values of a row. */
export interface Argument {
  readonly start: number;
  readonly end: number;
  /** If it is one string and nothing else. */
  readonly value: Value | undefined;
  /** The one string in it, whatever stands around that: `[]byte("…")`. */
  readonly inner: Value | undefined;
}

const plainRun = /[^"'`\uE000-\uE003,()[\]{}]+/y;
const argumentsMax = 24;
const lengthMax = 400;
const depthMax = 3;

/** The arguments behind an opening bracket, and where the closing one stands; nothing if there is none. */
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
      // `"…".getBytes()` is that string all the same.
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
    } else if (text.charAt(at + 1) === character && text.charAt(at + 2) !== character) at += 2;
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
