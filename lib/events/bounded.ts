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
  const { bucket, deadLetters } = deps;
  const wrapUp: Until = { signal: new AbortController().signal, isOver: isLongOver };
  const inTime = callsUntil(until);
  const beforeTheEnd = callsUntil(wrapUp);
  return {
    ...deps,
    timeBudgetMs,
    checkTime: () => checkTime(until),
    table: boundedTable(deps.table, until),
    triesTable: boundedTable(deps.table, wrapUp),
    bucket: { ...bucket, get: (name) => inTime(() => bucket.get(name)) },
    deadLetters: { send: (letters) => beforeTheEnd(() => deadLetters.send(letters)) },
  };
}
