import * as z from "zod";
import { isSystemRole, systemRoles } from "./access.ts";
import { msPerDay } from "./days.ts";
import { cursorLimits, keyLimits, peopleLimits, requestLimits } from "./limits.ts";

/**
 * Building blocks of requests. Query values arrive as text, each at most once (the chain enforces that), so every
 * parser here starts with a string. A message says what is allowed; the chain adds the field's name at the start.
 */

/** NUL and lone surrogates cannot be stored or sent unchanged, so no text may hold them. */
export const wellFormed = (text: string): boolean => text.isWellFormed() && !text.includes("\u0000");

export const codePoints = (text: string): number => {
  let count = 0;
  for (const _ of text) count++;
  return count;
};

/** Sort keys and cursors count bytes, so ids do too. */
export const utf8Bytes = (text: string): number => new TextEncoder().encode(text).length;

export const badText = "must not contain NUL or unpaired surrogate characters";

/** Text is trimmed before its length counts. */
export const notBlank = "\\S";

/** Text of `min` to `max` characters after trimming, and after `normalize` if it is given. */
export const text = (min: number, max: number, normalize = (value: string): string => value) =>
  z
    .string({ error: "must be a string" })
    .refine(wellFormed, { error: badText, abort: true })
    .transform((value) => normalize(value.trim()))
    .refine((value) => codePoints(value) >= min && codePoints(value) <= max, {
      error: `must have ${min} to ${max} characters`,
    })
    .meta({ type: "string", minLength: min, maxLength: max, ...(min > 0 && { pattern: notBlank }) });

/** With control characters and invisible formatting, two different texts look the same, and a text can move a cursor. */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** A text that people recognize something by: a name, an address. */
export const visibleText = (...limits: Parameters<typeof text>) =>
  text(...limits)
    .refine((value) => !invisible.test(value), {
      error: "must not contain control characters or invisible formatting characters",
    })
    .meta({
      type: "string",
      minLength: limits[0],
      maxLength: limits[1],
      ...(limits[0] > 0 && { pattern: notBlank }),
      limits: "No control characters and no invisible formatting characters.",
    });

export const identifierUpTo = (bytesMax: number, limits = `At most ${bytesMax} bytes of UTF-8.`) =>
  z
    .string({ error: "must be a string" })
    .refine(wellFormed, { error: badText })
    .min(1, { error: "must not be empty" })
    .refine((value) => utf8Bytes(value) <= bytesMax, { error: `must have at most ${bytesMax} bytes` })
    .meta({ maxLength: bytesMax, limits });

export const identifier = identifierUpTo(requestLimits.idBytesMax);

/** RFC 5321 counts octets. */
export const emailAddress = z
  .string({ error: "must be a string" })
  .refine(wellFormed, { error: badText, abort: true })
  .transform((value) => value.trim())
  .refine((value) => value !== "" && utf8Bytes(value) <= peopleLimits.emailBytesMax, {
    error: `must have 1 to ${peopleLimits.emailBytesMax} bytes`,
  })
  .meta({
    type: "string",
    minLength: 1,
    maxLength: peopleLimits.emailBytesMax,
    pattern: notBlank,
    limits: `At most ${peopleLimits.emailBytesMax} bytes of UTF-8.`,
  });

/** Plain decimal digits without leading zeros: `1e2`, `0x10`, `+5`, `1.5` and `010` are refused. */
const integerParameter = (min: number, max: number) =>
  z
    .string()
    .regex(/^(?:0|[1-9][0-9]*)$/, { error: `must be a whole number from ${min} to ${max}`, abort: true })
    .transform(Number)
    .refine((value) => value >= min && value <= max, {
      error: `must be a whole number from ${min} to ${max}`,
    })
    .meta({ override: { type: "integer", minimum: min, maximum: max } });

/** The same in a body. */
export const wholeNumber = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
};

/** Comma-separated; every value counts against the limit, and repeated values filter once. */
export const listParameter = (valuesMax: number) =>
  z
    .string()
    .refine(wellFormed, { error: badText, abort: true })
    .transform((value) => value.split(",").map((element) => element.trim()))
    .refine((values) => values.every((value) => value !== ""), {
      error: "must be comma-separated values; no value may be empty",
      abort: true,
    })
    .refine((values) => values.length <= valuesMax, {
      error: `must have at most ${valuesMax} values`,
      abort: true,
    })
    .transform((values) => [...new Set(values)])
    .meta({ override: listShown(valuesMax) });

/** The same, but only with values of a closed list, in the order of that list. */
export const choicesParameter = <const Choices extends readonly [string, ...string[]]>(
  choices: Choices,
  valuesMax: number,
) =>
  listParameter(valuesMax)
    .refine((values) => values.every((value) => choices.includes(value)), {
      error: `must be comma-separated values of: ${choices.join(", ")}`,
    })
    .transform((values): Choices[number][] => choices.filter((choice) => values.includes(choice)))
    .meta({
      override: listShown(
        valuesMax,
        `values of: ${choices.join(", ")}`,
        `(${choices.map((each) => each.replaceAll(".", "[.]")).join("|")})\\s*`,
      ),
    });

