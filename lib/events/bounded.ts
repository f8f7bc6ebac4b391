import { boundedTable, callsUntil } from "../store/bounded.ts";
import { checkTime } from "../store/retry.ts";
import type { Until } from "../store/table.ts";
import type { EventDeps } from "./ports.ts";

/**
 * The same ports for work with a deadline: none of their calls begins after it. Tries and dead letters have a later
 * deadline, because they record the result of work that ran out of time. A function that was frozen since then starts
 * neither.
 */
export function boundedDeps(
  deps: EventDeps,
  timeBudgetMs: number,
  until: Until,
  isLongOver: () => boolean,
): EventDeps {
  const { bucket, deadLetters, clock } = deps;
  const wrapUp: Until = { signal: new AbortController().signal, isOver: isLongOver };
  const inTime = callsUntil(until);
  let slowestMs = 0;
  const timed: typeof inTime = async (call) => {
    const sinceMs = clock.nowMs();
    try {
      return await inTime(call);
    } finally {
      slowestMs = Math.max(slowestMs, clock.nowMs() - sinceMs);
    }
  };
  const beforeTheEnd = callsUntil(wrapUp);
  return {
    ...deps,
    timeBudgetMs,
    checkTime: () => checkTime(until),
    slowestAnswerMs: () => slowestMs,
    table: boundedTable(deps.table, until, timed),
    triesTable: boundedTable(deps.table, wrapUp),
    bucket: { ...bucket, get: (name) => timed(() => bucket.get(name)) },
    deadLetters: { send: (letters) => beforeTheEnd(() => deadLetters.send(letters)) },
  };
}
