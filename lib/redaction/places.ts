import { hasDigit, hasLetter } from "./appearance.ts";
import type { Link } from "./evidence.ts";
import { isDottedWords } from "./features.ts";
import { isRefused } from "./never.ts";
import type { Name } from "./separators.ts";
import type { Value } from "./values.ts";
import { pattern } from "./words.ts";

/** A value behind the name of a password, and the text around both. */
export interface Placed {
  readonly name: Name;
  readonly value: Value;
  readonly link: Link | undefined;
  /** The line before the name, and the line behind the value. */
  readonly before: string;
  readonly behind: string;
}

/** A place that can hold only a credential. */
export interface Place {
  readonly place: string;
  readonly holds: (placed: Placed) => boolean;
}

const isBare = ({ text, end }: Name) => text.charAt(end) === "=" && /[^\s=]/.test(text.charAt(end + 1));
const isOption = ({ name }: Placed) => name.name.startsWith("-");
/** A tool is before the option, or another option, or the line has nothing else. */
const isCommand = ({ before, behind }: Placed) =>
  before.trim() === ""
    ? /^["']?\s*$|^["']? -/.test(behind)
    : /^[\s>$#]*[\w./-]+ [^"'`]*$/.test(before) &&
      (/(?:^|\s)-{1,2}[\w-]+(?:[ =]|$)/.test(before + behind) || /^\s*$/.test(behind));
/** The names of two arguments: a call that defines, sets, fills in or compares. */
const definingCall = pattern(
  "i",
  String.raw`(?:define|get\w*|fetch|set\w*|put\w*|add\w*|fill\w*|type\w*|append|param\w*|\w*env\w*|option|property`,
  String.raw`|config|enter\w*|cmp|compare\w*`,
  String.raw`|equals\w*|send_?keys)\(\s*(?:\w+[.\w]*,\s*)?[^\s,()]{0,40}$|fill_in[ (]["']$`,
);
// biome-ignore format: one row a line
export const places: readonly Place[] = [
  { place: "string that code assigns", holds: ({ name: { text, end }, link, value }) => (link === undefined ||
    link === "literal") && value.isQuoted
    && /^(?:["']?[\])]{1,2})?\s*:?=(?!=)/.test(text.slice(end, end + 8)) },
  { place: "option of a command, with an equals sign", holds: (placed) => isOption(placed) && isBare(placed.name) },
  { place: "option of a command, with a space", holds: (placed) => placed.link === "option" && isOption(placed) &&
    isCommand(placed) },
  { place: "assignment in the argument of a command", holds: (placed) => isBare(placed.name) &&
    /\s(?:--?[\w-]+[ =]["']?(?:[\w.-]+=)?|[-/]p:)$/.test(` ${placed.before}`) },
  { place: "field of a form or a URL", holds: (placed) => (isBare(placed.name) || placed.name.text.startsWith("]=",
    placed.name.end)) &&
    (/[&?]$/.test(placed.before) || /^&[\w[\].]+=/.test(placed.behind)) },
  { place: "field of a connection string", holds: (placed) => isBare(placed.name) && ((/;\s?$/.test(placed.before) &&
    /[\w\]]=[^;=]*;\s?$/.test(placed.before)) || /^;\s?[\w ]{2,30}=/.test(placed.behind)) },
  { place: "one of several fields", holds: (placed) => isBare(placed.name) && ((/\s$/.test(placed.before) &&
    /(?:^|[\s"'])[\w.-]+=[^\s=,()]+\s+$|^[^([{]*[\s"'][\w.-]+=[^\s=,()]+,\s$/.test(placed.before) &&
    !/^[,)]/.test(placed.behind)) || /^\s+[\w.-]+=[^\s=]/.test(placed.behind)) },
  { place: "end of a line of words", holds: (placed) => isBare(placed.name) &&
    /^\s*(?:[\w./:-]+ ){0,6}$/.test(placed.before) && placed.behind.trim() === "" },
  { place: "variable of a build file", holds: ({ link, before }) => link === "option" &&
    /^\s*(?:ENV|ARG|setx|SetEnv)\s+$/.test(before) },
  { place: "string that code compares or falls back to", holds: ({ link, value, name: { text, start } }) =>
    link === "compared" && value.isQuoted &&
    !/(?<!\[)["'`]$/.test(text.slice(Math.max(0, start - 2), start)) },
  { place: "second argument of a call", holds: ({ link, value, before }) => link === "pair" && value.isQuoted &&
    /\(|fill_in/.test(before) &&
    definingCall.test(before) },
  { place: "attribute of XML", holds: ({ link, value, before }) => link === "literal" && value.isQuoted &&
    /<\w+\s(?:[^<>]*\s)?(?:key|name)=["']$/i.test(before) },
  { place: "element of XML", holds: ({ link, value, before }) => link === "element" && value.isClosed &&
    /<(?:[\w.-]+:)?$/.test(before) },
];

const reach = 160;
function around({ text, start }: Name, { end, isQuoted }: Value): { before: string; behind: string } {
  const before = text.slice(Math.max(0, start - reach), start);
  const behind = text.slice(end + (isQuoted ? 1 : 0), end + reach);
  const lineEnd = behind.indexOf("\n");
  return {
    before: before.slice(before.lastIndexOf("\n") + 1),
    behind: lineEnd === -1 ? behind : behind.slice(0, lineEnd),
  };
}

/** Whether the value is in a place that can hold only a credential, and is not wholly something else. */
export function isPlaced(name: Name, value: Value, link: Link | undefined): boolean {
  if (value.text.length < 4 || !(hasLetter(value.text) || hasDigit(value.text))) return false;
  // `Pwd=Heavy.Lifting;`: a bare field is text, so two words with a dot are no code.
  const isText = value.isQuoted || (isBare(name) && isDottedWords(value.text));
  if (/(?:^|\.)(?:label|form|field|message|placeholder|title)s?\./i.test(name.name)) return false;
  const isPhrase = value.isQuoted && /phrase$/i.test(name.name);
  if (isRefused({ text: isPhrase ? value.text.replaceAll(" ", "") : value.text, isQuoted: isText }))
    return false;
  const placed = { name, value, link, ...around(name, value) };
  return places.some(({ holds }) => holds(placed));
}
