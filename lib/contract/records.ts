import * as z from "zod";
import { providers } from "./access.ts";

/** Parts of responses that several operations share. */

/**
 * The meaning of fields in bodies and responses: their unit, their default, what null means. The keys are `name`,
 * `parent.name`, or `operationId: name`. Only the OpenAPI document reads them, so bundles do not contain them.
 */
export type FieldWords = Readonly<Record<string, string>>;

export const timestamp = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
  .meta({ format: "date-time" });
export const uuid = z.uuid();
export const nextCursor = z.string().nullable();

export const sharedWords: FieldWords = {
  data: "The records of this page, in the order of the list. It can be empty and still not be the last page.",
  next_cursor: "Send it as `cursor` to get the next page; null: this is the last page.",
  removed: "With `include_removed=true`: what a copy must drop.",
  "removed.removed_at": "When it was removed, UTC.",
  organization_id: "The Git provider's id of the organization.",
  organization_name: "The organization's current name.",
  repository_id: "The Git provider's id of the repository, unique within the organization.",
  repository_name: "The repository's current name; its id where the name is unknown.",
  repository_short_name: "The repository's current name without its owner.",
  provider: "The kind of Git provider.",
  author_username: "The author's login; null where it is not known.",
  created_at: "When it was created, UTC.",
  code: "The reason, for programs. Treat an unknown code by its HTTP status.",
  message: "The reason, for people: what is wrong and what to do.",
  status: "`success`: all done. `partial_success`: some failed. `failure`: all failed.",
  org_id: "The Git provider's id of the organization.",
  user_id: "The Git provider's id of the user, unique within the organization.",
};

/** In `removed`: an organization that left the scope, together with everything that was read of it. */
export const removedOrganization = z.strictObject({
  provider: z.enum(providers),
  organization_id: z.string(),
  removed_at: timestamp,
});
export type RemovedOrganization = z.output<typeof removedOrganization>;

export const pageAnswer = <Records extends z.core.$ZodShape>(description: string, records: Records) =>
  ({ status: 200, description, schema: z.strictObject({ ...records, next_cursor: nextCursor }) }) as const;

/** A page that names what is gone, if that was requested. */
export const pageOf = <Record extends z.ZodType, Removed extends z.ZodType>(
  record: Record,
  removed: Removed,
) =>
  z.strictObject({
    data: z.array(record),
    removed: z.array(z.union([removed, removedOrganization])).optional(),
    next_cursor: nextCursor,
  });
