import { withCopies, writeOwed } from "../audit/owed.ts";
import * as kinds from "../contract/items.ts";
import { eventLimits, peopleLimits, storeLimits } from "../contract/limits.ts";
import type { PoolKey } from "../contract/tenants.ts";
import { log } from "../runtime/log.ts";
import { type PersonItem, type PoolItem, parsePerson, parsePool } from "../store/items/people.ts";
import { unlessDamaged } from "../store/items/unless-damaged.ts";
import { poolGuardKey } from "../store/layout.ts";
import { backOff } from "../store/retry.ts";
import { retryOnConflict, type Store } from "../store/retry-on-conflict.ts";
import { type Item, type Key, queryAll, type Table } from "../store/table.ts";
import { filledSeatsEntry } from "./automatic-entry.ts";
import { type PersonChange, peopleWrites } from "./change.ts";
import { lacksSeat } from "./person.ts";

export async function readPool(table: Table, pool: PoolKey): Promise<PoolItem | undefined> {
  const item = await table.get(poolGuardKey(pool));
  return item && parsePool(item);
}

const canSeatSomebody = (guard: PoolItem | undefined): guard is PoolItem =>
  guard !== undefined && guard.seats_free > 0 && guard.seats_short > 0;

/**
 * Seats became free: people who were due a seat and found none free get one, in the order of their keys, while seats
 * are free. Costs one read when there is nothing to do; safe to run at any time, also concurrently.
 */
export async function fillSeats(store: Store, pool: PoolKey): Promise<void> {
  const waiting = { clock: store.clock, random: store.random, policy: storeLimits.retry };
  for (let pass = 0; canSeatSomebody(await readPool(store.table, pool)); pass++) {
    if (pass === eventLimits.decisionsMax) {
      log(
        "error",
        "The guard counts people who wait for a seat, but no such person exists. Check `seats_short` of this pool.",
        {
          pool,
        },
      );
      return;
    }
    // A committed transaction becomes visible item by item: the guard may count a person that a query cannot see yet.
    if (pass > 0) await backOff(waiting, pass - 1);
    const found = await seatThoseFound(store, pool);
    // The guard may count the damaged people: no further pass would find them.
    if (found.damaged > 0) return;
  }
}

/** A damaged person is logged and does not stop the others. */
const personUnlessDamaged = (item: Item) => unlessDamaged(parsePerson, item, "The filling of seats");

async function seatThoseFound(store: Store, pool: PoolKey): Promise<{ readonly damaged: number }> {
  let keys: Key[] = [];
  let memberships = 0;
  let damaged = 0;
  for await (const item of queryAll(store.table, kinds.person.range({ pool }))) {
    const person = personUnlessDamaged(item);
    if (!person) damaged++;
    if (person && lacksSeat(person)) {
      keys.push({ pk: item.pk, sk: item.sk });
      memberships += person.memberships.length;
    }
    // Leave room for one more person with the maximum number of memberships.
    const isFull = memberships > peopleLimits.membershipsTogetherMax - peopleLimits.membershipsMax;
    if (!isFull && keys.length < eventLimits.peopleSeatedTogetherMax) continue;
    if (!(await seatTogether(store, pool, keys))) return { damaged };
    keys = [];
    memberships = 0;
  }
  await seatTogether(store, pool, keys);
  return { damaged };
}

/** Returns false if no seat is free or nobody is waiting for one. */
const seatTogether = (store: Store, pool: PoolKey, keys: readonly Key[]): Promise<boolean> =>
  retryOnConflict(store, async () => {
    const [guardItem, ...items] = await store.table.getMany([poolGuardKey(pool), ...keys]);
    const guard = guardItem && parsePool(guardItem);
    if (!canSeatSomebody(guard)) return false;
    const short = items
      .filter((item) => item !== undefined)
      .filter((item) => lacksSeat(personUnlessDamaged(item)));
    const changes = short.slice(0, guard.seats_free).map((item) => personChange(item, { seat: true }));
    if (changes.length > 0) await seatAndRecord(store, pool, changes);
    return true;
  });

/** One transaction. For people of many organizations, copies of its entry that do not fit are written after it. */
async function seatAndRecord(store: Store, pool: PoolKey, changes: readonly PersonChange[]): Promise<void> {
  const entry = await filledSeatsEntry(
    store,
    pool,
    changes.map(({ after }) => after),
  );
  const { writes, owed } = withCopies(peopleWrites(pool, changes), entry);
  await store.table.transact(writes);
  await writeOwed(store, owed);
}

/** Whether the seat or the decision about it changes. */
export const isChange = ({ before, after }: PersonChange): boolean =>
  before?.seat !== after.seat || before.seat_decided !== after.seat_decided;

export function personChange(
  stored: Item,
  seat: Partial<Pick<PersonItem, "seat" | "seat_decided">>,
): PersonChange & { readonly before: PersonItem } {
  const before = parsePerson(stored);
  return { stored, before, after: { ...before, ...seat } };
}
