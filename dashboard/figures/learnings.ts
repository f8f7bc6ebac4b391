import type { AnswerOf } from "../../lib/client/client.ts";
import { wholeDays } from "../days.ts";

export type Learning = AnswerOf<"listLearnings">["data"][number];

export type LearningFigures = {
  readonly total: number;
  /** Used in the last 30 days, as in the API's filter `active`. */
  readonly active: number;
  /** Used, but not in the last 30 days. */
  readonly usedEarlier: number;
  readonly neverUsed: number;
  readonly uses: number;
  readonly mostUsed: readonly Learning[];
};

const activeDays = 30;
const mostUsedMax = 20;

export function learningFigures(learnings: readonly Learning[], nowMs: number): LearningFigures {
  const active = learnings.filter(
    ({ last_used_at }) => last_used_at !== null && wholeDays(Date.parse(last_used_at), nowMs) < activeDays,
  ).length;
  const neverUsed = learnings.filter(({ usage_count }) => usage_count === 0).length;
  return {
    ...{ total: learnings.length, active, neverUsed },
    usedEarlier: learnings.length - active - neverUsed,
    uses: learnings.reduce((sum, { usage_count }) => sum + usage_count, 0),
    mostUsed: learnings
      .filter(({ usage_count }) => usage_count > 0)
      .toSorted((one, other) => other.usage_count - one.usage_count || (one.id < other.id ? -1 : 1))
      .slice(0, mostUsedMax),
  };
}
