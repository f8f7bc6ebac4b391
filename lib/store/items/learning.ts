import * as z from "zod";
import { learningStates } from "../../contract/records.ts";
import { parseItem, tenantKeySchema } from "./parse.ts";

/** The canonical record. Its copies in the export carry the same attributes under another key. */
const learningItem = z.object({
  pk: z.string(),
  sk: z.string(),
  id: z.string(),
  organization: z.string(),
  repository_id: z.string(),
  /** Redacted. */
  text: z.string(),
  /** Of repository and text: what makes two Learnings the same. */
  digest: z.string(),
  /** The text its id was derived from, and as the how-manieth of that text; a change of text leaves both. */
  origin: z.object({ digest: z.string(), generation: z.number() }),
  author_id: z.string(),
  file: z.string().nullable(),
  source_url: z.string().nullable(),
  state: z.enum(learningStates),
  /** Open pull requests (digests of their `pr_url`) that keep it. */
  pull_requests: z.array(z.string()),
  /** When a pending one is approved by itself. */
  approve_at: z.string().nullable(),
  usage_count: z.number(),
  last_used_at: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  /** New with every change but use. */
  revision: z.string(),
  /** Where the copies of an approved one stand. */
  listed: z.object({ tenant: tenantKeySchema, place: z.string() }).nullable(),
  /** A Learning of this id was removed at this place: whenever this one is listed, it is behind that. */
  listed_after: z.string().optional(),
});

/** What is kept of a Learning that was deleted: nothing of its text. */
const learningRemovalItem = z.object({
  pk: z.string(),
  sk: z.string(),
  id: z.string(),
  organization: z.string(),
  repository_id: z.string(),
  author_id: z.string(),
  removed_at: z.string(),
  ttl: z.number(),
});

/** Left where a copy stood that has moved on in the same list: whoever walks the list finds one or the other. */
const movedItem = z.object({
  pk: z.string(),
  sk: z.string(),
  /** Its place now, or then. */
  moved_to: z.string(),
  moved_at: z.string(),
});

/** Who has a text, and which generations of ids derived from it are taken. Absent when there are none. */
const textItem = z.object({
  pk: z.string(),
  sk: z.string(),
  /** Null while the Learnings that were made of it have other texts now. */
  learning_id: z.string().nullable(),
  generations: z.array(z.number()),
  /** The last place at which a Learning that began with this text was removed from the export. */
  removed_place: z.string().optional(),
});

/** What is known of a pull request in which Learnings were captured, or could have been. */
const pullRequestLearningsItem = z.object({
  pk: z.string(),
  sk: z.string(),
  status: z.enum(["open", "merged", "closed"]),
  /** `occurred_at#event id` of the newest end that was told; null while it is open. */
  version: z.string().nullable(),
  /** Learnings it still has to decide about: id to the version of the event that captured it. */
  learnings: z.record(z.string(), z.string()),
});

const pendingItem = z.object({
  pk: z.string(),
  sk: z.string(),
  organization: z.string(),
  id: z.string(),
});

export type LearningItem = z.output<typeof learningItem>;
export type PullRequestLearningsItem = z.output<typeof pullRequestLearningsItem>;
export type MovedItem = z.output<typeof movedItem>;
export const parseMoved = parseItem("Learning that moved", movedItem);
export type LearningRemoval = z.output<typeof learningRemovalItem>;
export const parseLearningRemoval = parseItem("removal of a Learning", learningRemovalItem);
export const parseLearning = parseItem("Learning", learningItem);
export const parseText = parseItem("owner of a text", textItem);
export const parsePullRequestLearnings = parseItem("pull request's Learnings", pullRequestLearningsItem);
export const parsePending = parseItem("pending Learning", pendingItem);
