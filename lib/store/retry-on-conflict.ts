import { eventLimits, storeLimits } from "../contract/limits.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Random } from "../runtime/random.ts";
import { backOff } from "./retry.ts";
import {
  ConditionFailed,
  DecisionsExhausted,
  type Table,
  TransactionRefused,
  WriteExpired,
} from "./table.ts";

/** The table, with the clock and the random source that a retry needs. */
export type Store = { readonly table: Table; readonly clock: Clock; readonly random: Random };

/**
 * A failed condition means that the data changed between reading and writing. An expired write has an old `momentMs`.
 * In both cases `decide` reads and decides again, a bounded number of times. `decide` must be safe to run after a write
 * that did happen, and takes its moment from the clock itself. The first attempt has number 0: only that one may use
 * data that was read before.
 */
export async function retryOnConflict<Answer>(
  store: Store,
  decide: (attempt: number) => Promise<Answer>,
): Promise<Answer> {
  const waiting = { clock: store.clock, random: store.random, policy: storeLimits.retry };
  for (let attempt = 0; ; attempt++) {
    try {
      return await decide(attempt);
    } catch (error) {
      if (!isOvertaken(error)) throw error;
      if (attempt + 1 >= eventLimits.decisionsMax) throw new DecisionsExhausted(error);
      await backOff(waiting, attempt);
    }
  }
}

const isOvertaken = (error: unknown): boolean =>
  error instanceof ConditionFailed || error instanceof TransactionRefused || error instanceof WriteExpired;
