import { ApiError } from "../contract/api-error.ts";
import { cacheLimits } from "../contract/limits.ts";
import type { RateLimit } from "../contract/operation.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Random } from "../runtime/random.ts";
import { limitKey } from "../store/layout.ts";
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
/** Eight characters until 2059, so comparing stamps as text compares their times. */
const stampTime = (ms: number): string => ms.toString(36);
const timeOfStamp = (stamp: string): number => Number.parseInt(stamp.slice(0, stamp.indexOf("#")), 36);

export function createRateLimiter({ clock, random }: { clock: Clock; random: Random }): RateLimiter {
  /** Stamps seen in each bucket. A stamp stays in its slot until it is a window old, so this never refuses wrongly. */
  const seen = new Map<string, Map<string, string>>();

  function remember(bucket: string, item: Item | undefined): Map<string, string> {
    const stamps = new Map<string, string>();
    for (const [name, value] of Object.entries(item ?? {})) {
      if (/^s\d+$/.test(name) && typeof value === "string") stamps.set(name, value);
    }
    seen.delete(bucket);
    seen.set(bucket, stamps);
    const oldest = seen.size > cacheLimits.bucketsMax ? seen.keys().next().value : undefined;
    if (oldest !== undefined) seen.delete(oldest);
    return stamps;
  }

  async function admit(table: Table, limit: RateLimit, owner: string): Promise<Admission> {
    const bucket = `${limit.bucket}#${owner}`;
    let stamps = seen.get(bucket) ?? new Map<string, string>();
    for (;;) {
      const nowMs = clock.nowMs();
      const young = youngStamps(limit, stamps, nowMs);
      const slots = freeSlots(limit, young);
      const slot = slots[slots.length > 1 ? random.below(slots.length) : 0];
      if (slot === undefined) throw new RateLimitExceeded(limit, secondsUntilFree(limit, young, nowMs));
      const taken = await take(table, { limit, owner, slot, nowMs });
      stamps = remember(bucket, taken.item);
      if (taken.admitted) return admissionOf(limit, stamps, nowMs);
    }
  }

  async function take(table: Table, { limit, owner, slot, nowMs }: Slot) {
    const cutoff = stampTime(nowMs - limit.windowSeconds * 1000);
    const stamp = `${stampTime(nowMs)}#${Buffer.from(random.bytes(6)).toString("base64url")}`;
    const expiresAtSeconds = Math.ceil(nowMs / 1000) + 2 * limit.windowSeconds;
    try {
      const item = await table.write(
        {
          update: limitKey(limit.bucket, owner),
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
      if (error instanceof ConditionFailed)
        return { admitted: error.item?.[slot] === stamp, item: error.item };
      if (error instanceof StoreUnavailable && error.throttled) throw new RateLimitExceeded(limit, 1, error);
      throw error;
    }
  }

  function refuseKnownFull(limit: RateLimit, owner: string): void {
    const stamps = seen.get(`${limit.bucket}#${owner}`);
    if (!stamps || stamps.size < limit.requestsMax) return;
    const nowMs = clock.nowMs();
    const young = youngStamps(limit, stamps, nowMs);
    if (freeSlots(limit, young).length > 0) return;
    throw new RateLimitExceeded(limit, secondsUntilFree(limit, young, nowMs));
  }

  return { refuseKnownFull, admit };
}

/** The taken slots, each with the time at which it was taken. */
type YoungStamps = ReadonlyMap<string, number>;

function youngStamps(limit: RateLimit, stamps: ReadonlyMap<string, string>, nowMs: number): YoungStamps {
  const cutoffMs = nowMs - limit.windowSeconds * 1000;
  const young = new Map<string, number>();
  for (const [slot, stamp] of stamps) {
    const atMs = timeOfStamp(stamp);
    if (atMs > cutoffMs) young.set(slot, atMs);
  }
  return young;
}

const freeSlots = (limit: RateLimit, young: YoungStamps): string[] =>
  Array.from({ length: limit.requestsMax }, (_, index) => slotName(index)).filter((slot) => !young.has(slot));

function secondsUntilFree(limit: RateLimit, young: YoungStamps, nowMs: number): number {
  const oldestMs = Math.min(...young.values(), nowMs);
  return Math.max(1, Math.ceil((oldestMs + limit.windowSeconds * 1000 - nowMs) / 1000));
}

function admissionOf(limit: RateLimit, stamps: ReadonlyMap<string, string>, nowMs: number): Admission {
  const young = youngStamps(limit, stamps, nowMs);
  const remaining = Math.max(0, limit.requestsMax - young.size);
  return { limit, remaining, resetSeconds: secondsUntilFree(limit, young, nowMs) };
}
