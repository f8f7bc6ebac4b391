import type * as z from "zod";
import { requestLimits } from "../contract/limits.ts";
import { pathName, valueAt } from "../contract/schema-sentences.ts";

/** Each value completes the sentence "must be …". */
const kinds: Readonly<Record<string, string>> = {
  string: "a string",
  boolean: "true or false",
  number: "a number",
  int: "a whole number",
  array: "a list",
  object: "an object",
  record: "an object",
};

/** Describes what is wrong with a field: what is allowed, never the field's value. */
export const issueMessage: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${kinds[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `must be one of: ${issue.values.map(String).join(", ")}`;
    case "too_small":
      return `must ${bound(issue.origin, "at least", issue.minimum)}`;
    case "too_big":
      return `must ${bound(issue.origin, "at most", issue.maximum)}`;
    // Schemas have messages of their own for all other checks; without one, zod names what is allowed.
    default:
      return undefined;
  }
};

function bound(origin: string, which: "at least" | "at most", limit: number | bigint): string {
  if (origin === "string") return `have ${which} ${limit} characters`;
  if (origin === "array") return `have ${which} ${limit} elements`;
  return `be ${which} ${limit}`;
}

/** For the first invalid fields: their names, and what is allowed. */
export function problemsOf(issues: readonly z.core.$ZodIssue[], value: unknown): string[] {
  const { problemsMax } = requestLimits;
  const problems = issues.slice(0, problemsMax).map(({ path, code, message }) => {
    const isMissing = code !== "custom" && path.length > 0 && valueAt(value, path) === undefined;
    return `${pathName(path) || "event"}: ${isMissing ? "is required" : message}`;
  });
  return issues.length > problemsMax ? [...problems, "there are more problems"] : problems;
}
