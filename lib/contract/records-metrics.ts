import * as z from "zod";
import { providers } from "./access.ts";
import { categories, severities } from "./metrics-words.ts";
import { type FieldWords, timestamp } from "./records.ts";

/** Records of the three metrics operations. */

export { type Category, categories, type Severity, severities } from "./metrics-words.ts";

export const pullRequestStatuses = ["merged", "closed"] as const;
export type PullRequestStatus = (typeof pullRequestStatuses)[number];

/** Who opened a pull request: a person, or a program such as a dependency updater. */
export const authorTypes = ["user", "bot"] as const;
export type AuthorType = (typeof authorTypes)[number];

const count = z.int().min(0);

const commentRecord = z.strictObject({
  url: z.string(),
  severity: z.enum(severities).nullable(),
  category: z.enum(categories).nullable(),
  accepted: z.boolean().nullable(),
});

export const reviewCommentsRecord = z.strictObject({
  pr_url: z.string(),
  organization_id: z.string(),
  repository_id: z.string(),
  author_id: z.string().nullable(),
  merged_at: timestamp.nullable(),
  coderabbit_comments: z.array(commentRecord).min(1),
});

export type CommentsRecord = z.output<typeof reviewCommentsRecord>;

/** How many comments were posted, and how many of them are known to be accepted. */
const commentCounts = z.strictObject({ posted: count, accepted: count });
export type CommentCounts = z.output<typeof commentCounts>;

export const reviewRecord = z.strictObject({
  pr_url: z.string(),
  author_id: z.string().nullable(),
  author_username: z.string().nullable(),
  organization_id: z.string(),
  organization_name: z.string(),
  repository_id: z.string(),
  repository_name: z.string(),
  created_at: timestamp,
  ready_for_review_at: timestamp.nullable(),
  first_human_review_at: timestamp.nullable(),
  last_commit_at: timestamp.nullable(),
  merged_at: timestamp.nullable(),
  closed_at: timestamp.nullable(),
  status: z.enum(pullRequestStatuses),
  review_iterations: count,
  estimated_complexity: z.int().min(1).max(5).nullable(),
  estimated_review_minutes: z.number().min(0).nullable(),
  coderabbit_comments: z.strictObject({
    total: commentCounts,
    severity: z.record(z.enum(severities), commentCounts),
    category: z.record(z.enum(categories), commentCounts),
  }),
  provider: z.enum(providers),
  repository_full_name: z.string(),
  author_type: z.enum(authorTypes).nullable(),
});
export type ReviewRecord = z.output<typeof reviewRecord>;

export const mcpRecord = z.strictObject({
  pr_url: z.string(),
  organization_id: z.string(),
  repository_id: z.string(),
  author_id: z.string().nullable(),
  merged_at: timestamp.nullable(),
  servers: z
    .array(
      z.strictObject({
        name: z.string(),
        calls: count,
        tools: z.array(z.strictObject({ name: z.string(), calls: count, failures: count })),
      }),
    )
    .min(1),
  provider: z.enum(providers),
});
export type McpRecord = z.output<typeof mcpRecord>;

/** In `removed`: deleted, or no longer in the dataset, the window or the filters. */
export const removedPullRequest = z.strictObject({
  pr_url: z.string(),
  provider: z.enum(providers),
  organization_id: z.string(),
  repository_id: z.string(),
  removed_at: timestamp,
});
export type RemovedPullRequest = z.output<typeof removedPullRequest>;

export const metricsWords: FieldWords = {
  pr_url: "The address of the pull request. Join the three metrics on it. Unique within an organization.",
  author_id:
    "The Git provider's id of the pull request's author, from stored metrics; null when unavailable.",
  repository_full_name: "The repository's current name with its owner.",
  author_type: "`user` for a person, `bot` for a program; null where that is not known.",
  created_at: "When the pull request was opened, UTC.",
  ready_for_review_at: "When it was last marked as ready for review, UTC; null where that is not known.",
  first_human_review_at: "When a person first reviewed it, UTC; null for never, or not known.",
  last_commit_at: "When its last commit was pushed, UTC; null where that is not known.",
  merged_at: "When it was merged, UTC; null where it was not merged or that is not known.",
  closed_at: "When it was closed or merged, UTC; null where that is not known.",
  status: "`merged`, or `closed` for one that was closed unmerged.",
  review_iterations: "How often the reviewer reviewed it.",
  estimated_complexity: "From 1 (small) to 5 (large); null where there is no estimate.",
  estimated_review_minutes: "Minutes that a person would need to review it; null where there is no estimate.",
  coderabbit_comments: "The stored findings, at least one; several may share one posted comment's URL.",
  "coderabbit_comments.url":
    "Link to the posted review comment. Several findings may share it, so it does not identify a finding.",
  "coderabbit_comments.severity": "How bad the finding is; null for absent, unknown or none values.",
  "coderabbit_comments.category":
    "What the content is about, not the type of issue; null when absent or unknown.",
  "coderabbit_comments.accepted":
    "Stored resolution outcome from automatic detection or user confirmation; not necessarily acceptance by the pull " +
    "request author. false is not proof of rejection; null means unknown. The value can change after the comment was " +
    "posted.",
  "listReviewMetrics: coderabbit_comments":
    "The number of findings that the automated review posted, and how many were accepted.",
  "coderabbit_comments.total": "All findings, also those without a severity or category.",
  "listReviewMetrics: severity": "The same by severity; a finding without one counts in `total` only.",
  "listReviewMetrics: category": "The same by category; a finding without one counts in `total` only.",
  posted: "How many findings were posted.",
  "listReviewMetrics: accepted":
    "How many of them are stored as accepted; the others are not accepted or unknown.",
  // Written out: a call would keep all these words in every function's bundle.
  critical: "Findings of severity critical.",
  major: "Findings of severity major.",
  minor: "Findings of severity minor.",
  trivial: "Findings of severity trivial.",
  info: "Findings of severity info.",
  data_integrity_and_integration: "Findings about data integrity and integration.",
  functional_correctness: "Findings about functional correctness.",
  maintainability_and_code_quality: "Findings about maintainability and code quality.",
  performance_and_scalability: "Findings about performance and scalability.",
  security_and_privacy: "Findings about security and privacy.",
  stability_and_availability: "Findings about stability and availability.",
  servers: "The MCP servers that the review used, at least one. Counts are best-effort.",
  "servers.name": "The server's name.",
  "servers.calls": "Calls of all its tools together.",
  "servers.tools": "Its tools that were called.",
  "tools.name": "The tool's name.",
  "tools.calls": "How often it was called.",
  "tools.failures": "How many of these calls failed.",
};
