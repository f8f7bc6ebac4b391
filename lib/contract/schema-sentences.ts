import type * as z from "zod";
import { withoutKeys } from "./key-forms.ts";
import { requestLimits } from "./limits.ts";
import { plural } from "./plural.ts";

/** The problems that a schema found in a value; `whole` is the name of the whole value. */
export type SchemaFailure = {
  readonly issues: readonly z.core.$ZodIssue[];
  readonly schema: z.ZodObject;
  readonly value: unknown;
  readonly whole: string;
};

/** Sentences that name the field and say what is allowed. */
export const sentencesOf = (failure: SchemaFailure): string[] =>
  failure.issues.flatMap((issue) => sentences(issue, failure));

/** The value as the schema reads it. `refuse` makes an error of the sentences about a wrong one. */
export function parsedBy<Schema extends z.ZodObject>(
  schema: Schema,
  value: unknown,
  { whole, refuse }: { readonly whole: string; refuse(sentences: string): Error },
): z.output<Schema> {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  throw refuse(firstProblemsOf(sentencesOf({ issues: error.issues, schema, value, whole })).join(" "));
}

/** Limits how much of the caller's input is sent back, and counts the rest: nobody takes the list for complete. */
export function firstProblemsOf(problems: readonly string[]): string[] {
  const { problemsMax } = requestLimits;
  const left = problems.length - problemsMax;
  return left > 0
    ? [
        ...problems.slice(0, problemsMax),
        `There ${left === 1 ? "is" : "are"} ${plural(left, "more problem")}.`,
      ]
    : [...problems];
}

function sentences(issue: z.core.$ZodIssue, { schema, value, whole }: SchemaFailure): string[] {
  const field = pathName(issue.path);
  if (issue.code === "unrecognized_keys") {
    const known = issue.path.length === 0 ? ` Known names: ${Object.keys(schema.shape).join(", ")}.` : "";
    const shape = isOwn(issue) ? ` ${field} ${issue.message}.` : "";
    return issue.keys.map(
      (key) => `${field ? `${field}.` : ""}${shortened(key)}: is unknown.${known}${shape}`,
    );
  }
  if (issue.code === "invalid_type") {
    if (issue.path.length > 0 && valueAt(value, issue.path) === undefined) return [`${field}: is required.`];
    if (issue.expected === "object" && !isOwn(issue)) return [`${field || whole}: must be a JSON object.`];
  }
  return [`${field || whole}: ${issue.message.replace(/\.$/, "")}.`];
}

/** The schema has a message of its own, which says more than ours. */
const isOwn = ({ message }: z.core.$ZodIssue): boolean =>
  !/^(?:Invalid input|Unrecognized key)/.test(message);

/** In code notation: `permissions[0].resource`. */
export const pathName = (path: readonly PropertyKey[]): string =>
  path
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`))
    .join("")
    .replace(/^\./, "");

/** A name or a path of the caller for a message: without keys, and as short as is enough to recognize it. */
export function shortened(name: string): string {
  const { shownNameCharactersMax } = requestLimits;
  const shown = withoutKeys(name);
  return shown.length <= shownNameCharactersMax
    ? shown
    : `${shown.slice(0, shownNameCharactersMax).toWellFormed()}…`;
}

export const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (inner, step) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, step) : undefined),
    value,
  );
