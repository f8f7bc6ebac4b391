import * as z from "zod";
import { providers } from "./access.ts";

/** Parts of responses that several operations share. */

/**
 * Every field of a body, a query or a response says with `describe` what it means: its unit, its default, what null means.
 * Only the OpenAPI document reads that: infra/bundle-plugins.ts cuts it out of the functions.
 */

export const timestamp = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
  .meta({ format: "date-time" });
export const uuid = z.uuid();
export const nextCursor = z
  .string()
  .nullable()
  .describe("Send it as `cursor` to get the next page; null: this is the last page.");

/** Fields that mean the same in several records. */
export const provider = z.enum(providers).describe("The kind of Git provider.");
export const organizationId = z.string().describe("The Git provider's id of the organization.");
export const organizationName = z.string().describe("The organization's current name.");
export const repositoryIdWords = "The Git provider's id of the repository, unique within the organization.";
export const repositoryId = z.string().describe(repositoryIdWords);
export const repositoryName = z
  .string()
  .describe("The repository's current name; its id where the name is unknown.");
export const repositoryShortName = z.string().describe("The repository's current name without its owner.");
export const authorUsername = z
  .string()
  .nullable()
  .describe("The author's login; null where it is not known.");
export const userId = z
  .string()
  .describe("The Git provider's id of the user, unique within the organization.");
export const createdAt = timestamp.describe("When it was created, UTC.");
export const removedAt = timestamp.describe("When it was removed, UTC.");
export const batchStatus = z
  .enum(["success", "partial_success", "failure"])
  .describe("`success`: all done. `partial_success`: some failed. `failure`: all failed.");

export const pageWords =
  "The records of this page, in the order of the list. It can be empty and still not be the last page.";

/** What the names of a record mean: the description of the schema of the names, with a name for `{name}`. */
export const wordsOfName = (words: string, name: string): string =>
  words.replace("{name}", name.replaceAll("_", " "));

/** Why an element of a request failed. */
export const failureOf = <Code extends z.ZodType>(code: Code) => ({
  code: code.describe("The reason, for programs. Treat an unknown code by its HTTP status."),
  message: z.string().describe("The reason, for people: what is wrong and what to do."),
});

/** In `removed`: an organization that left the scope, together with everything that was read of it. */
export const removedOrganization = z.strictObject({
  provider,
  organization_id: organizationId,
  removed_at: removedAt,
});
export type RemovedOrganization = z.output<typeof removedOrganization>;

export const pageAnswer = <Records extends z.core.$ZodShape>(description: string, records: Records) =>
  ({ status: 200, description, schema: z.strictObject({ ...records, next_cursor: nextCursor }) }) as const;

/** A page that names what is gone, if that was requested. */
export const pageOf = <Records extends z.ZodType, Removed extends z.ZodType>(
  data: Records,
  removed: Removed,
) =>
  z.strictObject({
    data,
    removed: z
      .array(z.union([removed, removedOrganization]))
      .optional()
      .describe("With `include_removed=true`: what a copy must drop."),
    next_cursor: nextCursor,
  });
