import { boundedTable } from "../store/bounded.ts";
import { checkTime } from "../store/retry.ts";
import type { Until } from "../store/table.ts";
import type { EventDeps } from "./ports.ts";

/** The same ports for work that has a deadline: nothing of theirs is begun after it. */
export function boundedDeps(deps: EventDeps, until: Until, isLongOver: () => boolean): EventDeps {
  const { bucket, deadLetters } = deps;
  const inTime = async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
    checkTime(until);
    return await call();
  };
  return {
    ...deps,
    table: boundedTable(deps.table, until),
    // A try that the time ended is taken back at once, or stays counted; never by a function that was frozen since.
    triesTable: boundedTable(deps.table, { signal: new AbortController().signal, isOver: isLongOver }),
    bucket: { ...bucket, get: (name) => inTime(() => bucket.get(name)) },
    deadLetters: { send: (letters) => inTime(() => deadLetters.send(letters)) },
  };
}
