import type { ResponseOf } from "../../lib/client/client.ts";
import { wholeDays } from "../days.ts";

export type Learning = ResponseOf<"listLearnings">["data"][number];

export type LearningFigures = ReturnType<typeof learningFigures>;

/** As in the API's filter `active`. */
const activeDays = 30;
const mostUsedMax = 20;

export function learningFigures(learnings: readonly Learning[], nowMs: number) {
  const active = learnings.filter(
    ({ last_used_at }) => last_used_at !== null && wholeDays(Date.parse(last_used_at), nowMs) < activeDays,
  ).length;
  const neverUsed = learnings.filter(({ usage_count }) => usage_count === 0).length;
  return {
    total: learnings.length,
    active,
    neverUsed,
    usedEarlier: learnings.length - active - neverUsed,
    uses: learnings.reduce((sum, { usage_count }) => sum + usage_count, 0),
    mostUsed: learnings
      .filter(({ usage_count }) => usage_count > 0)
      .toSorted((one, other) => other.usage_count - one.usage_count || (one.id < other.id ? -1 : 1))
      .slice(0, mostUsedMax),
  };
}
