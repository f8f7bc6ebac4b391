import { checkTime } from "./retry.ts";
import type { StoreCallOptions, Table, Until } from "./table.ts";

/**
 * A view of the table for work with a deadline: after it, no call and no attempt of a write begins. So work that nobody
 * waits for any more ends at its next call, also in a function that was frozen and continues later.
 */
export function boundedTable(table: Table, until: Until, inTime = callsUntil(until)): Table {
  const bounds = (options: StoreCallOptions = {}) => ({
    ...options,
    until: options.until ? firstOf(until, options.until) : until,
  });
  return {
    get: (key, options) => inTime(() => table.get(key, options)),
    getMany: (keys, options) => inTime(() => table.getMany(keys, options)),
    transactGet: (keys) => inTime(() => table.transactGet(keys)),
    queryPage: (range, resume) => inTime(() => table.queryPage(range, resume)),
    scanPage: (options, resume) => inTime(() => table.scanPage(options, resume)),
    write: (write, options) => inTime(() => table.write(write, bounds(options))),
    transact: (writes, options) => inTime(() => table.transact(writes, bounds(options))),
    writeMany: (writes, options) => inTime(() => table.writeMany(writes, bounds(options))),
  };
}

/** A bounded view of a bounded view: also the attempts end with the first of the two. */
const firstOf = (one: Until, other: Until): Until => ({
  signal: AbortSignal.any([one.signal, other.signal]),
  isOver: () => one.isOver() || other.isOver(),
});

/** Starts no call after the deadline. A call in progress rejects at once when the time is up. */
export function callsUntil(until: Until): <Answer>(call: () => Promise<Answer>) => Promise<Answer> {
  const over = new Promise<never>((_, reject) => {
    until.signal.addEventListener("abort", () => reject(until.signal.reason), { once: true });
  });
  over.catch(() => {});
  return async (call) => {
    checkTime(until);
    return await Promise.race([call(), over]);
  };
}
