import { describe, expect, test } from "vitest";
import { createRateLimiter } from "../../lib/access/rate-limiter.ts";
import * as kinds from "../../lib/contract/items.ts";
import type { RateLimit } from "../../lib/contract/operation.ts";
import { type Random, systemRandom } from "../../lib/runtime/random.ts";
import {
  ConditionFailed,
  type Item,
  type Table,
  type Write,
  type WriteOptions,
} from "../../lib/store/table.ts";
import { TestClock } from "../support/clock.ts";
import { tableWith } from "../support/partial-table.ts";

const one: RateLimit = { bucket: "one", requestsMax: 1, windowSeconds: 60, owner: "key" };
const ten: RateLimit = { ...one, bucket: "ten", requestsMax: 10 };

/** A single bucket in memory that admits every call and records the calls. */
function openTable(stored: Readonly<Record<string, string | number>> = {}) {
  const writes: Array<{ write: Write; options: WriteOptions | undefined }> = [];
  const item: Record<string, string | number> = { ...stored };
  const write = async (asked: Write, options?: WriteOptions): Promise<Item> => {
    writes.push({ write: asked, options });
    if (!("update" in asked)) throw new TypeError("The limiter only updates.");
    for (const [name, value] of asked.change.set ?? []) item[String(name)] = value as string | number;
    return { ...asked.update, ...item };
  };
  return { writes, table: tableWith({ write }) };
}

const refusing = (error: unknown): Table => tableWith({ write: () => Promise.reject(error) });
const limiterAt = (clock: TestClock, random: Random = systemRandom) => createRateLimiter({ clock, random });
const caught = (call: () => unknown) =>
  Promise.resolve()
    .then(call)
    .then(
      () => "admitted",
      (error: unknown) => error,
    );
const stamp = (ms: number) => `${ms.toString(36)}#abcdefgh`;

describe("the write for an admitted call", () => {
  test("the write for an admitted call fills a random free slot and sets when the bucket may be deleted", async () => {
    const clock = new TestClock("2026-11-15T12:00:00.300Z");
    const bounds: number[] = [];
    const below = (bound: number) => bounds.push(bound) && bound - 1;
    const { table, writes } = openTable();
    await limiterAt(clock, { ...systemRandom, below }).admit(table, ten, "acme");
    const now = clock.nowMs();
    expect(bounds).toEqual([10]);
    expect(writes).toEqual([
      {
        write: {
          update: kinds.limit.key({ bucket: "ten", owner: "acme" }),
          change: {
            set: [
              ["s9", expect.stringMatching(new RegExp(`^${now.toString(36)}#[A-Za-z0-9_-]{8}$`))],
              ["ttl", Math.ceil(now / 1000) + 120],
            ],
          },
          when: { any: [{ absent: "s9" }, { below: ["s9", `${(now - 60_000).toString(36)}$`] }] },
        },
        options: { returning: "new", idempotent: true },
      },
    ]);
  });

  test("the write for an admitted call takes the only free slot without a random choice", async () => {
    const clock = new TestClock();
    const busy = Array.from({ length: 9 }, (_, index) => [`s${index + 1}`, stamp(clock.nowMs())]);
    const { table, writes } = openTable(Object.fromEntries(busy));
    const below = (bound: number) => {
      if (bound < 10) throw new Error("There is nothing to choose.");
      return 5;
    };
    let tries = 0;
    // The first attempt meets a busy slot and learns all stamps; the second has one free slot left.
    const taken = tableWith({
      write: (write: Write, options?: WriteOptions) =>
        tries++ === 0
          ? Promise.reject(new ConditionFailed({ pk: "", sk: "", ...Object.fromEntries(busy) }))
          : table.write(write, options),
    });
    const admission = await limiterAt(clock, { ...systemRandom, below }).admit(taken, ten, "acme");
    expect(admission).toEqual({ limit: ten, remaining: 0, resetSeconds: 60 });
    expect(writes).toMatchObject([
      {
        write: {
          change: {
            set: [
              ["s0", expect.any(String)],
              ["ttl", expect.any(Number)],
            ],
          },
        },
      },
    ]);
  });
});

test("only the stamps of slots count as calls", async () => {
  const clock = new TestClock();
  const now = stamp(clock.nowMs());
  const { table } = openTable({ s1x: now, xs1: now, note: now, s3: clock.nowMs() });
  const random = { ...systemRandom, below: () => 0 };
  expect(await limiterAt(clock, random).admit(table, ten, "acme")).toMatchObject({ remaining: 9 });
});

