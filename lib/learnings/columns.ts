import { fieldColumns } from "../contract/csv-row.ts";
import { learningRecord } from "../contract/records-learnings.ts";
import type { PendingLearning } from "./export/pending.ts";

export const learningColumns = fieldColumns(learningRecord);

/** The list of pending Learnings also has the deadline. */
export const pendingColumns = [
  ...learningColumns,
  { name: "approve_at", cell: ({ approve_at }: PendingLearning) => approve_at ?? null },
];
