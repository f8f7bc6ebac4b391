import * as z from "zod";
import { providers } from "./access.ts";
import { categories, severities } from "./metrics-words.ts";
import { timestamp } from "./records.ts";

/** Records of the three metrics operations. */

export { type Category, categories, type Severity, severities } from "./metrics-words.ts";

export const pullRequestStatuses = ["merged", "closed"] as const;
export type PullRequestStatus = (typeof pullRequestStatuses)[number];

const count = z.int().min(0);

export const commentRecord = z.strictObject({
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
export const commentCounts = z.strictObject({ posted: count, accepted: count });
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
