import { categories, severities } from "../contract/metrics-words.ts";
import type { CommentsRecord, ReviewRecord } from "../contract/records-metrics.ts";

/** A merged, reviewed pull request, with as much of it as the figures need. */
export type PullRequest = {
  readonly url: string;
  readonly provider: ReviewRecord["provider"];
  /** Providers give ids on their own: two of them may use the same one. */
  readonly organizationId: string;
  readonly organizationName: string;
  readonly repositoryId: string;
  readonly repositoryName: string;
  readonly authorId: string | null;
  readonly authorName: string | null;
  readonly mergedAtMs: number;
  /** When it was ready for review; when it was opened, where nobody said so. */
  readonly readyAtMs: number;
  readonly firstHumanReviewAtMs: number | null;
  /** 1 to 5. */
  readonly complexity: number | null;
  /** A byte each: 100,000 pull requests stay small. `unpackFinding` reads it. */
  readonly findings: Uint8Array;
};

export type Finding = CommentsRecord["coderabbit_comments"][number];
export type Outcome = Pick<Finding, "severity" | "category" | "accepted">;

const outcomes = [null, false, true] as const;

/** The place in its list, and 0 for null. */
const packFinding = ({ severity, category, accepted }: Outcome): number => {
  const severityCode = severity === null ? 0 : severities.indexOf(severity) + 1;
  const categoryCode = category === null ? 0 : categories.indexOf(category) + 1;
  return (
    (severityCode * (categories.length + 1) + categoryCode) * outcomes.length + outcomes.indexOf(accepted)
  );
};

/** How many codes there are. */
export const findingCodes = (severities.length + 1) * (categories.length + 1) * outcomes.length;

export function unpackFinding(code: number): Outcome {
  const place = Math.floor(code / outcomes.length);
  const severityCode = Math.floor(place / (categories.length + 1));
  const categoryCode = place % (categories.length + 1);
  return {
    severity: severities[severityCode - 1] ?? null,
    category: categories[categoryCode - 1] ?? null,
    accepted: outcomes[code % outcomes.length] ?? null,
  };
}

export type Collector = {
  addReviews(records: readonly ReviewRecord[]): void;
  addComments(records: readonly CommentsRecord[]): void;
  pullRequests(): PullRequest[];
};

/** Only what a report needs is kept: a record has three times as much. */
type Reviewed = Omit<PullRequest, "findings">;

/**
 * Joins the two datasets. A pull request that was written again comes again: the last one counts. Walk the reviews
 * first: whatever they hold is in the comments by then, and what is merged in between is left for the next report.
 */
export function createCollector(): Collector {
  const reviews = new Map<string, Reviewed>();
  const findings = new Map<string, Uint8Array>();
  return {
    addReviews(records) {
      for (const record of records) {
        const { merged_at } = record;
        if (merged_at === null) reviews.delete(nameOf(record));
        else reviews.set(nameOf(record), reviewed(record, merged_at));
      }
    },
    addComments(records) {
      for (const record of records)
        findings.set(nameOf(record), Uint8Array.from(record.coderabbit_comments, packFinding));
    },
    pullRequests: () =>
      Array.from(reviews, ([name, review]) => ({ ...review, findings: findings.get(name) ?? noFindings })),
  };
}

const noFindings = new Uint8Array();

/** A URL is unique only within an organization. */
const nameOf = ({ organization_id, pr_url }: Pick<ReviewRecord, "organization_id" | "pr_url">): string =>
  `${organization_id} ${pr_url}`;

const reviewed = (record: ReviewRecord, mergedAt: string): Reviewed => ({
  url: record.pr_url,
  provider: record.provider,
  organizationId: record.organization_id,
  organizationName: record.organization_name,
  repositoryId: record.repository_id,
  repositoryName: record.repository_name,
  authorId: record.author_id,
  authorName: record.author_username,
  mergedAtMs: Date.parse(mergedAt),
  readyAtMs: Date.parse(record.ready_for_review_at ?? record.created_at),
  firstHumanReviewAtMs:
    record.first_human_review_at === null ? null : Date.parse(record.first_human_review_at),
  complexity: record.estimated_complexity,
});
