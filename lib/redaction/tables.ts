import { type Claim, claimOf, kindOf, likely, sure } from "./assignment-names.ts";
import { isCredential } from "./evidence.ts";
import { isInPlace } from "./never.ts";
import { type Finder, kindNamed, type NameHit, type Span } from "./rule.ts";
import type { Value } from "./values.ts";
import { pattern } from "./words.ts";

/** A cell of a table whose header names the columns: Markdown, ASCII, CSV, separated by tabs or spaces. */
interface Cell {
  readonly start: number;
  readonly text: string;
}

type Split = (line: string) => Cell[];

/** Returns the cell without the whitespace, quotes, backticks and asterisks at its end. */
function closed(cell: string): string {
  let end = cell.length;
  while (end > 0 && " \t\r\n\"'`*".includes(cell.charAt(end - 1))) end--;
  return cell.slice(0, end);
}

function splitBy(separator: RegExp): Split {
  return (line) => {
    const cells: Cell[] = [];
    let from = 0;
    const add = (end: number) => {
      const raw = line.slice(from, end);
      const text = raw.replace(/^[\s"'`*]+/, "");
      cells.push({ start: end - text.length, text: closed(text) });
    };
    for (const match of line.matchAll(separator)) {
      add(match.index);
      from = match.index + match[0].length;
    }
    add(line.length);
    return cells;
  };
}

const splits: ReadonlyArray<readonly [RegExp, Split]> = [
  [/│|┃/, splitBy(/│|┃/g)],
  [/\|/, splitBy(/\|{1,2}/g)],
  [/\t/, splitBy(/\t/g)],
  [/;/, splitBy(/;/g)],
  [/,/, splitBy(/,/g)],
  [/ {2,}/, splitBy(/ {2,}/g)],
];

const ruleLine = /^(?:[\dT:.Z-]{10,30} [A-Z]{4,5} )?[\s|:+=\-─┼│├┤┬┴┌┐└┘═╪\\]*(?:hline[ \t]{0,40})?$/;
const headerCell = /^(?:\p{L}|\dFA$)[\p{L}\d _./()?#%-]{0,39}$/u;
const lineLengthMax = 2_000;
const headerLengthMax = 300;

interface Header {
  readonly split: Split;
  readonly count: number;
  readonly claims: ReadonlyArray<Claim | undefined>;
  /** The first cell is empty: the line begins with a bar. */
  readonly isBarred: boolean;
  /** Another column names the user or the system: every word in the column of passwords is a password. */
  readonly isOfLogins: boolean;
}

const userColumn = pattern(
  "i",
  String.raw`^(?:user\w*|user name|login|account|konto|benutzer\w*|usuario|utilisateur|utente|usuário|e-?mail|host`,
  "|server|system|service|environment",
  "|umgebung|env|database|db|datenbank|compte|cuenta|name|role|box|machine|device|hostname|site|tool|app" +
    "|username or e-?mail)$",
);
const access = sure("password");
const accessColumn = /^(?:access|zugang|zugangsdaten|accès|acceso|accesso|acesso|доступ)$/i;
function headerOf(line: string): Header | undefined {
  for (const [separator, split] of splits) {
    if (!separator.test(line)) continue;
    const cells = split(line);
    const filled = cells.filter(({ text }) => text !== "");
    // The first cell is not checked: it may begin with a prefix that every line has.
    if (
      filled.length < 2 ||
      filled[0]?.text.endsWith(":") ||
      !filled.slice(1).every(({ text }) => headerCell.test(text))
    )
      continue;
    // `src/auth/password.test.ts`: a path is not the name of a column.
    if (filled.some(({ text }) => /\/.*\.\w{1,4}$/.test(text))) continue;
    const isOfLogins = cells.some(({ text }) => userColumn.test(text));
    const claims = cells.map(({ text }) => {
      const claim =
        text === ""
          ? undefined
          : accessColumn.test(text)
            ? sure("credential")
            : (claimOf(text) ?? claimOf(text.replace(/ ?[(/].*$/, "")));
      // "SSID | Key": the password of a network. "Service | Key": the key of a service.
      if (claim?.kind === "key" && /ssid|wi-?fi|wlan/i.test(line)) return access;
      return claim?.certainty === "maybe" && isOfLogins ? likely : claim;
    });
    const isBarred = cells[0]?.text === "";
    if (claims.some(Boolean)) return { split, count: cells.length, claims, isBarred, isOfLogins };
  }
  return undefined;
}

function rowSpans(
  line: string,
  start: number,
  { split, count, claims, isBarred, isOfLogins }: Header,
): Span[] | undefined {
  const cells = split(line);
  // The view drops the bar before the first cell if several rows begin with a bar.
  const shift = isBarred && cells.length === count - 1 ? 1 : 0;
  if (cells.length !== count - shift && cells.length !== count + 1) return undefined;
  return cells.flatMap((cell, index) => {
    const claim = claims[index + shift];
    if (!claim || cell.text === "") return [];
    const at = start + cell.start;
    const end = at + cell.text.length;
    const value = { text: cell.text, start: at, end, isQuoted: true, isClosed: false };
    return isCell(value, claim, isOfLogins) ? [{ start: at, end, kind: kindOf(claim) }] : [];
  });
}

/** `isPlace`: every word in a column of passwords is a password. */
function isCell(value: Value, claim: Claim, isPlace: boolean): boolean {
  const named = { claim, link: "cell", isConstant: false, isEnvironment: false, isText: () => true } as const;
  return (isPlace && claim.kind === "password" && isInPlace(value.text)) || isCredential(value, named);
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
}

const separators = /[|,;\t│┃]| & | {2}/;
const noHeader = /[={}<>$]|: \S/;

function find(text: string, names: readonly NameHit[]): Span[] {
  const spans: Span[] = [];
  let from = 0;
  for (const { at } of names) {
    if (at < from) continue;
    const start = text.lastIndexOf("\n", at) + 1;
    const end = lineEnd(text, at);
    from = end;
    // `! Host !! Password`: the header of a wiki.
    const line =
      end - start > headerLengthMax ? "" : text.slice(start, end).replace(/^!/, "|").replaceAll("!!", "||");
    if (!separators.test(line)) continue;
    const header = noHeader.test(line) ? undefined : headerOf(line);
    if (!header) continue;
    for (let at = end + 1; at < text.length; at = lineEnd(text, at) + 1) {
      const line = text.slice(at, Math.min(lineEnd(text, at), at + lineLengthMax));
      // One empty line between two rows is allowed.
      if (line.trim() === "" && text.slice(at - 2, at) === "\n\n") break;
      if (ruleLine.test(line)) continue;
      const found = rowSpans(line, at, header);
      if (!found) break;
      spans.push(...found);
      from = lineEnd(text, at);
    }
  }
  return spans;
}

export const tables: Finder = { kinds: [kindNamed("Password")], keywords: [], find };
