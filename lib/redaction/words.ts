/** The words of a text, as a set. */
export const setOf = (spaced: string): ReadonlySet<string> => new Set(spaced.trim().split(/\s+/));

/** A pattern in parts, so that no line of a rule is longer than a reader looks. Once a rule, never once a text. */
export const pattern = (flags: string, ...parts: readonly string[]): RegExp =>
  new RegExp(parts.join(""), flags);
