import { eventLimits } from "../contract/limits.ts";
import { toTimestamp } from "../runtime/clock.ts";
import { parseWaiting, parseWaitingByAge, type WaitingByAgeItem } from "../store/items/waiting.ts";
import { waitingByAgeRange, waitingKey } from "../store/layout.ts";
import { queryAll } from "../store/table.ts";
import { deadLetter, drain } from "./apply.ts";
import type { EventDeps } from "./ports.ts";
import { stopWaiting } from "./waiting.ts";

const dayMs = 86_400_000;

/**
 * Looks through all that waits. What has waited too long goes to the dead letters. What waits for something
 * that is known after all (its arrival was cut off too often, say) is applied now: nothing stays behind.
 */
export async function expireWaiting(deps: EventDeps): Promise<void> {
  const rows = await Array.fromAsync(queryAll(deps.table, waitingByAgeRange), parseWaitingByAge);
  const byDependency = Map.groupBy(rows, ({ dependency }) => `${dependency.pk}\u0000${dependency.sk}`);
  const dependencies = [...byDependency.values()].flatMap(([row]) => (row ? [row.dependency] : []));
  const found = await deps.table.getMany(dependencies, { only: ["pk"] });

  const oldestAllowed = toTimestamp(deps.clock.nowMs() - eventLimits.waitingDaysMax * dayMs);
  for (const [index, waiting] of [...byDependency.values()].entries()) {
    const dependency = dependencies[index];
    if (found[index] && dependency) await drain(deps, dependency);
    else for (const row of waiting) if (row.since < oldestAllowed) await expire(deps, row);
  }
}

async function expire(deps: EventDeps, row: WaitingByAgeItem): Promise<void> {
  const item = await deps.table.get(waitingKey(row.dependency, row.version));
  if (!item) {
    await deps.table.write({ delete: { pk: row.pk, sk: row.sk } });
    return;
  }
  const waiting = parseWaiting(item);
  const reason = `It waited ${eventLimits.waitingDaysMax} days for the ${row.label}, which never came.`;
  await deadLetter(deps, waiting, reason);
  await stopWaiting(deps.table, waiting);
}
