import {
  type CommentCounts,
  categories,
  type PullRequestStatus,
  type ReviewRecord,
  severities,
} from "../contract/records-metrics.ts";
import { toTimestamp } from "../runtime/clock.ts";
import type { EntryDraft, StreamEntry } from "../stream/stream.ts";
import type { Finding } from "./finding.ts";
import { damagedPayload, draftOf, textOf } from "./payload.ts";

/**
 * The payload is `m` or `c` for the status, then a JSON list: the URL, the author's name, four times as
 * milliseconds before the merge (or the closing), three estimates, and posted and accepted for the total, the
 * severities and the categories.
 */
export type ReviewedPullRequest = {
  readonly prUrl: string;
  readonly organizationId: string;
  readonly repositoryId: string;
  readonly authorId: string | null;
  readonly authorUsername: string | null;
  readonly status: PullRequestStatus;
  /** Of merging or of closing. */
  readonly atMs: number;
  readonly createdAtMs: number;
  readonly readyForReviewAtMs: number | null;
  readonly firstHumanReviewAtMs: number | null;
  readonly lastCommitAtMs: number | null;
  readonly reviewIterations: number;
  readonly estimatedComplexity: number | null;
  readonly estimatedReviewMinutes: number | null;
  readonly comments: readonly Finding[];
};

/** Names change, so they are not in the entry: the reader brings the ones of today. */
export type Names = {
  readonly organizationId: string;
  readonly organizationName: string;
  readonly repositoryName: string;
};

const letters = { merged: "m", closed: "c" } as const satisfies Record<PullRequestStatus, string>;
const timesCount = 4;
const estimatesCount = 3;
const countedCount = 1 + severities.length + categories.length;

export function draftReview(pullRequest: ReviewedPullRequest): EntryDraft {
  const { atMs, repositoryId, authorId, organizationId } = pullRequest;
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
  ];
  const text = letters[pullRequest.status] + JSON.stringify(fields);
  const placed = { atMs, repositoryId, authorId };
  const record = decode(text, placed, { organizationId, organizationName: "", repositoryName: "" });
  if (!record) throw new RangeError("An entry was made that cannot be read.");
  // Without the names, so the size is a lower bound; these entries are never large enough for parts.
  return draftOf(placed, text, JSON.stringify(record));
}

/** Told by the first letter, so that a filter need not decode. */
export const hasStatus = ({ payload }: StreamEntry, status: PullRequestStatus): boolean =>
  typeof payload === "string" && payload.startsWith(letters[status]);

export function toReviewRecord(entry: StreamEntry, names: Names): ReviewRecord {
  const record = decode(textOf(entry), entry, names);
  if (!record) throw damagedPayload(entry.number);
  return record;
}

/** Posted and accepted of each counted thing; a null severity or category counts in the total only. */
function countsOf(comments: readonly Finding[]): number[] {
  const counts = new Array<number>(countedCount * 2).fill(0);
  const add = (index: number, accepted: boolean | null) => {
    counts[index * 2] = (counts[index * 2] ?? 0) + 1;
    if (accepted === true) counts[index * 2 + 1] = (counts[index * 2 + 1] ?? 0) + 1;
  };
  for (const { severity, category, accepted } of comments) {
    add(0, accepted);
    if (severity !== null) add(1 + severities.indexOf(severity), accepted);
    if (category !== null) add(1 + severities.length + categories.indexOf(category), accepted);
  }
  return counts;
}

function decode(
  text: string,
  { atMs, repositoryId, authorId }: Pick<StreamEntry, "atMs" | "repositoryId" | "authorId">,
  names: Names,
): ReviewRecord | undefined {
  const fields: unknown = JSON.parse(text.slice(1));
  if (!isFields(fields)) return undefined;
  const [prUrl, username, ...numbers] = fields;
  const time = (index: number) => timeBefore(atMs, numbers[index]);
  const counts = (index: number): CommentCounts => {
    const at = timesCount + estimatesCount + index * 2;
    return { posted: numbers[at] ?? 0, accepted: numbers[at + 1] ?? 0 };
  };
  const isMerged = text.startsWith(letters.merged);
  return {
    pr_url: prUrl,
    author_id: authorId,
    author_username: username,
    organization_id: names.organizationId,
    organization_name: names.organizationName,
    repository_id: repositoryId,
    repository_name: names.repositoryName,
    created_at: toTimestamp(atMs - (numbers[0] ?? 0)),
    ready_for_review_at: time(1),
    first_human_review_at: time(2),
    last_commit_at: time(3),
    merged_at: isMerged ? toTimestamp(atMs) : null,
    status: isMerged ? "merged" : "closed",
    review_iterations: numbers[timesCount] ?? 0,
    estimated_complexity: numbers[timesCount + 1] ?? null,
    estimated_review_minutes: numbers[timesCount + 2] ?? null,
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
  };
}

const timeBefore = (atMs: number, beforeMs: number | null | undefined): string | null =>
  beforeMs === null || beforeMs === undefined ? null : toTimestamp(atMs - beforeMs);

/** By hand, not by schema: a page decodes a thousand of these. */
function isFields(value: unknown): value is [string, string | null, ...(number | null)[]] {
  if (!Array.isArray(value)) return false;
  const [prUrl, username, ...numbers]: unknown[] = value;
  return (
    typeof prUrl === "string" &&
    (username === null || typeof username === "string") &&
    numbers.length === timesCount + estimatesCount + countedCount * 2 &&
    numbers.every((number) => number === null || typeof number === "number")
  );
}

type Cell = string | number | null;
type Column = { readonly name: string; readonly cell: (record: ReviewRecord) => Cell };

const plain = (name: Exclude<keyof ReviewRecord, "coderabbit_comments">): Column => ({
  name,
  cell: (record) => record[name],
});

const counted = (
  prefix: string,
  counts: (comments: ReviewRecord["coderabbit_comments"]) => CommentCounts,
): Column[] =>
  (["posted", "accepted"] as const).map((what) => ({
    name: `${prefix}_comments_${what}`,
    cell: ({ coderabbit_comments }) => counts(coderabbit_comments)[what],
  }));

/** The columns of the CSV, in the order of decisions, section 5. */
export const reviewColumns: readonly Column[] = [
  plain("pr_url"),
  plain("author_id"),
  plain("author_username"),
  plain("organization_id"),
  plain("organization_name"),
  plain("repository_id"),
  plain("repository_name"),
  plain("created_at"),
  plain("ready_for_review_at"),
  plain("first_human_review_at"),
  plain("last_commit_at"),
  plain("merged_at"),
  plain("status"),
  plain("review_iterations"),
  plain("estimated_complexity"),
  plain("estimated_review_minutes"),
  ...counted("total_coderabbit", ({ total }) => total),
  ...severities.flatMap((name) => counted(name, ({ severity }) => severity[name])),
  ...categories.flatMap((name) => counted(name, ({ category }) => category[name])),
];
