import { describe, expect, test } from "vitest";
import { msPerDay } from "../../lib/contract/days.ts";
import * as kinds from "../../lib/contract/items.ts";
import { cacheLimits, cursorLimits } from "../../lib/contract/limits.ts";
import { CursorKeyRing, createCursorKeys, rotateCursorKeys } from "../../lib/http/cursor-keys.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { ConditionFailed, type Table } from "../../lib/store/table.ts";
import { TestClock } from "../support/clock.ts";
import { openStore, useStore } from "../support/engine.ts";
import { useFaultyEngine } from "../support/faulty-engine.ts";

const store = useStore();
const faulty = useFaultyEngine(() => store().endpoint);

const newRing = (clock = new TestClock()) => new CursorKeyRing({ clock });

/** A table with its first keys; it counts the reads of the keys. */
async function newTable({ clock = new TestClock(), hasKeys = true } = {}) {
  const { table } = await openStore(store().endpoint);
  if (hasKeys) await createCursorKeys({ table, clock, random: systemRandom });
  const item = await table.get(kinds.cursorKeys.key());
  let reads = 0;
  const counted: Table = {
    ...table,
    get: (key, options) => {
      reads++;
      return table.get(key, options);
    },
  };
  return { table: counted, item, reads: () => reads };
}

/** Fails every write with the error; nothing else of the table is used. */
const refusing = (error: Error): Table => ({ ...store().table, write: () => Promise.reject(error) });

describe("the ring of cursor keys", () => {
  test("the ring of cursor keys throws when it must encrypt before it is loaded", () => {
    expect(() => newRing().current()).toThrow(new TypeError("The cursor keys were not loaded."));
  });

  test("the ring of cursor keys must be read first, and again when its content is older than the limit", async () => {
    const clock = new TestClock();
    const ring = newRing(clock);
    expect(ring.isStale).toBe(true);
    expect(newRing(new TestClock("1970-01-01T00:00:00.000Z")).isStale).toBe(true);
    ring.accept((await newTable()).item);
    expect(ring.isStale).toBe(false);
    clock.advance(cacheLimits.cursorKeysMs);
    expect(ring.isStale).toBe(false);
    clock.advance(1);
    expect(ring.isStale).toBe(true);
  });

  test("the ring of cursor keys encrypts with a key of 256 bits", async () => {
    const ring = newRing();
    ring.accept((await newTable()).item);
    expect(ring.current().encryption.symmetricKeySize).toBe(32);
  });

  test("the ring of cursor keys reads the table only for an unknown key, at most once per interval", async () => {
    const { table, item, reads } = await newTable();
    const clock = new TestClock();
    const ring = newRing(clock);
    ring.accept(item);
    const { id } = ring.current();
    expect(await ring.named(table, "no-such-key")).toBeUndefined();
    clock.advance(1);
    expect(await ring.named(table, id)).toEqual(ring.current());
    expect(reads()).toBe(0);
    expect(await ring.named(table, "no-such-key")).toBeUndefined();
    expect(await ring.named(table, "no-such-key")).toBeUndefined();
    expect(reads()).toBe(1);
  });

  test("the ring of cursor keys finds a key by name even if it was never loaded", async () => {
    const { table, item } = await newTable();
    const first = newRing();
    first.accept(item);
    expect(await newRing().named(table, first.current().id)).toEqual(first.current());
  });

  test("a request does not create the ring of cursor keys of a new table: it gets a 503 with Retry-After", async () => {
    const { table, item } = await newTable({ hasKeys: false });
    const problem = {
      code: "SERVICE_UNAVAILABLE",
      message: "The service is being set up. Retry the same request in a minute.",
      retryAfterSeconds: 60,
      cause: new TypeError(
        "There are no cursor keys. The worker rotateCursorKeys makes them in the deployment and every minute: see why it fails.",
      ),
    };
    expect(() => newRing().accept(item)).toThrow(expect.objectContaining(problem));
    await expect(newRing().named(table, "any")).rejects.toMatchObject(problem);
    expect(await table.get(kinds.cursorKeys.key())).toBeUndefined();
  });

  test("the ring of cursor keys reports the damaged fields without their content", async () => {
    const damaged = {
      ...kinds.cursorKeys.key(),
      current: "k1",
      keys: { k1: { secret: 7, created_at_ms: 0 } },
    };
    expect(() => newRing().accept(damaged)).toThrow(
      `The cursor keys at ${kinds.cursorKeys.key().pk} / ${kinds.cursorKeys.key().sk} is damaged in: keys.k1.secret.`,
    );
  });
});

