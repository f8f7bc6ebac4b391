import { categories, severities } from "../contract/metrics-words.ts";
import type { CommentsRecord, ReviewRecord } from "../contract/records-metrics.ts";
import { type DayOf, utcDay } from "./period.ts";

/** A merged, reviewed pull request, with the fields that the figures need. */
export type PullRequest = {
  readonly url: string;
  readonly provider: ReviewRecord["provider"];
  /** Each provider assigns its own ids: two providers may use the same id. */
  readonly organizationId: string;
  readonly organizationName: string;
  readonly repositoryId: string;
  readonly repositoryName: string;
  /** With its owner, as other tools name it. */
  readonly repositoryFullName: string;
  readonly authorId: string | null;
  readonly authorName: string | null;
  /** A program opened it, such as a dependency updater. */
  readonly isByBot: boolean;
  readonly mergedAtMs: number;
  /** The day of the merge, in the report's time zone. */
  readonly mergedOn: string;
  /** When it was ready for review; if that is unknown, when it was opened. */
  readonly readyAtMs: number;
  readonly firstHumanReviewAtMs: number | null;
  /** 1 to 5. */
  readonly complexity: number | null;
  /** One byte for each finding, so that 100,000 pull requests need little memory. `unpackFinding` reads it. */
  readonly findings: Uint8Array;
};

export type FindingComment = CommentsRecord["coderabbit_comments"][number];
export type FindingOutcome = Pick<FindingComment, "severity" | "category" | "accepted">;

const outcomes = [null, false, true] as const;

/** Each value is encoded as its position in its list plus one, and null as 0. */
const packFinding = ({ severity, category, accepted }: FindingOutcome): number => {
  const severityCode = severity === null ? 0 : severities.indexOf(severity) + 1;
  const categoryCode = category === null ? 0 : categories.indexOf(category) + 1;
  return (
    (severityCode * (categories.length + 1) + categoryCode) * outcomes.length + outcomes.indexOf(accepted)
  );
};

/** The number of codes. */
export const findingCodes = (severities.length + 1) * (categories.length + 1) * outcomes.length;

export function unpackFinding(code: number): FindingOutcome {
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

/** Only the fields that a report needs are kept: a record is three times as large. */
type Reviewed = Omit<PullRequest, "findings">;

/**
 * Joins the two datasets. A pull request that was written again is returned again: the last one counts. Read the
 * reviews first: then the comments contain everything that the reviews do, and a pull request that is merged in between
 * is left for the next report.
 */
export function createCollector(dayOf: DayOf = utcDay): Collector {
  const reviews = new Map<string, Reviewed>();
  const findings = new Map<string, Uint8Array>();
  return {
    addReviews(records) {
      for (const record of records) {
        const { merged_at } = record;
        if (merged_at === null) reviews.delete(nameOf(record));
        else reviews.set(nameOf(record), reviewed(record, Date.parse(merged_at), dayOf));
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

const reviewed = (record: ReviewRecord, mergedAtMs: number, dayOf: DayOf): Reviewed => ({
  url: record.pr_url,
  provider: record.provider,
  organizationId: record.organization_id,
  organizationName: record.organization_name,
  repositoryId: record.repository_id,
  repositoryName: record.repository_name,
  repositoryFullName: record.repository_full_name,
  authorId: record.author_id,
  authorName: record.author_username,
  isByBot: record.author_type === "bot",
  mergedAtMs,
  mergedOn: dayOf(mergedAtMs),
  readyAtMs: Date.parse(record.ready_for_review_at ?? record.created_at),
  firstHumanReviewAtMs:
    record.first_human_review_at === null ? null : Date.parse(record.first_human_review_at),
  complexity: record.estimated_complexity,
});
