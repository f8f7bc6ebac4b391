import { type Value, valueAt } from "./values.ts";

/** One of the parts that commas separate between two brackets: an argument of a call, a value of a row. */
export interface Argument {
  /** Set if the argument is one string and nothing else. */
  readonly value?: Value | undefined;
  /**
   * The only string in the argument, with or without other text around it: `[]byte("…")`. The name of an encoding
   * does not count: `Buffer.from("…",
   * "hex")`.
   */
  readonly inner?: Value;
}

const encoding = /,[ \t]{0,4}(["'])(?:hex|base64(?:url)?|utf-?8|latin-?1|ascii|binary)\1/iy;
const plainRun = /[^"'`\uE000-\uE003,()[\]{}]+/y;
const argumentsMax = 24;
const lengthMax = 400;
const depthMax = 3;

/** Only a prefix of the string is before it; `"…".getBytes()` still counts as that string. */
const isWhole = (before: string, behind: string) =>
  /^\s*[NLbru@$]{0,2}["'`\uE000-\uE003]+$/.test(before) && /^["'`\uE000-\uE003]+\s*(?:\.|$)/.test(behind);

function isEncodingAt(text: string, at: number): boolean {
  encoding.lastIndex = at;
  return encoding.test(text);
}

/**
 * Returns the arguments after an opening bracket and the position of the closing bracket. Returns undefined if
 * there is no closing bracket, or if the list
 * is too long or too deep.
 */
export function argumentsAt(text: string, from: number): { list: Argument[]; end: number } | undefined {
  const list: Argument[] = [];
  let start = from;
  let strings: Value[] = [];
  let depth = 0;
  let at = from;
  const close = (end: number) => {
    const [inner, other] = strings;
    list.push(
      inner && !other
        ? {
            inner,
            value: isWhole(text.slice(start, inner.start), text.slice(inner.end, end)) ? inner : undefined,
          }
        : {},
    );
    start = end + 1;
    strings = [];
  };
  while (at < text.length && at - from < lengthMax && list.length < argumentsMax) {
    const character = text.charAt(at);
    plainRun.lastIndex = at;
    if (plainRun.test(text)) at = plainRun.lastIndex;
    else if (character === "," && depth === 0) close(at++);
    else if (")]}".includes(character)) {
      if (depth-- === 0) {
        close(at);
        return { list, end: at };
      }
      at++;
    } else if ("([{".includes(character)) {
      if (++depth > depthMax) return undefined;
      at++;
    } else if (isEncodingAt(text, at)) at = encoding.lastIndex;
    else if (text.charAt(at + 1) === character && text.charAt(at + 2) !== character) at += 2;
    else {
      const string = valueAt(text, at);
      if (string) strings.push(string);
      at = string?.isQuoted ? string.end + 1 : at + 1;
    }
  }
  return undefined;
}
