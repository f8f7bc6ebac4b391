import { ApiError } from "../contract/api-error.ts";
import * as kinds from "../contract/items.ts";
import { cacheLimits } from "../contract/limits.ts";
import type { RateLimit } from "../contract/operation.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Random } from "../runtime/random.ts";
import { ConditionFailed, type Item, StoreUnavailable, type Table } from "../store/table.ts";

/**
 * An exact sliding window: a bucket is one item with N slots, and each slot holds the stamp of the call that it
 * admitted. A call takes a slot only if the slot is empty or its stamp is a window old, so a slot admits at most one
 * call per window. A call is refused only if all N stamps are younger. This is exact up to the hosts' clock skew.
 */
export type Admission = {
  readonly limit: RateLimit;
  readonly remaining: number;
  /** Seconds until the next slot becomes free. */
  readonly resetSeconds: number;
};

export class RateLimitExceeded extends ApiError {
  readonly admission: Admission;
  constructor(limit: RateLimit, retryAfterSeconds: number, cause?: unknown) {
    const seconds = retryAfterSeconds === 1 ? "1 second" : `${retryAfterSeconds} seconds`;
    super(
      "RATE_LIMIT_EXCEEDED",
      `More than ${limit.requestsMax} requests in ${limit.windowSeconds} seconds. Retry in ${seconds}.`,
      { retryAfterSeconds, cause },
    );
    this.admission = { limit, remaining: 0, resetSeconds: retryAfterSeconds };
  }
}

export type RateLimiter = {
  /** Throws RateLimitExceeded, without a call to the store, if every slot is known to be taken. */
  refuseKnownFull(limit: RateLimit, owner: string): void;
  /** Throws RateLimitExceeded; throws StoreUnavailable when the limiter cannot be reached at all. */
  admit(table: Table, limit: RateLimit, owner: string): Promise<Admission>;
};

type Slot = {
  readonly limit: RateLimit;
  readonly owner: string;
  readonly slot: string;
  readonly nowMs: number;
};

const slotName = (index: number): string => `s${index}`;

/** When each slot of a bucket was taken, by the slot's index; 0 for a slot that never was. */
type TakenTimes = readonly number[];

/** Eight characters until 2059, so comparing stamps as text compares their times. */
const stampTime = (ms: number): string => ms.toString(36);
const timeOfStamp = (stamp: string): number => Number.parseInt(stamp.slice(0, stamp.indexOf("#")), 36);

const takenTimesOf = ({ requestsMax }: RateLimit, item?: Item): TakenTimes =>
  Array.from({ length: requestsMax }, (_, index) => {
    const stamp = item?.[slotName(index)];
    return typeof stamp === "string" ? timeOfStamp(stamp) : 0;
  });

export function createRateLimiter({ clock, random }: { clock: Clock; random: Random }): RateLimiter {
  /** What was last seen of each bucket. A stamp stays in its slot until it is a window old, so this never refuses wrongly. */
  const seen = new Map<string, TakenTimes>();

  function remember(bucket: string, times: TakenTimes): void {
    seen.delete(bucket);
    seen.set(bucket, times);
    const oldest = seen.size > cacheLimits.bucketsMax ? seen.keys().next().value : undefined;
    if (oldest !== undefined) seen.delete(oldest);
  }

  async function admit(table: Table, limit: RateLimit, owner: string): Promise<Admission> {
    const bucket = `${limit.bucket}#${owner}`;
    let times = seen.get(bucket) ?? takenTimesOf(limit);
    for (;;) {
      const nowMs = clock.nowMs();
      const slots = freeSlots(limit, times, nowMs);
      const slot = slots[slots.length > 1 ? random.below(slots.length) : 0];
      if (slot === undefined) throw new RateLimitExceeded(limit, secondsUntilFree(limit, times, nowMs));
      const taken = await take(table, random, { limit, owner, slot: slotName(slot), nowMs });
      times = takenTimesOf(limit, taken.item);
      remember(bucket, times);
      if (taken.admitted)
        return {
          limit,
          remaining: freeSlots(limit, times, nowMs).length,
          resetSeconds: secondsUntilFree(limit, times, nowMs),
        };
    }
  }

  function refuseKnownFull(limit: RateLimit, owner: string): void {
    const times = seen.get(`${limit.bucket}#${owner}`);
    if (!times) return;
    const nowMs = clock.nowMs();
    if (freeSlots(limit, times, nowMs).length === 0)
      throw new RateLimitExceeded(limit, secondsUntilFree(limit, times, nowMs));
  }

  return { refuseKnownFull, admit };
}

/** Writes the stamp of a call into the slot, if the slot is free. */
async function take(table: Table, random: Random, { limit, owner, slot, nowMs }: Slot) {
  const cutoff = stampTime(nowMs - limit.windowSeconds * 1000);
  const stamp = `${stampTime(nowMs)}#${Buffer.from(random.bytes(6)).toString("base64url")}`;
  const expiresAtSeconds = Math.ceil(nowMs / 1000) + 2 * limit.windowSeconds;
  try {
    const item = await table.write(
      {
        update: kinds.limit.key({ bucket: limit.bucket, owner }),
        change: {
          set: [
            [slot, stamp],
            ["ttl", expiresAtSeconds],
          ],
        },
        // "$" sorts right after "#": stamps of the cutoff's own millisecond are old enough.
        when: { any: [{ absent: slot }, { below: [slot, `${cutoff}$`] }] },
      },
      { returning: "new", idempotent: true },
    );
    return { admitted: true, item };
  } catch (error) {
    // After a timeout, the retry finds the stamp of the first attempt: that stamp is our own.
    if (error instanceof ConditionFailed) return { admitted: error.item?.[slot] === stamp, item: error.item };
    if (error instanceof StoreUnavailable && error.throttled) throw new RateLimitExceeded(limit, 1, error);
    throw error;
  }
}

const isFree = ({ windowSeconds }: RateLimit, takenAtMs: number, nowMs: number): boolean =>
  takenAtMs <= nowMs - windowSeconds * 1000;

const freeSlots = (limit: RateLimit, times: TakenTimes, nowMs: number): number[] =>
  times.flatMap((takenAtMs, slot) => (isFree(limit, takenAtMs, nowMs) ? [slot] : []));

function secondsUntilFree(limit: RateLimit, times: TakenTimes, nowMs: number): number {
  const oldestMs = times
    .filter((takenAtMs) => !isFree(limit, takenAtMs, nowMs))
    .reduce((one, other) => Math.min(one, other), nowMs);
  return Math.max(1, Math.ceil((oldestMs + limit.windowSeconds * 1000 - nowMs) / 1000));
}
