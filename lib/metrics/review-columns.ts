import {
  type CommentCounts,
  categories,
  type ReviewRecord,
  severities,
} from "../contract/records-metrics.ts";

type Cell = string | number | null;
type Column = { readonly name: string; readonly cell: (record: ReviewRecord) => Cell };

const plain = (name: Exclude<keyof ReviewRecord, "coderabbit_comments">): Column => ({
  name,
  cell: (record) => record[name],
});

const countColumns = (
  prefix: string,
  counts: (comments: ReviewRecord["coderabbit_comments"]) => CommentCounts,
): Column[] =>
  (["posted", "accepted"] as const).map((what) => ({
    name: `${prefix}_comments_${what}`,
    cell: ({ coderabbit_comments }) => counts(coderabbit_comments)[what],
  }));

/** The columns of the CSV. Callers rely on the order: new columns come last. */
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
  plain("closed_at"),
  plain("status"),
  plain("review_iterations"),
  plain("estimated_complexity"),
  plain("estimated_review_minutes"),
  ...countColumns("total_coderabbit", ({ total }) => total),
  ...severities.flatMap((name) => countColumns(name, ({ severity }) => severity[name])),
  ...categories.flatMap((name) => countColumns(name, ({ category }) => category[name])),
  plain("provider"),
  plain("repository_full_name"),
  plain("author_type"),
];
