import * as z from "zod";
import { learningStates } from "../../contract/access.ts";
import { itemSchema, parseItem, tenantKeySchema } from "./parse.ts";

/** The canonical record. Its copies in the export carry the same attributes under another key. */
const learningItem = itemSchema({
  id: z.string(),
  organization: z.string(),
  repository_id: z.string(),
  /** After redaction. */
  text: z.string(),
  /** Digest of repository and text: two Learnings with the same digest are the same. */
  digest: z.string(),
  /** Of the text that the id was derived from, and the generation among its ids. A change of the text keeps both. */
  origin: z.object({ digest: z.string(), generation: z.number() }),
  author_id: z.string(),
  file: z.string().nullable(),
  source_url: z.string().nullable(),
  state: z.enum(learningStates),
  /** Open pull requests (digests of their `pr_url`) that keep this Learning. */
  pull_requests: z.array(z.string()),
  /** Pull requests that captured it and closed: one that is reopened and merges shares the Learning. */
  closed_pull_requests: z.array(z.string()).optional(),
  /** When a pending Learning is approved automatically. */
  approve_at: z.string().nullable(),
  /** `occurred_at#event id` of the earliest chat that captured it: `approve_at` counts from there. */
  waits_since: z.string().optional(),
  /**
   * `occurred_at#event id` of the earliest event that captured it, which its author, `file` and source come from.
   * Absent if the API wrote these fields: then events do not change them.
   */
  captured_as: z.string().optional(),
  usage_count: z.number(),
  last_used_at: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  /** Changes with every change except use. */
  revision: z.string(),
  /** Where the copies of an approved Learning are stored. */
  listed: z.object({ tenant: tenantKeySchema, place: z.string() }).nullable(),
  /** A Learning with this id was removed at this place: this Learning is always listed after it. */
  listed_after: z.string().optional(),
});

/** What is kept of a deleted Learning: nothing of its text. */
const learningRemovalItem = itemSchema({
  id: z.string(),
  organization: z.string(),
  repository_id: z.string(),
  author_id: z.string(),
  removed_at: z.string(),
  ttl: z.number(),
});

/** Replaces a copy that moved to a later place in the same list: a walk finds either the copy or this item. */
const movedItem = itemSchema({
  /** The place it moved to; it may have moved again since. */
  moved_to: z.string(),
  moved_at: z.string(),
});

/** A private Learning whose pull requests all closed. No caller can see it; a merge brings it back. */
const droppedLearning = z.object({
  repository_id: z.string(),
  text: z.string(),
  author_id: z.string(),
  file: z.string().nullable(),
  source_url: z.string().nullable(),
  created_at: z.string(),
  captured_as: z.string().optional(),
  /** Digests of the `pr_url` of the pull requests that captured it. */
  pull_requests: z.array(z.string()),
  /** In seconds, like a `ttl`. */
  forgotten_at: z.number(),
});

/** The Learning that has a text, and the used generations of ids derived from the text. Absent if there are none. */
const textItem = itemSchema({
  /** Null while all Learnings that were created with this text have other texts. */
  learning_id: z.string().nullable(),
  generations: z.array(z.number()),
  /** The last place at which a Learning that was created with this text was removed from the export. */
  removed_place: z.string().optional(),
  dropped: droppedLearning.optional(),
  /** Changes with every change of `dropped`. */
  dropped_revision: z.string().optional(),
});

/** What is known about a pull request in which Learnings were captured, or could have been. */
const pullRequestLearningsItem = itemSchema({
  /** A merge is final: no other event changes it. */
  status: z.enum(["open", "merged", "closed"]),
  /** `occurred_at#event id` of the newest event that closed it, or of a merge; null while it is open. */
  version: z.string().nullable(),
  /** Learnings that its end still decides about: id to the version of the newest event that captured the Learning. */
  learnings: z.record(z.string(), z.string()),
  /** The Learnings among them that its end dropped: id to the digest of the text. */
  dropped: z.record(z.string(), z.string()).default({}),
});

const pendingItem = itemSchema({
  organization: z.string(),
  id: z.string(),
});

export type LearningItem = z.output<typeof learningItem>;
export type DroppedLearning = z.output<typeof droppedLearning>;
export type PullRequestLearningsItem = z.output<typeof pullRequestLearningsItem>;
export const parseMoved = parseItem("Learning that moved", movedItem);
export type LearningRemoval = z.output<typeof learningRemovalItem>;
export const parseLearningRemoval = parseItem("removal of a Learning", learningRemovalItem);
export const parseLearning = parseItem("Learning", learningItem);
export const parseText = parseItem("owner of a text", textItem);
export const parsePullRequestLearnings = parseItem("pull request's Learnings", pullRequestLearningsItem);
export const parsePending = parseItem("pending Learning", pendingItem);
