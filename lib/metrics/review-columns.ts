import {
  type CommentCounts,
  categories,
  type ReviewRecord,
  reviewRecord,
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

const commentColumns: readonly Column[] = [
  ...countColumns("total_coderabbit", ({ total }) => total),
  ...severities.flatMap((name) => countColumns(name, ({ severity }) => severity[name])),
  ...categories.flatMap((name) => countColumns(name, ({ category }) => category[name])),
];

/** The columns of the CSV, in the order of the record. Callers rely on the order: new fields come last. */
export const reviewColumns: readonly Column[] = reviewRecord
  .keyof()
  .options.flatMap((name) => (name === "coderabbit_comments" ? commentColumns : [plain(name)]));
