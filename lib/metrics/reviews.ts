import type { Provider } from "../contract/access.ts";
import {
  type AuthorType,
  authorTypes,
  categories,
  type PullRequestStatus,
  severities,
} from "../contract/records-metrics.ts";
import { ByteWriter } from "../runtime/byte-writer.ts";
import type { EntryDraft, StreamEntry } from "../stream/stream.ts";
import type { ReviewFinding } from "./finding.ts";
import { entryDraftOf, prUrlAtStart } from "./payload.ts";
import { writeReview } from "./review-formats.ts";

/**
 * The payload is `m` or `c` for the status, then a JSON list: the URL, the author's name, four times as milliseconds
 * before the merge (or the closing), three estimates, and posted and accepted for the total, the severities and the
 * categories. Then come the time of closing of a merged pull request, in milliseconds before the merge, and the place of
 * the author's type in its list; what is unknown at the end is left out.
 */
export type ReviewedPullRequest = {
  readonly prUrl: string;
  readonly organizationId: string;
  readonly provider: Provider;
  readonly repositoryId: string;
  readonly authorId: string | null;
  readonly authorUsername: string | null;
  readonly authorType: AuthorType | null;
  readonly status: PullRequestStatus;
  /** When it was merged or closed. */
  readonly atMs: number;
  readonly createdAtMs: number;
  readonly readyForReviewAtMs: number | null;
  readonly firstHumanReviewAtMs: number | null;
  readonly lastCommitAtMs: number | null;
  readonly closedAtMs: number | null;
  readonly reviewIterations: number;
  readonly estimatedComplexity: number | null;
  readonly estimatedReviewMinutes: number | null;
  readonly comments: readonly ReviewFinding[];
};

const letters = { merged: "m", closed: "c" } as const satisfies Record<PullRequestStatus, string>;

export function draftReview(pullRequest: ReviewedPullRequest): EntryDraft {
  const { atMs, repositoryId, authorId, organizationId, provider, status, closedAtMs } = pullRequest;
  const beforeEnd = (ms: number | null) => (ms === null ? null : atMs - ms);
  const fields = [
    pullRequest.prUrl,
    pullRequest.authorUsername,
    atMs - pullRequest.createdAtMs,
    beforeEnd(pullRequest.readyForReviewAtMs),
    beforeEnd(pullRequest.firstHumanReviewAtMs),
    beforeEnd(pullRequest.lastCommitAtMs),
    pullRequest.reviewIterations,
    pullRequest.estimatedComplexity,
    pullRequest.estimatedReviewMinutes,
    ...countsOf(pullRequest.comments),
    ...lastFields(
      // `atMs` of a closed pull request is already its time of closing.
      status === "merged" ? beforeEnd(closedAtMs) : null,
      pullRequest.authorType,
    ),
  ];
  const placed = { atMs, repositoryId, authorId };
  const text = letters[status] + JSON.stringify(fields);
  // The names are missing, so the size is a lower bound; these entries are never large enough for parts.
  const unknown = { organizationName: "", repositoryName: "", repositoryFullName: "" };
  const names = { organizationId, provider, ...unknown };
  const record = new ByteWriter();
  writeReview(record, { entry: { ...placed, number: 0, payload: text }, names });
  return { ...entryDraftOf(placed, text, record.length), status: letters[status] };
}

const lastFields = (closed: number | null, type: AuthorType | null): Array<number | null> => {
  if (type !== null) return [closed, authorTypes.indexOf(type)];
  return closed === null ? [] : [closed];
};

export const letterOfStatus = (status: PullRequestStatus): string => letters[status];

/** Reads the first letter only, so that a filter need not decode the payload. */
export const hasStatus = ({ payload }: StreamEntry, status: PullRequestStatus): boolean =>
  typeof payload === "string" && payload.startsWith(letters[status]);

/** The payload of the entry may be incomplete. */
export const prUrlOfReview = (entry: StreamEntry): string => prUrlAtStart(entry, /^.\["((?:[^"\\]|\\.)*)"/);

/** Posted and accepted counts; a finding with a null severity or category counts in the total only. */
function countsOf(comments: readonly ReviewFinding[]): number[] {
  const groups = [
    comments,
    ...severities.map((name) => comments.filter(({ severity }) => severity === name)),
    ...categories.map((name) => comments.filter(({ category }) => category === name)),
  ];
  return groups.flatMap((some) => [some.length, some.filter(({ accepted }) => accepted === true).length]);
}
