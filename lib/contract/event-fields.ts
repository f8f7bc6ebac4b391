import * as z from "zod";
import { providers } from "./access.ts";
import { requestLimits } from "./limits.ts";
import { badText, identifier, wellFormed } from "./parameters.ts";

/** Parts of the schemas of events, and of the texts beside the schemas. */

/** A field that may be null may also be omitted. */
export const orNull = <Output>(schema: z.ZodType<Output>) =>
  schema.nullish().transform((value): Output | null => value ?? null);

export const line = (charactersMax: number, charactersMin = 1) =>
  z.string().min(charactersMin).max(charactersMax).refine(wellFormed, { error: badText });

/**
 * The meaning of an event and its fields, for docs/use/events.md and the JSON Schema files. A test compares them with the
 * schema: every field has a text, and every text belongs to a field. No worker calls these functions, so bundles do not
 * contain them.
 */
export type EventWords = {
  readonly meaning: string;
  /** By path: `comments[].url`. */
  readonly fields: Readonly<Record<string, string>>;
};

/** Every event about something inside an organization names the organization with these. */
export const organizationName = {
  provider: z.enum(providers),
  instance_id: orNull(identifier),
  provider_organization_id: identifier,
};
export const organizationNameWords = {
  provider: "The kind of Git provider.",
  instance_id: "Id of the self-hosted instance; null for an organization in the provider's cloud.",
  provider_organization_id: "The Git provider's id of the organization.",
};
export const publicUrl =
  "User, password and parameters that hold credentials are removed before it is stored anywhere.";

/**
 * A list in an event. A list with many invalid elements is cut behind the first few: listing the problems of a hundred
 * thousand elements would take seconds and all memory of the worker.
 */
export const eventList = <Element extends z.ZodType, List extends z.ZodType = z.ZodArray<Element>>(
  element: Element,
  refined: (list: z.ZodArray<Element>) => List,
) => z.preprocess((value) => cutBehindProblems(element, value), refined(z.array(element)));

function cutBehindProblems(element: z.ZodType, value: unknown): unknown {
  const { problemsMax } = requestLimits;
  if (!Array.isArray(value) || value.length <= problemsMax) return value;
  let problems = 0;
  const end = value.findIndex((each) => {
    problems += element.safeParse(each).error?.issues.length ?? 0;
    return problems > problemsMax;
  });
  return end === -1 ? value : value.slice(0, end + 1);
}
