import * as z from "zod";
import { learningStates } from "./access.ts";
import {
  authorUsername,
  createdAt,
  organizationId,
  organizationName,
  provider,
  removedAt,
  repositoryId,
  repositoryShortName,
  timestamp,
  uuid,
} from "./records.ts";

const id = uuid.describe(
  "The Learning's id: derived from the organization, the repository and the redacted text.",
);

export const learningTextWords =
  "The text: 1 to 10,000 characters after trimming, with recognized credentials removed.";

export const learningRecord = z.strictObject({
  id,
  learning: z.string().describe(learningTextWords),
  organization_id: organizationId,
  organization_name: organizationName,
  repository_id: repositoryId,
  repository_name: z
    .string()
    .describe("The repository's current full name; its id where the name is unknown."),
  author_id: z
    .string()
    .describe("The Git provider's user id of the author, or of the owner of the key that created it."),
  author_username: authorUsername,
  file: z.string().nullable().describe("The path of the file it is about; null, or left out, for none."),
  source_url: z
    .string()
    .nullable()
    .describe("Its source, an http or https URL; null, or left out, for none."),
  usage_count: z.int().min(0).describe("How often reviews have used it."),
  last_used_at: timestamp.nullable().describe("When a review last used it, UTC; null for never."),
  created_at: createdAt,
  updated_at: timestamp.describe("When it was last changed, UTC."),
  provider,
  repository_short_name: repositoryShortName,
});

export const learningDetail = learningRecord.extend({
  state: z.enum(learningStates).describe("`approved` (in use), `pending`, `private` or `disapproved`."),
});
/** `approve_at` is only in the list of pending Learnings. */
export const listedLearning = learningRecord.extend({
  approve_at: timestamp.optional().describe("When it is approved automatically, UTC."),
});
/** In `removed` of the export. */
export const removedLearning = z.strictObject({
  id,
  provider,
  organization_id: organizationId,
  repository_id: repositoryId,
  removed_at: removedAt,
});
export type RemovedLearning = z.output<typeof removedLearning>;
