/** Engines write an instant in their own form. */
const instant = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|\+00(?::00)?)?$/;
const plain = (value: unknown): unknown => {
  if (typeof value === "string" && instant.test(value))
    return new Date(value.replace(" ", "T").replace(/(?:Z|\+00(?::00)?)?$/, "Z")).toISOString();
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
};
/** Rows of a table, or records of the API, in a form in which they can be compared. */
export const sorted = (rows: readonly unknown[]) =>
  rows
    .map(plain)
    .map((row) => JSON.stringify(row, sortKeys))
    .toSorted();
const sortKeys = (_: string, value: unknown) =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted())
    : value;
