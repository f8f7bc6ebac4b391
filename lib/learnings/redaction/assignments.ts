import { type Claim, claimOf, isConstant, isSetter } from "./assignment-names.ts";
import { isCredential, type Tie, valueAt } from "./assignment-values.ts";
import { type Finder, kindNamed, type Span } from "./rule.ts";

/**
 * `password=…`, `api_key: …`, `"clientSecret": "…"`, in the many ways people write it. Three steps: a name that
 * claims a credential, a bridge from the name to a value, and a value that bears it out.
 */
const namePattern = /pass|pwd|kennwort|secret|token|key|cred|auth|psk|pepper|sess|sid|pat|pw/gi;
const nameRestPattern = /[\w-]*(?:\.[\w-]+)*/y;

interface Name {
  readonly text: string;
  readonly name: string;
  readonly start: number;
}

interface Bridge {
  readonly tie?: Tie;
  /** What it can begin with, so that most names cost one look. */
  readonly first: string;
  readonly pattern: RegExp;
  readonly serves?: (name: Name) => boolean;
}

const isFlag = ({ name }: Name) => name.startsWith("-");
const isElement = ({ text, start }: Name) => text.charAt(start - 1) === "<";
/** `ENV TOKEN …`, `set -x TOKEN …`, `#define TOKEN …`, `config set dbPassword …`, `api_key …`, `bindpw …`. */
const isDeclared = ({ text, name, start }: Name) =>
  /_key$|bindpw$/i.test(name) ||
  /(?:ENV|ARG|set|setx|add|define|-g?x)[ \t]$/.test(text.slice(Math.max(0, start - 8), start));
