import { describe, expect, test } from "vitest";
import { cacheLimits, cursorLimits } from "../../lib/contract/limits.ts";
import { CursorKeyRing, rotateCursorKeys } from "../../lib/http/cursor-keys.ts";
import { systemChance } from "../../lib/runtime/chance.ts";
import { cursorKeysKey } from "../../lib/store/layout.ts";
import { ConditionFailed, type Table } from "../../lib/store/table.ts";
import { TestClock } from "../support/clock.ts";
import { openStore, useStore } from "../support/engine.ts";
import { useFaultyEngine } from "../support/faulty-engine.ts";

const store = useStore();
const faulty = useFaultyEngine(() => store().endpoint);
const dayMs = 86_400_000;

const newRing = (clock = new TestClock()) => new CursorKeyRing({ clock, chance: systemChance });

/** A table nobody has used, which counts how often the keys are read. */
async function newTable() {
  const { table } = await openStore(store().endpoint);
  let reads = 0;
  const counted: Table = {
    ...table,
    get: (key, options) => {
      reads++;
      return table.get(key, options);
    },
  };
  return { table: counted, reads: () => reads };
}

/** Fails every write in the given way; nothing else of it is used. */
const refusing = (error: Error): Table => ({ ...store().table, write: () => Promise.reject(error) });

describe("the ring of signing keys", () => {
  test("says so when it is asked to sign before it was loaded", () => {
    expect(() => newRing().current()).toThrow(new TypeError("The cursor signing keys were not loaded."));
  });

  test("wants to be read at first, and again when what it knows is older than its bound", async () => {
    const clock = new TestClock();
    const ring = newRing(clock);
    expect(ring.isStale).toBe(true);
    expect(newRing(new TestClock("1970-01-01T00:00:00.000Z")).isStale).toBe(true);
    await ring.accept((await newTable()).table, undefined);
    expect(ring.isStale).toBe(false);
    clock.advance(cacheLimits.cursorKeysMs);
    expect(ring.isStale).toBe(false);
    clock.advance(1);
    expect(ring.isStale).toBe(true);
  });

  test("signs with 256 bits", async () => {
    const ring = newRing();
    await ring.accept((await newTable()).table, undefined);
    expect(ring.current().secret).toHaveLength(32);
  });

  test("asks the table for a key it does not know, once a moment, and never for one it knows", async () => {
    const { table, reads } = await newTable();
    const clock = new TestClock();
    const ring = newRing(clock);
    await ring.accept(table, undefined);
    const { id } = ring.current();
    expect(await ring.named(table, "no-such-key")).toBeUndefined();
    clock.advance(1);
    expect(await ring.named(table, id)).toEqual(ring.current());
    expect(reads()).toBe(0);
    expect(await ring.named(table, "no-such-key")).toBeUndefined();
    expect(await ring.named(table, "no-such-key")).toBeUndefined();
    expect(reads()).toBe(1);
  });

  test("finds a key by name when it was never loaded", async () => {
    const { table } = await newTable();
    const first = newRing();
    await first.accept(table, undefined);
    expect(await newRing().named(table, first.current().id)).toEqual(first.current());
  });

  test("of a new table is made once, however many functions begin with it at the same moment", async () => {
    const { table } = await newTable();
    const rings = Array.from({ length: 8 }, () => newRing());
    await Promise.all(rings.map((ring) => ring.accept(table, undefined)));
    expect(new Set(rings.map((ring) => ring.current().id)).size).toBe(1);
    expect(await table.get(cursorKeysKey)).toMatchObject({ current: rings[0]?.current().id });
  });

  test("is made although the answer to the write was lost", async () => {
    const { client, table } = await openStore(faulty.endpoint());
    let lost = 0;
    faulty.inject(({ operation }) => (operation === "PutItem" && lost++ === 0 ? "lost_after" : undefined));
    const ring = newRing();
    await ring.accept(table, undefined);
    faulty.inject();
    expect(lost).toBe(2);
    expect(await table.get(cursorKeysKey)).toMatchObject({ current: ring.current().id });
    client.destroy();
  });

  test.each([
    ["a fault", new TypeError("planted")],
    ["a refusal that does not show what is there", new ConditionFailed(undefined)],
  ])("is not made up after %s of the store", async (_, error) => {
    await expect(newRing().accept(refusing(error), undefined)).rejects.toBe(error);
  });

  test("that is damaged is named, without its content", async () => {
    const damaged = { ...cursorKeysKey, current: "k1", keys: { k1: { secret: 7, created_at_ms: 0 } } };
    await expect(newRing().accept(store().table, damaged)).rejects.toThrow(
      `The cursor signing keys at ${cursorKeysKey.pk} / ${cursorKeysKey.sk} is damaged in: keys.k1.secret.`,
    );
  });
});

describe("rotation", () => {
  test("of a table without keys leaves it so: the first request makes them", async () => {
    const { table } = await newTable();
    expect(await rotateCursorKeys({ table, clock: new TestClock(), chance: systemChance })).toBe("young");
    expect(await table.get(cursorKeysKey)).toBeUndefined();
  });

  test("comes when a key has signed for its days, not a moment earlier", async () => {
    const { table } = await newTable();
    const clock = new TestClock();
    await newRing(clock).accept(table, undefined);
    clock.advance(cursorLimits.signingDaysMax * dayMs - 1);
    expect(await rotateCursorKeys({ table, clock, chance: systemChance })).toBe("young");
    clock.advance(1);
    expect(await rotateCursorKeys({ table, clock, chance: systemChance })).toBe("rotated");
  });

  test("replaces a current key that is not among the keys", async () => {
    const { table } = await newTable();
    await table.write({ put: { ...cursorKeysKey, current: "gone", keys: {} } });
    const ring = newRing();
    expect(await rotateCursorKeys({ table, clock: new TestClock(), chance: systemChance })).toBe("rotated");
    await ring.accept(table, await table.get(cursorKeysKey));
    expect(ring.current().secret).toHaveLength(32);
  });
});