describe("a refusal", () => {
  const full = (atMs: number) =>
    refusing(new ConditionFailed({ pk: "", sk: "", s0: stamp(atMs), ttl: 7, s1x: stamp(atMs), s1: 7 }));

  test("a refusal contains the limit, the window, the time until the next call, and that no call is left", async () => {
    const clock = new TestClock();
    for (const [agoMs, seconds, words] of [
      [0, 60, "60 seconds"],
      [57_001, 3, "3 seconds"],
      [58_000, 2, "2 seconds"],
      [59_000, 1, "1 second"],
      [59_999, 1, "1 second"],
    ] as const) {
      const refusal = await caught(() => limiterAt(clock).admit(full(clock.nowMs() - agoMs), one, "acme"));
      expect(refusal).toMatchObject({
        code: "RATE_LIMIT_EXCEEDED",
        message: `More than 1 requests in 60 seconds. Retry in ${words}.`,
        retryAfterSeconds: seconds,
        admission: { limit: one, remaining: 0, resetSeconds: seconds },
      });
    }
  });

  test("a refusal caused by clocks of other hosts that run ahead of ours still ends within the window", async () => {
    const clock = new TestClock();
    const refusal = await caught(() => limiterAt(clock).admit(full(clock.nowMs() + 5_000), one, "acme"));
    expect(refusal).toMatchObject({ retryAfterSeconds: 60 });
  });

  test("a stamp that is exactly one window old causes no refusal: the slot is tried again", async () => {
    const clock = new TestClock();
    let tries = 0;
    const table = tableWith({
      write: () => {
        tries++;
        if (tries === 2) return Promise.resolve({ pk: "", sk: "", s0: stamp(clock.nowMs()) });
        return Promise.reject(new ConditionFailed({ pk: "", sk: "", s0: stamp(clock.nowMs() - 60_000) }));
      },
    });
    expect(await limiterAt(clock).admit(table, one, "acme")).toMatchObject({ remaining: 0 });
    expect(tries).toBe(2);
  });

  test("an answer without stamps causes no refusal: the slot is tried again", async () => {
    let tries = 0;
    const table = tableWith({
      write: () =>
        tries++ === 0
          ? Promise.reject(new ConditionFailed(undefined))
          : Promise.resolve({ pk: "", sk: "", s0: stamp(0) }),
    });
    expect(await caught(() => limiterAt(new TestClock()).admit(table, one, "acme"))).toBe("admitted");
  });

  test("an unexpected error of the store is passed on unchanged", async () => {
    const error = new TypeError("planted");
    expect(await caught(() => limiterAt(new TestClock()).admit(refusing(error), one, "acme"))).toBe(error);
  });
});

describe("the memory of a warm function", () => {
  const known = (limiter: ReturnType<typeof limiterAt>, owner: string) =>
    caught(() => limiter.refuseKnownFull(one, owner));

  test("a warm function refuses a call to a full bucket without a read until the window has passed", async () => {
    const clock = new TestClock();
    const limiter = limiterAt(clock);
    expect(await known(limiter, "acme")).toBe("admitted");
    await limiter.admit(openTable().table, one, "acme");
    clock.advance(20_000);
    expect(await known(limiter, "acme")).toMatchObject({
      retryAfterSeconds: 40,
      admission: { remaining: 0 },
    });
    clock.advance(39_999);
    expect(await known(limiter, "acme")).toMatchObject({ retryAfterSeconds: 1 });
    clock.advance(1);
    expect(await known(limiter, "acme")).toBe("admitted");
  });

  test("a warm function remembers the last thousand buckets, and forgets the least recently used one first", async () => {
    const clock = new TestClock();
    const limiter = limiterAt(clock, { ...systemRandom, below: () => 0 });
    const two = { ...one, requestsMax: 2 };
    const taken = stamp(clock.nowMs());
    const admit = (owner: string, stored: Readonly<Record<string, string>> = { s1: taken }) =>
      limiter.admit(openTable(stored).table, two, owner);
    const full = (owner: string) => caught(() => limiter.refuseKnownFull(two, owner));
    await admit("owner-0", {});
    for (let owner = 1; owner < 1_000; owner++) await admit(`owner-${owner}`);
    expect(await full("owner-1")).not.toBe("admitted");
    // Owner 0 is used again, so owner 1 is now the oldest.
    await admit("owner-0", { s0: taken });
    await admit("newcomer");
    expect(await full("owner-1")).toBe("admitted");
    expect(await full("owner-2")).not.toBe("admitted");
    expect(await full("owner-0")).not.toBe("admitted");
    expect(await full("newcomer")).not.toBe("admitted");
  });
});
