/** What cannot be missing, where the compiler cannot see why: a named failure instead of a quietly wrong answer. */
export function required<Value>(value: Value | null | undefined, what: string): Value {
  if (value === undefined || value === null) throw new TypeError(`Missing ${what}; this is a bug.`);
  return value;
}
