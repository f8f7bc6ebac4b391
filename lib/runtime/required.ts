/**
 * For a value that cannot be missing, although the compiler cannot see why: throws instead of giving a wrong result.
 */
export function required<Value>(value: Value | null | undefined, what: string): Value {
  if (value === undefined || value === null) throw new TypeError(`Missing ${what}; this is a bug.`);
  return value;
}
