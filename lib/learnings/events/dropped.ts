import { learningLimits } from "../../contract/limits.ts";
import type { DroppedLearning, LearningItem } from "../../store/items/learning.ts";
import { ttlAfter } from "../../store/ttl.ts";
import type { LearningContent } from "../content.ts";
import { newLearning, type WriteContext } from "../record.ts";
import { freeGeneration, type TextOwner } from "../text-owner.ts";

/** What the event that captured a text first tells about it; a later capture does not change these fields. */
export type FirstCapture = Pick<
  LearningItem,
  "author_id" | "file" | "source_url" | "created_at" | "captured_as"
>;

/** The fields of the earlier of the two, if events may still change those that are stored. */
export const earlierOf = (
  stored: FirstCapture | undefined,
  capture: FirstCapture,
): FirstCapture | undefined =>
  !stored || (stored.captured_as ?? "") > (capture.captured_as ?? "") ? capture : undefined;

const firstCaptureOf = ({
  author_id,
  file,
  source_url,
  created_at,
  captured_as,
}: FirstCapture): FirstCapture => ({ author_id, file, source_url, created_at, captured_as });

export const droppedLearning = (
  first: FirstCapture,
  { repository_id, text }: Pick<LearningItem, "repository_id" | "text">,
  pullRequests: readonly string[],
  nowMs: number,
): DroppedLearning => ({
  ...firstCaptureOf(first),
  repository_id,
  text,
  pull_requests: [...new Set(pullRequests)].slice(-learningLimits.pullRequestsMax),
  forgotten_at: ttlAfter(nowMs, learningLimits.finalizedDays),
});

/** A dropped Learning is a new one again: it gets the same id if no other Learning has it. */
export const revivedLearning = (
  at: WriteContext,
  organization: string,
  { repository_id, text, ...first }: DroppedLearning,
  { digest, owner }: { readonly digest: string; readonly owner: TextOwner },
): LearningItem => {
  const content: LearningContent = {
    repositoryId: repository_id,
    text,
    digest,
    file: first.file,
    sourceUrl: first.source_url,
    redacted: [],
  };
  return newLearning(at, organization, content, {
    generation: freeGeneration(owner),
    removedPlace: owner.removedPlace,
    state: "approved",
    pull_requests: [],
    approve_at: null,
    author_id: first.author_id,
    created_at: first.created_at,
    captured_as: first.captured_as,
  });
};