describe("rotation", () => {
  test("the first cursor key of a table is created once, even if many workers create one at the same moment", async () => {
    const { table } = await newTable({ hasKeys: false });
    const deps = { table, clock: new TestClock(), random: systemRandom };
    const workers = 8;
    const everyWorkerHasRead = Promise.withResolvers<void>();
    let reads = 0;
    const get: Table["get"] = async (...given) => {
      const item = await table.get(...given);
      if (++reads === workers) everyWorkerHasRead.resolve();
      await everyWorkerHasRead.promise;
      return item;
    };
    const seen = await Promise.all(
      Array.from({ length: workers }, async () => {
        expect(await rotateCursorKeys({ ...deps, table: { ...table, get } })).toBe("created");
        return table.get(kinds.cursorKeys.key());
      }),
    );
    expect(new Set(seen.map((item) => item?.current)).size).toBe(1);
    await createCursorKeys(deps);
    expect(await table.get(kinds.cursorKeys.key())).toEqual(seen[0]);
    expect(await rotateCursorKeys(deps)).toBe("young");
  });

  test("the first cursor key is created although the answer to the write was lost", async () => {
    const { client, table } = await openStore(faulty.endpoint());
    let lost = 0;
    faulty.inject(({ operation }) => (operation === "PutItem" && lost++ === 0 ? "lost_after" : undefined));
    await createCursorKeys({ table, clock: new TestClock(), random: systemRandom });
    faulty.inject();
    expect(lost).toBe(2);
    const ring = newRing();
    ring.accept(await table.get(kinds.cursorKeys.key()));
    expect(ring.current().encryption.symmetricKeySize).toBe(32);
    client.destroy();
  });

  test("the creation of cursor keys passes on an error of the store", async () => {
    const error = new TypeError("planted");
    const deps = { table: refusing(error), clock: new TestClock(), random: systemRandom };
    await expect(createCursorKeys(deps)).rejects.toBe(error);
  });

  test("cursor keys are rotated when the current one has encrypted for its number of days, not earlier", async () => {
    const clock = new TestClock();
    const { table } = await newTable({ clock });
    clock.advance(cursorLimits.keyDaysMax * msPerDay - 1);
    expect(await rotateCursorKeys({ table, clock, random: systemRandom })).toBe("young");
    clock.advance(1);
    expect(await rotateCursorKeys({ table, clock, random: systemRandom })).toBe("rotated");
  });

  test("of two rotations at once one wins, and the key that it made stays", async () => {
    const clock = new TestClock();
    const { table } = await newTable({ clock });
    clock.advance(cursorLimits.keyDaysMax * msPerDay);
    let winner: unknown;
    const overtaken: Table = {
      ...table,
      write: async (...given) => {
        winner = await rotateCursorKeys({ table, clock, random: systemRandom });
        return await table.write(...given);
      },
    };
    const late = rotateCursorKeys({ table: overtaken, clock, random: systemRandom });
    await expect(late).rejects.toThrow(ConditionFailed);
    expect(winner).toBe("rotated");
    const item = await table.get(kinds.cursorKeys.key());
    expect(Object.keys(Object(item?.keys))).toHaveLength(2);
  });

  test("rotation replaces a current cursor key that is missing in the list of keys", async () => {
    const { table } = await newTable();
    await table.write({ put: { ...kinds.cursorKeys.key(), current: "gone", keys: {} } });
    const ring = newRing();
    expect(await rotateCursorKeys({ table, clock: new TestClock(), random: systemRandom })).toBe("rotated");
    ring.accept(await table.get(kinds.cursorKeys.key()));
    expect(ring.current().encryption.symmetricKeySize).toBe(32);
  });
});
