import { eventLimits } from "../contract/limits.ts";
import { TimeUp } from "../runtime/time-up.ts";
import type { Table } from "../store/table.ts";
import type { EventDeps } from "./ports.ts";

/** The ports of one try, and what they measured. */
export type WatchedTry = {
  readonly deps: EventDeps;
  /**
   * The time ran out during a try that had most of it, and the store and the bucket always answered quickly: the event
   * itself takes longer than a delivery. If they were slow or silent, the event is not to blame.
   */
  isOutlasted(error: unknown): boolean;
};

export function watchTry(deps: EventDeps): WatchedTry {
  const { clock, bucket, timeBudgetMs = Number.POSITIVE_INFINITY } = deps;
  const openSinceMs = new Set<{ readonly ms: number }>();
  let longestMs = 0;
  let begunMs: number | undefined;
  const watched = async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
    const since = { ms: clock.nowMs() };
    // The time of the first call, because a large event waits for its turn before it begins.
    begunMs ??= since.ms;
    openSinceMs.add(since);
    try {
      return await call();
    } finally {
      openSinceMs.delete(since);
      longestMs = Math.max(longestMs, clock.nowMs() - since.ms);
    }
  };
  return {
    deps: {
      ...deps,
      table: watchedTable(deps.table, watched),
      bucket: { ...bucket, get: (name) => watched(() => bucket.get(name)) },
    },
    isOutlasted(error) {
      if (!(error instanceof TimeUp) || begunMs === undefined) return false;
      const nowMs = clock.nowMs();
      const slowestMs = Math.max(longestMs, ...[...openSinceMs].map(({ ms }) => nowMs - ms));
      return slowestMs <= eventLimits.quickAnswerMsMax && nowMs - begunMs >= timeBudgetMs / 2;
    },
  };
}

type Watch = <Answer>(call: () => Promise<Answer>) => Promise<Answer>;

const watchedTable = (table: Table, watched: Watch): Table => ({
  get: (...given) => watched(() => table.get(...given)),
  getMany: (...given) => watched(() => table.getMany(...given)),
  transactGet: (...given) => watched(() => table.transactGet(...given)),
  queryPage: (...given) => watched(() => table.queryPage(...given)),
  scanPage: (...given) => watched(() => table.scanPage(...given)),
  write: (...given) => watched(() => table.write(...given)),
  transact: (...given) => watched(() => table.transact(...given)),
  writeMany: (...given) => watched(() => table.writeMany(...given)),
});
