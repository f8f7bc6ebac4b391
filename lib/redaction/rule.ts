/** The position of a credential in a text, without the surrounding text. */
export interface Span {
  start: number;
  end: number;
  kind: string;
}

/** A kind of credential: `kind` is its name in the marker, `name` its name in the published list. */
export interface Kind {
  readonly kind: string;
  readonly name: string;
}

/** The kind of "GitHub token" is `github_token`. */
export const kindNamed = (name: string): Kind => ({
  kind: name.toLowerCase().replace(/[^a-z0-9]/g, "_"),
  name,
});

export type Accept = (secret: string) => boolean;

/** The data that a context rule may inspect in addition to the secret. */
export interface FoundSecret {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** The context that was matched before the secret. */
  readonly context: string;
}

/** Must return false for an empty secret. */
export type AcceptInContext = (secret: string, found: FoundSecret) => boolean;

/** A credential with a prefix of its own. */
export interface TokenRule extends Kind {
  readonly prefixes: readonly string[];
  /** Sticky: matches the text after the prefix, to the end of the token. */
  readonly pattern: RegExp;
  readonly bodyLengthMin: number;
  readonly accept: Accept;
}

/** A credential recognized by the text around it. */
export interface ContextRule extends Kind {
  /** In lower case: a text that contains none of them is not searched. */
  readonly keywords: readonly string[];
  /** Global: matches the text before the secret, which stays. Without `value`, matches the secret itself. */
  readonly pattern: RegExp;
  /** Sticky: matches the secret. */
  readonly value?: RegExp;
  /** The secret ends before the last occurrence of this text in the value. A value without it is rejected. */
  readonly upTo?: string;
  /** As in a finder. */
  readonly reach?: number;
  /** Global: the rule applies only after a match of this pattern on the same line. */
  readonly behind?: RegExp;
  /** The keywords are not part of the pattern: one of them must be near the secret. */
  readonly isNear?: boolean;
  readonly accept: AcceptInContext;
}

/** The position of a word that may be the name of a credential. */
export interface NameHit {
  readonly at: number;
  readonly length: number;
}

/** One way to search a text. */
export interface Finder {
  readonly kinds: readonly Kind[];
  /** In lower case: only lines near a keyword are searched; without keywords, the whole of every text. */
  readonly keywords: readonly string[];
  /** Maximum distance from a keyword to its credential, if more than to the end of the next line. */
  readonly reach?: number;
  /** Searches whole lines of a text. A finder without keywords gets the whole text, and the names in it. */
  find(text: string, names: readonly NameHit[]): Span[];
}

const listed = (separated: string) => separated.split("|").filter(Boolean);

/** Whether a value has at least `countMin` different characters. */
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

/** Whether one of several checks accepts a value. */
export const anyOf =
  (...checks: readonly Accept[]): Accept =>
  (value) =>
    checks.some((check) => check(value));

/** Patterns for the text after a prefix. None can fail after its first character, so none can backtrack. */
export const hex = /[0-9a-fA-F]+/y;
export const alphanumeric = /[A-Za-z0-9]+/y;
export const word = /[\w-]+/y;
export const base64 = /[\w+/=%-]+/y;
/** Patterns for the value after a context. */
export const unquoted = /[^\s"'`\uE000-\uE003]+/y;
export const quoted = /[^"'`\uE000-\uE003\n]+/y;

/** `token("Acme key", "acme_live_|acme_test_", alphanumeric, 32)`: a prefix, then 32 or more characters. */
export function token(
  name: string,
  prefixes: string,
  pattern: RegExp,
  bodyLengthMin: number,
  accept: Accept = isVaried,
): TokenRule {
  return { ...kindNamed(name), prefixes: listed(prefixes), pattern, bodyLengthMin, accept };
}

/** In a pattern, `¶` means any quote, plain or inside a string, and `¬` means up to 8 spaces or tabs. */
const withQuotes = ({ source, flags }: RegExp) =>
  new RegExp(source.replaceAll("¶", `"'\\uE000-\\uE003`).replaceAll("¬", "[ \\t]{0,8}"), flags);

/** `after("Acme webhook", "hooks.acme.com", /hooks\.acme\.com\//g, word)`: the context, then the secret. */
export function after(
  name: string,
  keywords: string,
  pattern: RegExp,
  value: RegExp,
  accept: AcceptInContext = isVaried,
): ContextRule {
  return { ...alone(name, keywords, pattern, accept), value: withQuotes(value) };
}

/** `alone("Acme pair", "acme:", /acme:\w{20}/g, ofLength(25))`: the match is the secret itself. */
export function alone(name: string, keywords: string, pattern: RegExp, accept: AcceptInContext): ContextRule {
  return { ...kindNamed(name), keywords: listed(keywords), pattern: withQuotes(pattern), accept };
}

/** Returns a rule that applies only after one of these words on the same line. */
export const behind = (words: RegExp, rule: ContextRule): ContextRule => ({
  ...rule,
  behind: withQuotes(words),
});

/** Returns a rule that applies only near one of these words, which are its keywords. */
export function near(words: string, rule: ContextRule, reach = 200): ContextRule {
  const keywords = listed(words);
  const isNear = ({ text, start, end }: FoundSecret) => {
    const around = text.slice(Math.max(0, start - reach), end + reach).toLowerCase();
    return keywords.some((word) => around.includes(word));
  };
  const accept: AcceptInContext = (secret, found) => rule.accept(secret, found) && isNear(found);
  return { ...rule, keywords, isNear: true, reach, accept };
}

/** Returns the pattern with 1 to 8 spaces or tabs in place of each `~`. */
export const spaced = ({ source, flags }: RegExp): RegExp =>
  new RegExp(source.replaceAll("~", "[ \\t]{1,8}"), flags);
