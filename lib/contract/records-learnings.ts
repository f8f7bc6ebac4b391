import * as z from "zod";
import { learningStates, providers } from "./access.ts";
import { type FieldWords, timestamp, uuid } from "./records.ts";

export const learningRecord = z.strictObject({
  id: uuid,
  learning: z.string(),
  organization_id: z.string(),
  organization_name: z.string(),
  repository_id: z.string(),
  repository_name: z.string(),
  author_id: z.string(),
  author_username: z.string().nullable(),
  file: z.string().nullable(),
  source_url: z.string().nullable(),
  usage_count: z.int().min(0),
  last_used_at: timestamp.nullable(),
  created_at: timestamp,
  updated_at: timestamp,
  provider: z.enum(providers),
  repository_short_name: z.string(),
});

export const learningDetail = learningRecord.extend({ state: z.enum(learningStates) });
/** In the list of pending Learnings: when the Learning is approved automatically. */
export const listedLearning = learningRecord.extend({ approve_at: timestamp.optional() });
/** In `removed` of the export. */
export const removedLearning = z.strictObject({
  id: uuid,
  provider: z.enum(providers),
  organization_id: z.string(),
  repository_id: z.string(),
  removed_at: timestamp,
});
export type RemovedLearning = z.output<typeof removedLearning>;

export const learningWords: FieldWords = {
  data: "The Learnings of this page, in write order. It can be empty and still not be the last page.",
  id: "The Learning's id: derived from the organization, the repository and the redacted text.",
  learning: "The text: 1 to 10,000 characters after trimming, with recognized credentials removed.",
  repository_name: "The repository's current full name; its id where the name is unknown.",
  author_id: "The Git provider's user id of the author, or of the owner of the key that created it.",
  file: "The path of the file it is about; null, or left out, for none.",
  source_url: "Its source, an http or https URL; null, or left out, for none.",
  usage_count: "How often reviews have used it.",
  last_used_at: "When a review last used it, UTC; null for never.",
  updated_at: "When it was last changed, UTC.",
  state: "`approved` (in use), `pending`, `private` or `disapproved`.",
  approve_at: "When it is approved automatically, UTC.",
};
