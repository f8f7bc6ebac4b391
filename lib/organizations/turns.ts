import { eventLimits } from "../contract/limits.ts";
import { ErrorCollector } from "../runtime/error-collector.ts";
import { limitConcurrency } from "../runtime/limit-concurrency.ts";
import type { Store } from "../store/retry-on-conflict.ts";
import { type Item, queryAll } from "../store/table.ts";
import { untilTime } from "../store/until-time.ts";

/** Long work on one organization that waits for its turn. */
export type Waiting = {
  readonly uuid: string;
  /** The smallest is next. */
  readonly sinceMs: number;
  /** Another process works on it until then. */
  readonly busyUntilMs?: number;
};

type Turns = {
  /** The partition of the notes about the work that is left. */
  readonly pk: string;
  readonly timeBudgetMs: number;
  /** Undefined if the work is not due yet. */
  waitingOf(note: Item): Waiting | undefined;
  /** Returns whether this turn ended the work. If the time of the turn is up, its calls of the store throw `TimeUp`. */
  turn(bounded: Store, uuid: string, turnEndsMs: number): Promise<boolean>;
};

/**
 * One run of long work on several organizations: until all of it has ended, or the time is up. A few organizations work
 * at the same time. If there are more, they take turns by the clock, those that waited longest first, so that a small
 * organization does not wait for a large one. After each turn, and while it waits for another process, the run looks for
 * work that has begun since. An error ends only the work of its organization, until the next run. Returns how many ended.
 */
export async function takeTurns(store: Store, { pk, timeBudgetMs, waitingOf, turn }: Turns): Promise<number> {
  const { table, clock } = store;
  const notAfterMs = clock.nowMs() + timeBudgetMs;
  const errors = new ErrorCollector();
  const inTurn = limitConcurrency(eventLimits.movesAtOnce);
  const known = new Set<string>();
  const works: Array<Promise<void>> = [];
  let ended = 0;

  const work = async ({ uuid, busyUntilMs = 0 }: Waiting): Promise<void> => {
    const waitMs = Math.min(busyUntilMs, notAfterMs) - clock.nowMs();
    for (let waitedMs = 0; waitedMs < waitMs; waitedMs += eventLimits.moveTurnMs) {
      await clock.sleep(Math.min(eventLimits.moveTurnMs, waitMs - waitedMs));
      await beginAll();
    }
    let outcome: boolean | "time up" = "time up";
    while (outcome === "time up" && clock.nowMs() < notAfterMs) {
      outcome = await inTurn(() => {
        const turnEndsMs = Math.min(clock.nowMs() + eventLimits.moveTurnMs, notAfterMs);
        return untilTime(store, turnEndsMs, (bounded) => turn(bounded, uuid, turnEndsMs));
      });
      if (outcome === true) ended++;
      await beginAll();
    }
  };
  const beginAll = async (): Promise<void> => {
    const found: Waiting[] = [];
    for await (const note of queryAll(table, { pk })) {
      if (known.has(note.sk)) continue;
      known.add(note.sk);
      await errors.run(async () => {
        const waiting = waitingOf(note);
        if (waiting) found.push(waiting);
        else known.delete(note.sk);
      });
    }
    const inOrder = found.toSorted((one, other) => one.sinceMs - other.sinceMs);
    works.push(...inOrder.map((waiting) => errors.run(() => work(waiting))));
  };

  await errors.run(beginAll);
  // Grows meanwhile: work adds what it finds before it ends.
  for (const each of works) await each;
  errors.end();
  return ended;
}