/** How the documentation shows a list: in the schema it is one string. */
const listShown = (valuesMax: number, values = "values", value = "[^,\\s][^,]*") => ({
  type: "string",
  pattern: `^\\s*${value}(,\\s*${value}){0,${valuesMax - 1}}$`,
  limits: `Comma-separated ${values}, at most ${valuesMax}. Spaces around a value are ignored.`,
});

export const choice = <const Choices extends readonly [string, ...string[]]>(choices: Choices) =>
  z.enum(choices, { error: `must be one of: ${choices.join(", ")}` });

/** A flag that is off by default. */
export const flagParameter = choice(["true", "false"]).transform((value) => value === "true");

/** The same, but `false` must equal an absent parameter: cursors are bound to what was sent. */
export const optInParameter = choice(["true", "false"]).transform((value) =>
  value === "true" ? true : undefined,
);

const cursorParameter = z
  .string()
  .min(1)
  .max(cursorLimits.charactersMax, { error: `must have at most ${cursorLimits.charactersMax} characters` });

export const pageParameters = ({ min, max }: { readonly min: number; readonly max: number }) => ({
  limit: integerParameter(min, max)
    .optional()
    .describe("The maximum number of records of a page. A page can have fewer and still not be the last."),
  // What its operation adds to it: lib/openapi/parameters.ts.
  cursor: cursorParameter.optional().describe("`next_cursor` of the previous page, with the same filters."),
});

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** UUIDs in any letter case; converted to lower case. */
export const uuidParameter = (hint: string) =>
  z
    .string({ error: hint })
    .regex(uuidForm, { error: hint })
    .transform((value) => value.toLowerCase())
    .meta({ override: { type: "string", format: "uuid" } });

/** The same value makes a repeated request return what the first one made. */
export const idempotencyKey = uuidParameter("must be a UUID").optional();

/** A JSON schema has no pattern that ignores case. */
const anyCase = (name: string) => name.replaceAll(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
const roleIdForm = `^(${Object.keys(systemRoles).map(anyCase).join("|")}|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$`;

/** A custom role's UUID, or a system role's name, in any letter case. */
export const roleIdParameter = z
  .string({ error: "must be a string" })
  .transform((value) => (isSystemRole(value) ? value : value.toLowerCase()))
  .refine((value) => isSystemRole(value) || uuidForm.test(value), {
    error: `must be a role's UUID or one of: ${Object.keys(systemRoles).join(", ")}`,
  })
  .meta({ type: "string", pattern: roleIdForm });

/** Of a request and of the operator. */
export const keyName = visibleText(1, keyLimits.nameCharactersMax);

export const keyIdForm = /^k[a-z2-7]{16}$/;

/** As `GET /v1/keys` and `GET /v1/whoami` show it. */
export const keyIdParameter = z
  .string()
  .regex(keyIdForm, { error: "must be the id of a key, as GET /v1/keys shows it" });

/** Accepted by every operation; its effect, and so its description, depends on the kind of key ("Scopes" in docs/use/keys.md). */
export const organizationSelector = { org_id: identifierUpTo(requestLimits.orgIdBytesMax).optional() };

/** What several operations say of a parameter. */
export const repositoryIdsWords = "Only these repositories, by the Git provider's ids.";
export const formatWords =
  "The format of the response. CSV and NDJSON carry the cursor in the header `x-next-cursor`.";
export const repositoryNameWords =
  "User keys only: the full name of one repository that the member can read, in any letter case.";

export const organizationIdsWords =
  "Instance keys only: only these organizations, by the Git provider's ids. Only organizations that the key is authorized for.";

/** Instance keys only: limits the reading operations to some of the instance's organizations. */
export const organizationsFilter = {
  organization_ids: listParameter(requestLimits.listValuesMax).optional().describe(organizationIdsWords),
};

const dayForm = /^(\d{4})-(\d{2})-(\d{2})$/;
const instantForm =
  /^(\d{4}-\d{2}-\d{2})T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** A real calendar day: February 30th is not one, and days of the year 9999 are. */
export function isCalendarDay(day: string): boolean {
  const [, year, month, dayOfMonth] = dayForm.exec(day) ?? [];
  if (!year || !month || !dayOfMonth || year === "0000") return false;
  const parsed = new Date(`${day}T00:00:00.000Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(day);
}

/** A day, which means its first or last millisecond, or a date-time with an offset. Converted to milliseconds. */
export const instantParameter = (edge: "start" | "end") =>
  z
    .string()
    .transform((value) => instantMs(value, edge))
    .refine((ms) => !Number.isNaN(ms), {
      error: "must be a calendar day (YYYY-MM-DD) or a date-time with an offset (2026-01-31T12:00:00Z)",
    })
    .meta({ override: { type: "string", anyOf: [{ format: "date" }, { format: "date-time" }] } });

function instantMs(value: string, edge: "start" | "end"): number {
  if (isCalendarDay(value)) return Date.parse(`${value}T00:00:00.000Z`) + (edge === "end" ? msPerDay - 1 : 0);
  const [, day] = instantForm.exec(value) ?? [];
  return day && isCalendarDay(day) ? Date.parse(value) : Number.NaN;
}
