import { createSecretKey, hkdfSync, type KeyObject } from "node:crypto";
import * as z from "zod";
import { ApiError } from "../contract/api-error.ts";
import { msPerDay } from "../contract/days.ts";
import * as kinds from "../contract/items.ts";
import { cacheLimits, cursorLimits } from "../contract/limits.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Random } from "../runtime/random.ts";
import { itemSchema, parseItem } from "../store/items/parse.ts";
import { type Item, type Table, writeIf } from "../store/table.ts";

const cursorKeysItem = itemSchema({
  current: z.string(),
  keys: z.record(z.string(), z.object({ secret: z.string(), created_at_ms: z.number() })),
});
type CursorKeys = z.output<typeof cursorKeysItem>;
export const parseCursorKeys = parseItem("cursor keys", cursorKeysItem);

export type CursorKey = { readonly id: string; readonly encryption: KeyObject };

export const cursorKeyIdBytes = 6;
const secretBytes = 32;

/** The keys that encrypt cursors: one item of the table, cached by a warm function. */
export class CursorKeyRing {
  readonly #clock: Clock;
  #known: CursorKeys | undefined;
  readonly #derived = new Map<string, CursorKey>();
  #knownSinceMs = 0;

  constructor({ clock }: { readonly clock: Clock }) {
    this.#clock = clock;
  }

  /** True if the next round of reads should include the item. */
  get isStale(): boolean {
    return this.#known === undefined || this.#clock.nowMs() - this.#knownSinceMs > cacheLimits.cursorKeysMs;
  }

  /** Caches the item that a round of reads returned. */
  accept(item: Item | undefined): void {
    if (!item) throw notMadeYet();
    this.#known = parseCursorKeys(item);
    this.#derived.clear();
    this.#knownSinceMs = this.#clock.nowMs();
  }

  current(): CursorKey {
    const id = this.#known?.current ?? "";
    const key = this.#find(id);
    if (!key) throw new TypeError("The cursor keys were not loaded.");
    return key;
  }

  /** Reads the item again for an unknown id: a cursor may name a key that was made after the last read. */
  async named(table: Table, id: string): Promise<CursorKey | undefined> {
    const known = this.#find(id);
    if (known || this.#knownSinceMs === this.#clock.nowMs()) return known;
    this.accept(await table.get(kinds.cursorKeys.key()));
    return this.#find(id);
  }

  #find(id: string): CursorKey | undefined {
    const known = this.#derived.get(id);
    if (known) return known;
    const keys = this.#known?.keys ?? {};
    const key = Object.hasOwn(keys, id) ? keys[id] : undefined;
    if (!key) return undefined;
    const derived = { id, encryption: encryptionKey(key.secret) };
    this.#derived.set(id, derived);
    return derived;
  }
}

/** Derived for this purpose alone. */
function encryptionKey(secret: string): KeyObject {
  const derived = hkdfSync("sha256", Buffer.from(secret, "base64url"), "", "cursor encryption", secretBytes);
  return createSecretKey(Buffer.from(derived));
}

/** The functions of the API cannot make a cursor key: their roles do not allow it. */
const notMadeYet = (): ApiError =>
  new ApiError("SERVICE_UNAVAILABLE", "The service is being set up. Retry the same request in a minute.", {
    retryAfterSeconds: 60,
    cause: new TypeError(
      "There are no cursor keys. The worker rotateCursorKeys makes them in the deployment and every minute: see why it fails.",
    ),
  });

type RotationDeps = { readonly table: Table; readonly clock: Clock; readonly random: Random };

/** Writes the first cursor key of a new table. A second call changes nothing. */
export async function createCursorKeys({ table, clock, random }: RotationDeps): Promise<void> {
  const fresh = newKey(clock, random);
  const put = { ...kinds.cursorKeys.key(), current: fresh.id, keys: { [fresh.id]: fresh.value } };
  await writeIf(table, { put, when: { absent: "pk" } }, { idempotent: true });
}

/** If there is none or the current one is old. Old keys still decrypt as long as their cursors can live. */
export async function rotateCursorKeys(
  deps: RotationDeps,
  { keyDaysMax }: { readonly keyDaysMax: number } = cursorLimits,
): Promise<"created" | "rotated" | "young"> {
  const item = await deps.table.get(kinds.cursorKeys.key());
  if (!item) {
    await createCursorKeys(deps);
    return "created";
  }
  const { current, keys } = parseCursorKeys(item);
  const usedForMs = deps.clock.nowMs() - (keys[current]?.created_at_ms ?? 0);
  if (usedForMs < keyDaysMax * msPerDay) return "young";
  const fresh = newKey(deps.clock, deps.random);
  // A key encrypts until its successor is made, so its last cursors are as old as the successor.
  const successors = Object.entries(keys).sort(
    ([, one], [, other]) => one.created_at_ms - other.created_at_ms,
  );
  const oldestUsefulMs = deps.clock.nowMs() - cursorLimits.resumeAgeDaysMax * msPerDay;
  const kept = successors.filter(([,], index) => {
    const successor = successors[index + 1];
    return !successor || successor[1].created_at_ms >= oldestUsefulMs;
  });
  await deps.table.write({
    put: {
      ...kinds.cursorKeys.key(),
      current: fresh.id,
      keys: { ...Object.fromEntries(kept), [fresh.id]: fresh.value },
    },
    when: { equals: ["current", current] },
  });
  return "rotated";
}

function newKey(clock: Clock, random: Random) {
  const id = Buffer.from(random.bytes(cursorKeyIdBytes)).toString("base64url");
  return {
    id,
    value: {
      secret: Buffer.from(random.bytes(secretBytes)).toString("base64url"),
      created_at_ms: clock.nowMs(),
    },
  };
}
