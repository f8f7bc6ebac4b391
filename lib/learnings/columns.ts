import type { LearningRecord } from "./present.ts";

export const learningColumns = (
  [
    "id",
    "learning",
    "organization_id",
    "organization_name",
    "repository_id",
    "repository_name",
    "author_id",
    "author_username",
    "file",
    "source_url",
    "usage_count",
    "last_used_at",
    "created_at",
    "updated_at",
    "provider",
    "repository_short_name",
  ] as const satisfies readonly (keyof LearningRecord)[]
).map((name) => ({ name, cell: (record: LearningRecord) => record[name] }));

/** The list of pending Learnings also has the deadline. */
export const pendingColumns = [
  ...learningColumns,
  { name: "approve_at", cell: ({ approve_at }: LearningRecord) => approve_at ?? null },
];
