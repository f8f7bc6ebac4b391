/** Where a credential lies in a text, without what surrounds it. */
export interface Span {
  start: number;
  end: number;
  kind: string;
}

/** A kind of credential: `kind` stands in the marker, `name` in the published list. */
export interface Kind {
  readonly kind: string;
  readonly name: string;
}

/** "GitHub token" is the kind `github_token`. */
export const kindNamed = (name: string): Kind => ({
  kind: name.toLowerCase().replace(/[^a-z0-9]/g, "_"),
  name,
});

export type Accept = (secret: string) => boolean;

/** What a context rule may look at beside the secret itself. */
export interface Found {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** The context that was matched before the secret. */
  readonly context: string;
}

/** It refuses an empty secret. */
export type AcceptInContext = (secret: string, found: Found) => boolean;

/** A credential with a prefix of its own. */
export interface TokenRule extends Kind {
  readonly prefixes: readonly string[];
  /** Sticky; what follows the prefix, to the end of the token. */
  readonly pattern: RegExp;
  readonly bodyLengthMin: number;
  readonly accept: Accept;
}

/** A credential known by its form alone, matched against every run of token characters. */
export interface ShapeRule extends Kind {
  readonly pattern: RegExp;
  readonly accept: Accept;
}

/** A credential known by what stands around it. */
export interface ContextRule extends Kind {
  /** In lower case: a text that holds none of them is not searched. */
  readonly keywords: readonly string[];
  /** Global: what stands before the secret and stays. Without a `value` pattern, the secret itself. */
  readonly pattern: RegExp;
  /** Sticky: the secret. */
  readonly value?: RegExp;
  /** The secret ends before the last of these in the value; a value without one is refused. */
  readonly upTo?: string;
  /** Global: counts only behind one of these on the same line. */
  readonly behind?: RegExp;
  readonly accept: AcceptInContext;
}

/** Where something in a text may be the name of a credential. */
export interface NameHit {
  readonly at: number;
  readonly length: number;
}

/** One way of searching a text. */
export interface Finder {
  readonly kinds: readonly Kind[];
  /** In lower case: only lines near one of them are searched; none means: search every text, whole. */
  readonly keywords: readonly string[];
  /** How far behind its keyword a credential may stand, if further than on the line after it. */
  readonly reach?: number;
  /** In whole lines of a text. The names are given to a finder without keywords, which sees the whole text. */
  find(text: string, names: readonly NameHit[]): Span[];
}

const listed = (separated: string) => separated.split("|").filter(Boolean);

/** Whether a value has at least so many different characters. */
export function hasDistinct(value: string, countMin: number): boolean {
  let seen = "";
  for (let index = 0; index < value.length && seen.length < countMin; index++) {
    const character = value.charAt(index);
    if (!seen.includes(character)) seen += character;
  }
  return seen.length >= countMin;
}

export const ofLength =
  (lengthMin: number, lengthMax = Number.POSITIVE_INFINITY): Accept =>
  (secret) =>
    secret.length >= lengthMin && secret.length <= lengthMax && isVaried(secret);

/** `ghp_xxxxxxxx` and `AKIAXXXXXXXXXXXXXXXX` are placeholders. */
const isVaried: Accept = (secret) => hasDistinct(secret, 8);

/** What may follow a prefix. None can fail after its first character, so none can backtrack. */
export const hex = /[0-9a-fA-F]+/y;
export const upper = /[A-Z0-9]+/y;
export const alphanumeric = /[A-Za-z0-9]+/y;
export const word = /[\w-]+/y;
export const base64 = /[\w+/=%-]+/y;
export const dotted = /[\w=-]+(?:\.[\w=-]+)*/y;
/** What may follow a context. */
export const unquoted = /[^\s"'`\uE000-\uE003]+/y;
export const quoted = /[^"'`\uE000-\uE003\n]+/y;

/** `token("Acme key", "acme_live_|acme_test_", alphanumeric, 32)`: the prefixes, then 32 or more. */
export function token(
  name: string,
  prefixes: string,
  pattern: RegExp,
  bodyLengthMin: number,
  accept: Accept = isVaried,
): TokenRule {
  return { ...kindNamed(name), prefixes: listed(prefixes), pattern, bodyLengthMin, accept };
}

/** `shape("Acme id", /^[0-9a-f]{32}-acme$/)`: the whole run has this form. */
export function shape(name: string, pattern: RegExp, accept: Accept = isVaried): ShapeRule {
  return { ...kindNamed(name), pattern, accept };
}

/** In a pattern of a context `¶` stands for all quotes, plain ones and those inside of others. */
const withQuotes = ({ source, flags }: RegExp) =>
  new RegExp(source.replaceAll("¶", `"'\\uE000-\\uE003`), flags);

/** `after("Acme webhook", "hooks.acme.com", /hooks\.acme\.com\//g, word)`: the context, the secret. */
export function after(
  name: string,
  keywords: string,
  pattern: RegExp,
  value: RegExp,
  accept: AcceptInContext = isVaried,
): ContextRule {
  return { ...alone(name, keywords, pattern, accept), value: withQuotes(value) };
}

/** `alone("Acme pair", "acme:", /acme:\w{20}/g, ofLength(25))`: what is found is the secret itself. */
export function alone(name: string, keywords: string, pattern: RegExp, accept: AcceptInContext): ContextRule {
  return { ...kindNamed(name), keywords: listed(keywords), pattern: withQuotes(pattern), accept };
}

/** Counts only behind one of these on the same line. */
export const behind = (words: RegExp, rule: ContextRule): ContextRule => ({
  ...rule,
  behind: withQuotes(words),
});

/** A pattern in which `~` stands for a few blanks. */
export const spaced = ({ source, flags }: RegExp): RegExp =>
  new RegExp(source.replaceAll("~", "[ \\t]{1,8}"), flags);
