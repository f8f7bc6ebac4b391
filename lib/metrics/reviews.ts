import type { Provider } from "../contract/access.ts";
import {
  type AuthorType,
  authorTypes,
  type CommentCounts,
  categories,
  type PullRequestStatus,
  type ReviewRecord,
  severities,
} from "../contract/records-metrics.ts";
import { toTimestamp } from "../runtime/clock.ts";
import { required } from "../runtime/required.ts";
import type { EntryDraft, StreamEntry } from "../stream/stream.ts";
import type { ReviewFinding } from "./finding.ts";
import { damagedPayload, entryDraftOf, payloadTextOf, prUrlAtStart } from "./payload.ts";

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

/** Names change, so the entry does not hold them: the reader adds the current ones. */
export type ReviewNames = {
  readonly organizationId: string;
  readonly organizationName: string;
  readonly provider: Provider;
  readonly repositoryName: string;
  readonly repositoryFullName: string;
};

const letters = { merged: "m", closed: "c" } as const satisfies Record<PullRequestStatus, string>;
const countsLength = 2 * (1 + severities.length + categories.length);

type Fields = readonly [
  prUrl: string,
  authorUsername: string | null,
  created: number,
  readyForReview: number | null,
  firstHumanReview: number | null,
  lastCommit: number | null,
  reviewIterations: number,
  estimatedComplexity: number | null,
  estimatedReviewMinutes: number | null,
  ...countsClosedAndType: Array<number | null>,
];

export function draftReview(pullRequest: ReviewedPullRequest): EntryDraft {
  const { atMs, repositoryId, authorId, organizationId, provider, status, closedAtMs } = pullRequest;
  const beforeEnd = (ms: number | null) => (ms === null ? null : atMs - ms);
  const fields: Fields = [
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
  const names = {
    organizationId,
    provider,
    organizationName: "",
    repositoryName: "",
    repositoryFullName: "",
  };
  const record = recordOf(fields, status, placed, names);
  // The names are missing, so the size is a lower bound; these entries are never large enough for parts.
  const text = letters[status] + JSON.stringify(fields);
  return { ...entryDraftOf(placed, text, JSON.stringify(record)), status: letters[status] };
}

const lastFields = (closed: number | null, type: AuthorType | null): Array<number | null> => {
  if (type !== null) return [closed, authorTypes.indexOf(type)];
  return closed === null ? [] : [closed];
};

export const letterOfStatus = (status: PullRequestStatus): string => letters[status];

/** Reads the first letter only, so that a filter need not decode the payload. */
export const hasStatus = ({ payload }: StreamEntry, status: PullRequestStatus): boolean =>
  typeof payload === "string" && payload.startsWith(letters[status]);

export function toReviewRecord(entry: StreamEntry, names: ReviewNames): ReviewRecord {
  const text = payloadTextOf(entry);
  const fields: unknown = JSON.parse(text.slice(1));
  if (!isFields(fields)) throw damagedPayload(entry.number);
  return recordOf(fields, text.startsWith(letters.merged) ? "merged" : "closed", entry, names);
}

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

function recordOf(
  fields: Fields,
  status: PullRequestStatus,
  { atMs, repositoryId, authorId }: Pick<StreamEntry, "atMs" | "repositoryId" | "authorId">,
  names: ReviewNames,
): ReviewRecord {
  const [prUrl, username, created, ready, reviewed, committed, iterations, complexity, minutes, ...numbers] =
    fields;
  const time = (beforeMs: number | null) => (beforeMs === null ? null : toTimestamp(atMs - beforeMs));
  const count = (at: number) => required(numbers[at], "count of comments");
  const counts = (index: number): CommentCounts => ({
    posted: count(index * 2),
    accepted: count(index * 2 + 1),
  });
  return {
    pr_url: prUrl,
    author_id: authorId,
    author_username: username,
    organization_id: names.organizationId,
    organization_name: names.organizationName,
    repository_id: repositoryId,
    repository_name: names.repositoryName,
    created_at: toTimestamp(atMs - created),
    ready_for_review_at: time(ready),
    first_human_review_at: time(reviewed),
    last_commit_at: time(committed),
    merged_at: status === "merged" ? toTimestamp(atMs) : null,
    closed_at: status === "closed" ? toTimestamp(atMs) : time(numbers[countsLength] ?? null),
    status,
    review_iterations: iterations,
    estimated_complexity: complexity,
    estimated_review_minutes: minutes,
    coderabbit_comments: {
      total: counts(0),
      severity: {
        critical: counts(1),
        major: counts(2),
        minor: counts(3),
        trivial: counts(4),
        info: counts(5),
      },
      category: {
        data_integrity_and_integration: counts(6),
        functional_correctness: counts(7),
        maintainability_and_code_quality: counts(8),
        performance_and_scalability: counts(9),
        security_and_privacy: counts(10),
        stability_and_availability: counts(11),
      },
    },
    provider: names.provider,
    repository_full_name: names.repositoryFullName,
    author_type: authorTypes[numbers[countsLength + 1] ?? -1] ?? null,
  };
}

const isNumber = (value: unknown): boolean => typeof value === "number";
const isNumberOrNull = (value: unknown): boolean => value === null || typeof value === "number";

/** Checked by hand, not by a schema, for speed: a page decodes a thousand entries. */
function isFields(value: unknown): value is Fields {
  if (!Array.isArray(value)) return false;
  const fields: unknown[] = value;
  const [prUrl, username, created, ready, reviewed, committed, iterations, complexity, minutes, ...counts] =
    fields;
  return (
    typeof prUrl === "string" &&
    (username === null || typeof username === "string") &&
    [created, iterations].every(isNumber) &&
    [ready, reviewed, committed, complexity, minutes].every(isNumberOrNull) &&
    counts.length >= countsLength &&
    counts.length <= countsLength + 2 &&
    counts.slice(0, countsLength).every(isNumber) &&
    counts.slice(countsLength).every(isNumberOrNull)
  );
}
