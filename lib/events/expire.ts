import { msPerDay } from "../contract/days.ts";
import { eventLimits } from "../contract/limits.ts";
import { toTimestamp } from "../runtime/clock.ts";
import { ErrorCollector } from "../runtime/error-collector.ts";
import { TimeUp } from "../runtime/time-up.ts";
import { parseWaitingByAge, type WaitingByAgeItem } from "../store/items/waiting.ts";
import { waitingByAgeRange, waitingKey } from "../store/layout.ts";
import { identityOf, queryAll, StoreUnavailable } from "../store/table.ts";
import { drain } from "./apply.ts";
import { deadLetter } from "./dead-letter.ts";
import { WaitingEventFailed } from "./error-kind.ts";
import type { EventDeps } from "./ports.ts";
import { recordLateEnds } from "./tries.ts";
import { readWaiting, stopWaiting } from "./waiting.ts";

/**
 * Checks all waiting events. An event that has waited too long goes to the dead letters. If its dependency exists after
 * all (its arrival was interrupted too often, for example), the event is applied now: nothing stays behind.
 */
export async function expireWaiting(deps: EventDeps): Promise<void> {
  const pieces = new ErrorCollector();
  await pieces.run(() => recordLateEnds(deps));
  const rows: WaitingByAgeItem[] = [];
  for await (const item of queryAll(deps.table, waitingByAgeRange)) {
    await pieces.run(async () => rows.push(parseWaitingByAge(item)));
  }
  const dependencies = new Map(rows.map(({ dependency }) => [identityOf(dependency), dependency]));
  const found = await deps.table.getMany([...dependencies.values()], { only: ["pk"] });
  const known = found.filter((item) => item !== undefined);
  const knownNames = new Set(known.map(identityOf));
  const oldestAllowed = toTimestamp(deps.clock.nowMs() - eventLimits.waitingDaysMax * msPerDay);
  const away = new Set<string>();
  for (const item of known)
    await pieces.run(async () => {
      try {
        await drain(deps, item, eventLimits.passingTriesMin);
      } catch (error) {
        // If the store is temporarily unavailable, events that it could not accept do not become dead letters.
        if (isStoreAway(error)) away.add(identityOf(item));
        throw error;
      }
    });
  for (const row of rows) {
    const isKnown = knownNames.has(identityOf(row.dependency));
    if (row.since < oldestAllowed && !away.has(identityOf(row.dependency)))
      await pieces.run(() => expire(deps, row, isKnown));
  }
  pieces.end();
}

async function expire(deps: EventDeps, row: WaitingByAgeItem, isKnown: boolean): Promise<void> {
  const item = await deps.table.get(waitingKey(row.dependency, row.version));
  if (!item) {
    await deps.table.write({ delete: { pk: row.pk, sk: row.sk } });
    return;
  }
  const days = eventLimits.waitingDaysMax;
  // If the dependency exists, the event was tried a moment ago, and still waits.
  const reason = isKnown
    ? `It waited ${days} days: also since the ${row.label} came it could not be applied.`
    : `It waited ${days} days for the ${row.label}, which never came.`;
  for (const waiting of await readWaiting(deps, item)) {
    await deadLetter(deps, waiting, reason);
    await stopWaiting(deps.table, waiting);
  }
}

const isStoreAway = (error: unknown): boolean =>
  error instanceof StoreUnavailable ||
  error instanceof TimeUp ||
  (error instanceof WaitingEventFailed && isStoreAway(error.cause));
