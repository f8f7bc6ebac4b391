import { TimeUp } from "../runtime/time-up.ts";
import { boundedTable } from "./bounded.ts";
import type { Store } from "./retry-on-conflict.ts";

/** Does work that can be interrupted at any call of the store, and continues later, until it ends or the time is up. */
export async function untilTime<Answer>(
  store: Store,
  endsMs: number,
  work: (bounded: Store) => Promise<Answer>,
): Promise<Answer | "time up"> {
  const isOver = () => store.clock.nowMs() >= endsMs;
  const table = boundedTable(store.table, { isOver, signal: new AbortController().signal });
  try {
    return await work({ ...store, table });
  } catch (error) {
    if (error instanceof TimeUp && isOver()) return "time up";
    throw error;
  }
}
