import { type Claim, claimOf } from "./assignment-names.ts";
import { isCredential } from "./assignment-values.ts";
import { type Finder, kindNamed, type NameHit, type Span } from "./rule.ts";
import { valueAt } from "./values.ts";

/** A heading that says what the values below it are: `secrets: { db: … }`, `[passwords]`, `tokens:`. */
const heading =
  /(?<![A-Za-z])(?:passwords?|passwds|secrets?|tokens|credentials?|creds|api_?keys|passwörter|senhas|hasła)\b/giy;
/** The start of a section after its heading: a brace, the end of the line, the bracket of an INI file. */
const opensBlock = /["'\uE000]?[ \t]{0,4}(?::|=>?|:=)?[ \t]{0,4}(?:new [\w<>, ]{1,40})?\{/y;
const opensLines = /["'\uE000]?(?::[ \t]{0,8}|\][ \t]{0,8})\r?\n/y;
const pair = /(?<![\w$])["'\uE000]?([\p{L}_][\w.@-]{0,40})["'\uE000]?[ \t]{0,8}(?::|=>|=)[ \t]{0,8}(?=\S)/gu;
const linePair = /([ \t]*)(?:- )?["']?([\p{L}_][\w.@-]{0,40})["']?[ \t]{0,8}[:=][ \t]{0,8}(?=\S)/uy;
const blockLengthMax = 600;
const linesMax = 20;

/** A member that holds a user, a place, a duration or other settings, not the credential. */
const otherMember =
  /(?:^|[_.-])(?:user|username|name|login|mail|host|url|uri|path|file|id|arn|type|kind|region|port|version|provider|source|store|engine|driver|algorithm|alg|method|policy|length|min|max|age|ttl|days|expir\w*|rotat\w*|created\w*|updated\w*|description|role|scope|env|enabled|required|format|encoding|field|label|hint|ref|from|external|namespace|mount|vault|pattern|regex|\$ref|title)$/i;

export const isOtherMember = (member: string): boolean =>
  otherMember.test(member.replace(/([a-z])([A-Z])/g, "$1_$2"));

function judged(text: string, at: number, member: string, claim: Claim): Span | undefined {
  if (isOtherMember(member)) return undefined;
  const value = valueAt(text, at, false, 256);
  if (!value) return undefined;
  const named = {
    claim: claimOf(member) ?? claim,
    tie: "cell",
    isConstant: false,
    isEnvironment: false,
  } as const;
  return isCredential(value, named) ? { start: value.start, end: value.end, kind: password.kind } : undefined;
}

/** `readUntil`: where the search for the same claim ended, so that no part of nested blocks is read twice. */
function inBlock(text: string, opened: number, claim: Claim, readUntil: Map<Claim, number>): Span[] {
  const spans: Span[] = [];
  const from = Math.max(opened, readUntil.get(claim) ?? 0);
  const window = text.slice(from, opened + blockLengthMax);
  const until = window.indexOf("}");
  const block = until === -1 ? window : window.slice(0, until);
  readUntil.set(claim, from + block.length);
  let walked = 0;
  for (const match of block.matchAll(pair)) {
    if (match.index < walked) continue;
    const [, member = ""] = match;
    const at = from + match.index + match[0].length;
    const span = judged(text, at, member, claim);
    if (!span || span.end > from + block.length) continue;
    spans.push(span);
    walked = span.end - from;
  }
  return spans;
}

function inLines(text: string, from: number, indent: number, claim: Claim): Span[] {
  const spans: Span[] = [];
  let at = from;
  for (let lines = 0; lines < linesMax && at < text.length; lines++) {
    linePair.lastIndex = at;
    const match = linePair.exec(text);
    if (!match) break;
    const [, spaces = "", member = ""] = match;
    if (spaces.length < indent) break;
    const span = judged(text, linePair.lastIndex, member, claim);
    if (span) spans.push(span);
    const end = text.indexOf("\n", linePair.lastIndex);
    if (end === -1) break;
    at = end + 1;
  }
  return spans;
}

const password = kindNamed("Password");

function find(text: string, names: readonly NameHit[]): Span[] {
  const spans: Span[] = [];
  const readUntil = new Map<Claim, number>();
  let from = 0;
  for (const { at } of names) {
    if (at < from) continue;
    heading.lastIndex = at;
    const name = heading.exec(text)?.[0];
    if (!name) continue;
    const claim = claimOf(name) ?? "credential";
    const end = at + name.length;
    opensBlock.lastIndex = end;
    opensLines.lastIndex = end;
    const found = opensBlock.test(text)
      ? inBlock(text, opensBlock.lastIndex, claim, readUntil)
      : opensLines.test(text)
        ? belowHeading(text, at, end, claim)
        : [];
    spans.push(...found);
    from = found.at(-1)?.end ?? end;
  }
  return spans;
}

const indentMax = 40;
/**
 * On its line, the heading of a list has only spaces, quotes or dashes before it. The heading of an INI file
 * has only its bracket and the first part of its name.
 */
function belowHeading(text: string, at: number, end: number, claim: Claim): Span[] {
  const window = text.slice(Math.max(0, at - indentMax), at);
  const before = window.slice(window.lastIndexOf("\n") + 1);
  const isIni = text.charAt(end) === "]";
  if (!(isIni ? /^\s*\[[\w.]*$/ : /^[\s"'-]*$/).test(before)) return [];
  const indent = isIni ? 0 : before.length - before.trimStart().length + 1;
  return inLines(text, opensLines.lastIndex, indent, claim);
}

export const sections: Finder = { kinds: [password], keywords: [], find };