/** `{:user "…" :password "…"}` */
const isKeyword = ({ text, start }: Name) => text.charAt(start - 1) === ":";
const isCompared = ({ text, start }: Name) =>
  /(?:cmp|compare|equals?)\w{0,8}\($/i.test(text.slice(Math.max(0, start - 24), start));

/** In the order they are tried. */
const bridges: readonly Bridge[] = [
  // password = SecretStr("…")
  { tie: "call", first: " \t=", pattern: /[ \t]{0,4}=[ \t]{0,4}(?:new )?[\w.:]+\((?=["'])/y },
  // password: >- and the value in the next line
  { first: "\"':", pattern: /["']?:[ \t]{1,4}[>|][+-]?[ \t]*\r?\n[ \t]+/y },
  // Equals signs and colons, behind a closing quote or bracket, with or without a type: `key: string = `, and before
  // what tells the kind of a string: `N'…'`.
  {
    first: "\\\"'`])* \t:：=-<?|",
    pattern:
      /[\\"'`\])*]{0,6}[ \t]{0,8}(?:(?::[ \t]{0,2})?(?:&?str|[Ss]tring)[ \t]{0,4}=|:=|(?:\?\??|\|\|)=|=>|(?:->|<-)[ \t]|=(?![=~>])|:(?![:=/])|：)[ \t*]{0,8}(?:(?:&|!!)\w+[ \t]{1,4})?(?:[A-Za-z@$]{1,2}(?=["']))?/y,
  },
  // &quot;password&quot;:&quot;…
  { tie: "literal", first: "&", pattern: /&(?:quot|apos|#\d\d);[ \t]?[:=][ \t]?&(?:quot|apos|#\d\d);/y },
  // process.env.TOKEN ?? "…", a literal it is compared with
  {
    tie: "pair",
    first: "\"')] \t=!?|",
    pattern: /["')\]]{0,3}[ \t]{0,4}(?:\?\?|\|\||\?:|or|[=!]==?)[ \t]{1,4}(?=["'`])/y,
  },
  { tie: "pair", first: ",", pattern: /,[ \t]{0,4}(?=["'])/y, serves: isCompared },
  // setPassword("…"), then any other: password("…")
  { tie: "literal", first: "(", pattern: /\([ \t]{0,4}(?=["'])/y, serves: ({ name }) => isSetter(name) },
  { tie: "call", first: "(", pattern: /\([ \t]{0,4}(?=["'])/y },
  // <password>…</password>, <entry key="password">…</entry>
  { tie: "element", first: ">", pattern: />/y, serves: isElement },
  { tie: "element", first: "\"'", pattern: /["']>/y },
  // <add key="ApiKey" value="…" />
  { tie: "literal", first: "\"'", pattern: /["'][ \t]{1,4}value[ \t]{0,2}=[ \t]{0,2}(?=["'])/y },
  // { "name": "DB_PASSWORD", "value": "…" }
  { tie: "literal", first: "\"'", pattern: /["'],\s{0,40}["']value["'][ \t]{0,2}:[ \t]{0,4}(?=["'])/y },
  // - name: DB_PASSWORD, and in the next line value: …
  { tie: "literal", first: "\"' \t\r\n", pattern: /["']?[ \t]*\r?\n[ \t-]*value:[ \t]+/y },
  // variable "db_password" { default = "…" }
  {
    tie: "literal",
    first: "\"'",
    pattern: /["'][ \t]*\{\s*(?:type[ \t]*=[ \t]*\w+\s+)?default[ \t]*=[ \t]*/y,
  },
  // define("DB_PASSWORD", "…")
  { tie: "pair", first: "\"'", pattern: /["'][ \t]{0,4},[ \t]{0,12}(?=["'])/y },
  // :password "…"
  { tie: "pair", first: " ", pattern: / (?=")/y, serves: isKeyword },
  // --password …
  { tie: "option", first: " \t", pattern: /[ \t]{1,4}/y, serves: isFlag },
  { tie: "option", first: " \t", pattern: /[ \t]{1,4}/y, serves: isDeclared },
  // the password for staging: …, password (staging): …
  {
    tie: "sentence",
    first: " ",
    pattern: /[ \t](?:for[ \t][\w.-]+|\([\w .-]{1,24}\))(?::|[ \t]is)[ \t]{1,3}\*{0,2}/y,
  },
  // the password `…`, password - …
  { tie: "call", first: " ", pattern: / (?=`)/y },
  { tie: "call", first: " ", pattern: / - (?=\S)/y },
  // the password is …, was changed to …, → …
  {
    tie: "sentence",
    first: "\"'`* \t",
    pattern:
      /["'`*]{0,2}[ \t](?:(?:is|was|are|ist|lautet|est)(?: now| (?:changed|set|reset) to)?|→)[ \t:]{1,3}\*{0,2}/y,
  },
];

/** A name longer than this is no name. */
const nameLengthMax = 80;

const kindOf: Record<Claim, string> = {
  password: "password",
  passphrase: "password",
  secret: "secret",
  token: "token",
  api_key: "api_key",
  likely: "secret",
  maybe: "secret",
};

/** The credential behind a name, and where the search goes on: in what was refused, unless it is too long for a name. */
function findBehind(
  name: Name,
  end: number,
  claims: Map<string, Claim | undefined>,
): { span?: Span; resume: number } {
  const next = name.text.charAt(end);
  for (const { tie, first, pattern, serves } of bridges) {
    if (!first.includes(next) || (serves && !serves(name))) continue;
    pattern.lastIndex = end;
    if (!pattern.test(name.text)) continue;
    if (!claims.has(name.name)) claims.set(name.name, claimOf(name.name));
    const claim = claims.get(name.name);
    if (!claim) break;
    const value = valueAt(name.text, pattern.lastIndex);
    if (!value) continue;
    const valueEnd = value.start + value.text.length;
    if (isCredential(value, claim, tie, isConstant(name.name)))
      return { span: { start: value.start, end: valueEnd, kind: kindOf[claim] }, resume: valueEnd };
    return { resume: value.isQuoted ? end : value.text.length <= nameLengthMax ? value.start : valueEnd };
  }
  return { resume: end };
}

function isNameCharacter(code: number): boolean {
  return (
    (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    (code >= 97 && code <= 122) ||
    code === 95 ||
    code === 45 ||
    code === 46
  );
}

/** Where the word that ends at `end` begins; `end` + 1, behind the blank, if there is none. */
function wordStart(text: string, end: number, from: number): number {
  let start = end;
  while (start > from && isNameCharacter(text.charCodeAt(start - 1))) start--;
  return start < end ? start : end + 1;
}

/** Inside a marker, in an ARN (`…:secret:…`), or too long. */
const isNoName = ({ text, name, start }: Name) =>
  name.length > nameLengthMax ||
  text.endsWith("[REDACTED:", start) ||
  (text.charAt(start - 1) === ":" && text.charAt(start + name.length) === ":");

export const assignments: Finder = {
  kinds: ["Password", "Secret", "Token", "API key"].map(kindNamed),
  keywords: [],
  find(text) {
    const spans: Span[] = [];
    const claims = new Map<string, Claim | undefined>();
    let from = 0;
    namePattern.lastIndex = 0;
    for (let hit = namePattern.exec(text); hit; hit = namePattern.exec(text)) {
      let start = hit.index;
      while (start > from && isNameCharacter(text.charCodeAt(start - 1))) start--;
      nameRestPattern.lastIndex = namePattern.lastIndex;
      nameRestPattern.test(text);
      const end = nameRestPattern.lastIndex;
      // In a sentence the word before says what the key is for: "api key: …", "cache key: …".
      if (/ key$/i.test(text.slice(start - 1, end))) start = wordStart(text, start - 1, from);
      const name = { text, name: text.slice(start, end), start };
      const { span, resume } = isNoName(name) ? { resume: end } : findBehind(name, end, claims);
      if (span) spans.push(span);
      from = resume;
      namePattern.lastIndex = resume;
    }
    return spans;
  },
};
