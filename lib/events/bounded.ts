import { boundedTable } from "../store/bounded.ts";
import { checkTime } from "../store/retry.ts";
import type { Until } from "../store/table.ts";
import type { EventDeps } from "./ports.ts";

/**
 * The same ports for work that has a deadline: nothing of theirs is begun after it. Tries and dead letters have a later
 * one: they tell what became of work that the time ended. A function that was frozen since begins neither.
 */
export function boundedDeps(deps: EventDeps, until: Until, isLongOver: () => boolean): EventDeps {
  const { bucket, deadLetters } = deps;
  const wrapUp: Until = { signal: new AbortController().signal, isOver: isLongOver };
  return {
    ...deps,
    checkTime: () => checkTime(until),
    table: boundedTable(deps.table, until),
    triesTable: boundedTable(deps.table, wrapUp),
    bucket: { ...bucket, get: (name) => inTime(until, () => bucket.get(name)) },
    deadLetters: { send: (letters) => inTime(wrapUp, () => deadLetters.send(letters)) },
  };
}

async function inTime<Answer>(until: Until, call: () => Promise<Answer>): Promise<Answer> {
  checkTime(until);
  return await call();
}
