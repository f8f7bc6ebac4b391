import * as z from "zod";
import { categories, severities } from "../contract/metrics-words.ts";
import { isCalendarDay } from "../contract/parameters.ts";
import { figureColumns } from "./columns.ts";
import { listNames } from "./lists.ts";
import { lastDays, type Period } from "./period.ts";
import { dimensions } from "./report.ts";

/** What somebody may ask of a report in a single call: the filters of the API, and names as a person writes them. */

const rowsDefault = 20;
const oneOf = <const Value extends string>(values: readonly Value[], description: string) =>
  z.enum(values, { error: `must be one of: ${values.join(", ")}` }).describe(description);
const day = (description: string) =>
  z
    .string()
    .refine(isCalendarDay, { error: "must be a calendar day as YYYY-MM-DD" })
    .describe(description)
    .optional();
const idError = { error: "must be a text without commas" };
const idsError = { error: "must be a list of 1 to 10 ids" };
const ids = (description: string) =>
  z
    .array(z.string(idError).regex(/^[^,]+$/, idError), idsError)
    .min(1, idsError)
    .max(10, idsError)
    .describe(description)
    .optional();
const textError = { error: "must be a text that is not empty" };
const named = (description: string) =>
  z.string(textError).trim().min(1, textError).describe(description).optional();
const whole = (max: number, usual: number, description: string) => {
  const error = { error: `must be a whole number from 1 to ${max}` };
  return z.int(error).min(1, error).max(max, error).default(usual).describe(description);
};
const page = {
  limit: whole(100, rowsDefault, ""),
  cursor: z
    .string()
    .regex(/^\d{1,6}$/, { error: "must be the next_cursor of the previous response" })
    .optional(),
};
const filters = {
  start_date: day("First day, UTC; default: the last 7 days."),
  end_date: day("Last day, UTC, included."),
  repository: named("By name or id."),
  author: named("By user name or id."),
  team: named("Only its members, by name or id."),
  severity: oneOf(severities, "Counts only such findings and pull requests that have one.").optional(),
  category: oneOf(categories, "As severity.").optional(),
  without_bots: z.boolean({ error: "must be true or false" }).default(false).describe(""),
  repository_ids: ids(""),
  org_id: named(""),
  organization_ids: ids(""),
  ...page,
};
export const reportArguments = z.strictObject({
  by: oneOf(dimensions, "The rows.").default("repository"),
  sort: oneOf(
    figureColumns.map(({ name }) => name),
    "Default: findings if severity or category is given, else pull_requests; weeks and months by time.",
  ).optional(),
  order: oneOf(["desc", "asc"], "").optional(),
  ...filters,
});
export const listArguments = z.strictObject({ find: oneOf(listNames, ""), ...filters });
export const idleArguments = z.strictObject({ days: whole(366, 30, ""), ...page });
export type Question = Omit<z.output<typeof listArguments>, "find">;

/** The days that were asked for; the last 7 without any. */
export function periodOf(
  { start_date, end_date, cursor }: Pick<Question, "start_date" | "end_date" | "cursor">,
  nowMs: number,
  refuse: (message: string) => Error,
): Period {
  if (cursor !== undefined && start_date === undefined)
    throw refuse("cursor: send start_date and end_date with it, as in the period of the previous response.");
  if (start_date === undefined && end_date === undefined) return lastDays(7, nowMs);
  if (start_date === undefined || end_date === undefined)
    throw refuse("start_date and end_date: send both or neither.");
  if (end_date < start_date) throw refuse("end_date: must not be before start_date.");
  const today = lastDays(1, nowMs).end_date;
  if (start_date > today) throw refuse(`start_date: must not be after today, ${today} (UTC).`);
  return { start_date, end_date };
}

/** The figure that orders the rows, and how; without a figure, weeks and months are in the order of time. */
export function orderOf(
  { by, sort, order, severity, category }: z.output<typeof reportArguments>,
  refuse: (message: string) => Error,
) {
  if (by === "author" && (sort ?? order) !== undefined)
    throw refuse("sort, order: rows by author stay in alphabetical order: a report does not rank people.");
  const isInTime = by === "week" || by === "month";
  const usual = severity === undefined && category === undefined ? "pull_requests" : "findings";
  const sorted_by = sort ?? (isInTime || by === "author" ? undefined : usual);
  return { sorted_by: sorted_by ?? null, order: order ?? (sorted_by === undefined ? null : "desc") };
}
