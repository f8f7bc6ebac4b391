import type { CommentsRecord, ReviewRecord } from "../../lib/contract/records-metrics.ts";
import { createCollector, type PullRequest } from "../../lib/report/pull-request.ts";

const counts = { posted: 0, accepted: 0 };
const noCounts: ReviewRecord["coderabbit_comments"] = {
  total: counts,
  severity: { critical: counts, major: counts, minor: counts, trivial: counts, info: counts },
  category: {
    data_integrity_and_integration: counts,
    functional_correctness: counts,
    maintainability_and_code_quality: counts,
    performance_and_scalability: counts,
    security_and_privacy: counts,
    stability_and_availability: counts,
  },
};

export const review = (number: number, more: Partial<ReviewRecord> = {}): ReviewRecord => ({
  pr_url: `https://git.example/acme/shop/pull/${number}`,
  author_id: "501",
  author_username: "ada",
  organization_id: "1001",
  organization_name: "acme",
  repository_id: "9001",
  repository_name: "shop",
  created_at: "2026-03-02T08:00:00.000Z",
  ready_for_review_at: null,
  first_human_review_at: null,
  last_commit_at: null,
  merged_at: "2026-03-02T10:00:00.000Z",
  status: "merged",
  review_iterations: 1,
  estimated_complexity: null,
  estimated_review_minutes: null,
  coderabbit_comments: noCounts,
  closed_at: null,
  provider: "github",
  repository_full_name: "acme/shop",
  author_type: null,
  ...more,
});

type Finding = CommentsRecord["coderabbit_comments"][number];

export const finding = (accepted: boolean | null, more: Partial<Finding> = {}): Finding => ({
  url: "https://git.example/acme/shop/pull/1#c",
  severity: "minor",
  category: "functional_correctness",
  accepted,
  ...more,
});

export const comments = (number: number, findings: readonly Finding[]): CommentsRecord => {
  const { pr_url, organization_id, repository_id, author_id, merged_at } = review(number);
  return { pr_url, organization_id, repository_id, author_id, merged_at, coderabbit_comments: [...findings] };
};

export function collected(
  reviews: readonly ReviewRecord[],
  findings: readonly CommentsRecord[] = [],
): PullRequest[] {
  const collector = createCollector();
  collector.addReviews(reviews);
  collector.addComments(findings);
  return collector.pullRequests();
}
