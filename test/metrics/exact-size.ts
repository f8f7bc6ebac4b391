import { pullRequestFinalized } from "../../lib/metrics/finalized.ts";
import { draftReviewComments } from "../../lib/metrics/review-comments.ts";
import { type CommentData, finalized, urlOf } from "../support/event-data.ts";
import { github } from "../support/world.ts";

/** The JSON that surrounds the records of a page of review comments. */
export const frameBytes = '{"data":[],"next_cursor":null}'.length;

export const recordBytes = (
  organizationId: string,
  number: number,
  given: readonly CommentData[],
): number => {
  const parsed = pullRequestFinalized.parse(finalized(github(organizationId), number, { comments: given }));
  const draft = draftReviewComments({
    prUrl: urlOf(number),
    organizationId,
    repositoryId: "9001",
    authorId: "4411",
    mergedAtMs: parsed.merged_at ?? 0,
    comments: parsed.comments,
  });
  return draft.renderedBytes - 1;
};

/** Comments whose record has exactly this many bytes. Their long URLs are equal, so they take little storage. */
export function commentsOfBytes(organizationId: string, number: number, bytes: number): CommentData[] {
  const url = `${urlOf(number)}#`.padEnd(2_000, "x");
  const [one, two] = [1, 2].map((count) => recordBytes(organizationId, number, Array(count).fill({ url })));
  const each = (two ?? 0) - (one ?? 0);
  const whole = Math.floor((bytes - (one ?? 0)) / each);
  // One extra comment; two shorter comments compensate for its bytes.
  const surplus = (one ?? 0) + (whole + 1) * each - bytes;
  const shorter = (by: number) => ({ url: url.slice(0, url.length - by) });
  return [...Array(whole).fill({ url }), shorter(Math.floor(surplus / 2)), shorter(Math.ceil(surplus / 2))];
}
