import * as z from "zod";
import { categories, severities } from "./metrics-words.ts";
import {
  authorUsername,
  organizationId,
  organizationName,
  provider,
  removedAt,
  repositoryId,
  repositoryName,
  timestamp,
} from "./records.ts";

/** Records of the three metrics operations. */

export { type Category, categories, type Severity, severities } from "./metrics-words.ts";

export const pullRequestStatuses = ["merged", "closed"] as const;
export type PullRequestStatus = (typeof pullRequestStatuses)[number];

/** Who opened a pull request: a person, or a program such as a dependency updater. */
export const authorTypes = ["user", "bot"] as const;
export type AuthorType = (typeof authorTypes)[number];

const count = z.int().min(0);
const prUrl = z
  .string()
  .describe("The address of the pull request. Join the three metrics on it. Unique within an organization.");
const authorId = z
  .string()
  .nullable()
  .describe(
    "The Git provider's id of the pull request's author, from stored metrics; null when unavailable.",
  );
const mergedAt = timestamp
  .nullable()
  .describe("When it was merged, UTC; null where it was not merged or that is not known.");

const commentRecord = z.strictObject({
  url: z
    .string()
    .describe(
      "Link to the posted review comment. Several findings may share it, so it does not identify a finding.",
    ),
  severity: z
    .enum(severities)
    .nullable()
    .describe("How bad the finding is; null for absent, unknown or none values."),
  category: z
    .enum(categories)
    .nullable()
    .describe("What the content is about, not the type of issue; null when absent or unknown."),
  accepted: z
    .boolean()
    .nullable()
    .describe(
      "Stored resolution outcome from automatic detection or user confirmation; not necessarily acceptance by the pull " +
        "request author. false is not proof of rejection; null means unknown. The value can change after the comment was " +
        "posted.",
    ),
});

export const reviewCommentsRecord = z.strictObject({
  pr_url: prUrl,
  organization_id: organizationId,
  repository_id: repositoryId,
  author_id: authorId,
  merged_at: mergedAt,
  coderabbit_comments: z
    .array(commentRecord)
    .min(1)
    .describe("The stored findings, at least one; several may share one posted comment's URL."),
});

export type CommentsRecord = z.output<typeof reviewCommentsRecord>;

/** How many comments were posted, and how many of them are known to be accepted. */
const commentCounts = z.strictObject({
  posted: count.describe("How many findings were posted."),
  accepted: count.describe(
    "How many of them are stored as accepted; the others are not accepted or unknown.",
  ),
});
export type CommentCounts = z.output<typeof commentCounts>;

export const reviewRecord = z.strictObject({
  pr_url: prUrl,
  author_id: authorId,
  author_username: authorUsername,
  organization_id: organizationId,
  organization_name: organizationName,
  repository_id: repositoryId,
  repository_name: repositoryName,
  created_at: timestamp.describe("When the pull request was opened, UTC."),
  ready_for_review_at: timestamp
    .nullable()
    .describe("When it was last marked as ready for review, UTC; null where that is not known."),
  first_human_review_at: timestamp
    .nullable()
    .describe("When a person first reviewed it, UTC; null for never, or not known."),
  last_commit_at: timestamp
    .nullable()
    .describe("When its last commit was pushed, UTC; null where that is not known."),
  merged_at: mergedAt,
  closed_at: timestamp
    .nullable()
    .describe("When it was closed or merged, UTC; null where that is not known."),
  status: z.enum(pullRequestStatuses).describe("`merged`, or `closed` for one that was closed unmerged."),
  review_iterations: count.describe("How often the reviewer reviewed it."),
  estimated_complexity: z
    .int()
    .min(1)
    .max(5)
    .nullable()
    .describe("From 1 (small) to 5 (large); null where there is no estimate."),
  estimated_review_minutes: z
    .number()
    .min(0)
    .nullable()
    .describe("Minutes that a person would need to review it; null where there is no estimate."),
  coderabbit_comments: z
    .strictObject({
      total: commentCounts.describe("All findings, also those without a severity or category."),
      severity: z
        .record(z.enum(severities).describe("Findings of severity {name}."), commentCounts)
        .describe("The same by severity; a finding without one counts in `total` only."),
      category: z
        .record(z.enum(categories).describe("Findings about {name}."), commentCounts)
        .describe("The same by category; a finding without one counts in `total` only."),
    })
    .describe("The number of findings that the automated review posted, and how many were accepted."),
  provider,
  repository_full_name: z.string().describe("The repository's current name with its owner."),
  author_type: z
    .enum(authorTypes)
    .nullable()
    .describe("`user` for a person, `bot` for a program; null where that is not known."),
});
export type ReviewRecord = z.output<typeof reviewRecord>;

export const mcpRecord = z.strictObject({
  pr_url: prUrl,
  organization_id: organizationId,
  repository_id: repositoryId,
  author_id: authorId,
  merged_at: mergedAt,
  servers: z
    .array(
      z.strictObject({
        name: z.string().describe("The server's name."),
        calls: count.describe("Calls of all its tools together."),
        tools: z
          .array(
            z.strictObject({
              name: z.string().describe("The tool's name."),
              calls: count.describe("How often it was called."),
              failures: count.describe("How many of these calls failed."),
            }),
          )
          .describe("Its tools that were called."),
      }),
    )
    .min(1)
    .describe("The MCP servers that the review used, at least one. Counts are best-effort."),
  provider,
});
export type McpRecord = z.output<typeof mcpRecord>;

/** In `removed`: deleted, or no longer in the dataset, the window or the filters. */
export const removedPullRequest = z.strictObject({
  pr_url: prUrl,
  provider,
  organization_id: organizationId,
  repository_id: repositoryId,
  removed_at: removedAt,
});
export type RemovedPullRequest = z.output<typeof removedPullRequest>;
