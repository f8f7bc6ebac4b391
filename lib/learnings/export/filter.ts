import type * as z from "zod";
import { msPerDay } from "../../contract/days.ts";
import { learningLimits } from "../../contract/limits.ts";
import type { listLearnings } from "../../contract/operations/learnings.ts";
import { toTimestamp } from "../../runtime/clock.ts";
import { wordsMatcher } from "../../runtime/search-words.ts";
import type { LearningItem, LearningRemoval } from "../../store/items/learning.ts";

type Query = z.output<(typeof listLearnings)["query"]>;
export type LearningQuery = Pick<Query, "repository_ids" | "user_ids" | "search" | "file" | "stat_filter">;
export type LearningFilter = (learning: LearningItem) => boolean;
export type RemovalFilter = (removal: LearningRemoval) => boolean;

type Visible = {
  readonly organizations: ReadonlySet<string>;
  readonly repositories?: ReadonlySet<string>;
  readonly nowMs: number;
};

/** `repositories`: what a member can read, or those of the given name. */
export function learningFilter(query: LearningQuery, visible: Visible): LearningFilter {
  const { search, stat_filter = "total" } = query;
  const hasWords = wordsMatcher(search);
  const isAsked = removalFilter(query, visible);
  const files = query.file && new Set(query.file);
  const hasStat = statFilter(stat_filter, visible.nowMs);
  return (learning) =>
    isAsked(learning) &&
    (files === undefined || (learning.file !== null && files.has(learning.file))) &&
    hasStat(learning) &&
    (hasWords?.(learning.text) ?? true);
}

/** Matches removals by the fields that a removal keeps. */
export function removalFilter(
  query: Pick<LearningQuery, "repository_ids" | "user_ids">,
  { organizations, repositories }: Visible,
): (gone: Pick<LearningRemoval, "organization" | "repository_id" | "author_id">) => boolean {
  const wantedRepositories = query.repository_ids && new Set(query.repository_ids);
  const authors = query.user_ids && new Set(query.user_ids);
  return (gone) =>
    organizations.has(gone.organization) &&
    (repositories?.has(gone.repository_id) ?? true) &&
    (wantedRepositories?.has(gone.repository_id) ?? true) &&
    (authors?.has(gone.author_id) ?? true);
}

function statFilter(stat: NonNullable<Query["stat_filter"]>, nowMs: number): LearningFilter {
  const since = (days: number) => toTimestamp(nowMs - days * msPerDay);
  switch (stat) {
    case "total":
      return () => true;
    case "active": {
      const oldest = since(learningLimits.activeDays);
      return ({ last_used_at }) => last_used_at !== null && last_used_at >= oldest;
    }
    case "never_used":
      return ({ usage_count }) => usage_count === 0;
    case "created_this_week": {
      const oldest = since(learningLimits.newDays);
      return ({ created_at }) => created_at >= oldest;
    }
  }
}
