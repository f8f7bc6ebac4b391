import { eventLimits } from "../contract/limits.ts";
import { ErrorCollector } from "../runtime/error-collector.ts";
import { TimeUp } from "../runtime/time-up.ts";
import { boundedTable } from "../store/bounded.ts";
import type { Store } from "../store/retry-on-conflict.ts";
import { type Item, queryAll } from "../store/table.ts";

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
 * One run of long work on several organizations. They take turns by the clock, those that waited longest first, so that
 * a small organization does not wait for a large one. Work that its turn did not end continues after the others, or in
 * the next run. An error ends only the turn of its organization. Returns how many ended.
 */
export async function takeTurns(store: Store, { pk, timeBudgetMs, waitingOf, turn }: Turns): Promise<number> {
  const { table, clock } = store;
  const notAfterMs = clock.nowMs() + timeBudgetMs;
  const errors = new ErrorCollector();
  const found: Waiting[] = [];
  for await (const note of queryAll(table, { pk })) {
    await errors.run(async () => {
      const waiting = waitingOf(note);
      if (waiting) found.push(waiting);
    });
  }
  const queue = found.toSorted((one, other) => one.sinceMs - other.sinceMs);
  let ended = 0;
  for (let next = queue.shift(); next && clock.nowMs() < notAfterMs; next = queue.shift()) {
    const { uuid, busyUntilMs = 0 } = next;
    await errors.run(async () => {
      await clock.sleep(Math.max(0, Math.min(busyUntilMs, notAfterMs) - clock.nowMs()));
      const turnEndsMs = Math.min(clock.nowMs() + eventLimits.moveTurnMs, notAfterMs);
      const outcome = await untilTurnEnds(store, turnEndsMs, (bounded) => turn(bounded, uuid, turnEndsMs));
      if (outcome === "time up") queue.push({ uuid, sinceMs: clock.nowMs() });
      if (outcome === true) ended++;
    });
  }
  errors.end();
  return ended;
}

async function untilTurnEnds<Answer>(
  store: Store,
  turnEndsMs: number,
  work: (bounded: Store) => Promise<Answer>,
): Promise<Answer | "time up"> {
  const isOver = () => store.clock.nowMs() >= turnEndsMs;
  const table = boundedTable(store.table, { isOver, signal: new AbortController().signal });
  try {
    return await work({ ...store, table });
  } catch (error) {
    if (error instanceof TimeUp && isOver()) return "time up";
    throw error;
  }
}
