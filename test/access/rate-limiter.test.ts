import { describe, expect, test } from "vitest";
import { createRateLimiter, RateLimitExceeded } from "../../lib/access/rate-limiter.ts";
import type { RateLimit } from "../../lib/contract/operation.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { StoreMeter } from "../../lib/store/meter.ts";
import { StoreUnavailable, type Table } from "../../lib/store/table.ts";
import { TestClock } from "../support/clock.ts";
import { useStore } from "../support/engine.ts";

const store = useStore();
const ten: RateLimit = { bucket: "ten", requestsMax: 10, windowSeconds: 60, owner: "key" };
const sixty: RateLimit = { ...ten, bucket: "sixty", requestsMax: 60 };
let owners = 0;
const freshOwner = () => `owner-${owners++}`;
const limiterAt = (clock: TestClock) => createRateLimiter({ clock, random: systemRandom });
const outcome = (call: Promise<unknown>) =>
  call.then(
    () => "admitted" as const,
    (error: unknown) => {
      if (error instanceof RateLimitExceeded) return "refused" as const;
      throw error;
    },
  );

describe("the sliding window", () => {
  test.each([ten, sixty])(
    "100 callers at once, each on its own host, admit exactly $requestsMax",
    async (limit) => {
      const { table } = store();
      const owner = freshOwner();
      const clock = new TestClock();
      const meter = new StoreMeter();
      const metered = table.metered(meter);
      const outcomes = await Promise.all(
        Array.from({ length: 100 }, () => outcome(limiterAt(clock).admit(metered, limit, owner))),
      );
      expect(outcomes.filter((each) => each === "admitted")).toHaveLength(limit.requestsMax);
      // One or two conditional writes per call: with a version counter, 100 callers would make thousands.
      expect(meter.calls.length / 100).toBeLessThan(2.5);
    },
  );

  test("the sliding window never admits an eleventh call in any 60 seconds, whatever the timing", async () => {
    const { table } = store();
    const clock = new TestClock();
    const owner = freshOwner();
    const admittedAt: number[] = [];
    const limiters = [limiterAt(clock), limiterAt(clock), limiterAt(clock)];
    for (let call = 0; call < 200; call++) {
      clock.advance(systemRandom.below(4_000));
      const limiter = limiters[call % limiters.length];
      if (limiter && (await outcome(limiter.admit(table, ten, owner))) === "admitted")
        admittedAt.push(clock.nowMs());
    }
    expect(admittedAt.length).toBeGreaterThan(25);
    for (const [index, atMs] of admittedAt.entries()) {
      const tenth = admittedAt[index + 10];
      if (tenth !== undefined) expect(tenth - atMs).toBeGreaterThanOrEqual(60_000);
    }
  });

  test("a caller that waits as long as Retry-After says is admitted, and a refused call does not count", async () => {
    const { table } = store();
    const clock = new TestClock();
    const owner = freshOwner();
    const limiter = limiterAt(clock);
    for (let call = 0; call < 10; call++) {
      await limiter.admit(table, ten, owner);
      clock.advance(1_700);
    }
    const refusal = await limiter.admit(table, ten, owner).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: "RATE_LIMIT_EXCEEDED", retryAfterSeconds: 43 });
    clock.advance(42_999);
    for (let call = 0; call < 20; call++)
      expect(await outcome(limiterAt(clock).admit(table, ten, owner))).toBe("refused");
    clock.advance(1);
    expect(await outcome(limiterAt(clock).admit(table, ten, owner))).toBe("admitted");
  });

  test("an admission reports how many calls are left and when the next slot becomes free", async () => {
    const { table } = store();
    const clock = new TestClock();
    const owner = freshOwner();
    expect(await limiterAt(clock).admit(table, ten, owner)).toEqual({
      limit: ten,
      remaining: 9,
      resetSeconds: 60,
    });
    clock.advance(10_500);
    expect(await limiterAt(clock).admit(table, ten, owner)).toEqual({
      limit: ten,
      remaining: 8,
      resetSeconds: 50,
    });
  });

  test("a warm function that has seen all stamps refuses without a call", async () => {
    const { table } = store();
    const clock = new TestClock();
    const owner = freshOwner();
    const limiter = limiterAt(clock);
    for (let call = 0; call < 10; call++) await limiter.admit(table, ten, owner);
    const meter = new StoreMeter();
    expect(() => limiter.refuseKnownFull(ten, owner)).toThrow(RateLimitExceeded);
    expect(await outcome(limiter.admit(table.metered(meter), ten, owner))).toBe("refused");
    expect(meter.calls).toHaveLength(0);
    clock.advance(60_000);
    expect(() => limiter.refuseKnownFull(ten, owner)).not.toThrow();
  });

  test("owners and buckets do not share a window", async () => {
    const { table } = store();
    const limiter = limiterAt(new TestClock());
    const owner = freshOwner();
    for (let call = 0; call < 10; call++) await limiter.admit(table, ten, owner);
    expect(await outcome(limiter.admit(table, ten, freshOwner()))).toBe("admitted");
    expect(await outcome(limiter.admit(table, { ...ten, bucket: "other" }, owner))).toBe("admitted");
  });
});

describe("when the store fails", () => {
  const failing = (error: Error): Table => ({ ...store().table, write: () => Promise.reject(error) });

  test("a throttled limiter counts as full", async () => {
    const table = failing(new StoreUnavailable(new Error("throttled"), true));
    const refusal = await limiterAt(new TestClock())
      .admit(table, ten, freshOwner())
      .catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: "RATE_LIMIT_EXCEEDED", retryAfterSeconds: 1 });
  });

  test("an unreachable limiter reports that, and the chain decides", async () => {
    const table = failing(new StoreUnavailable(new Error("down"), false));
    await expect(limiterAt(new TestClock()).admit(table, ten, freshOwner())).rejects.toBeInstanceOf(
      StoreUnavailable,
    );
  });

  test("a write whose answer was lost is recognised by its stamp and takes only one slot", async () => {
    const { table } = store();
    const owner = freshOwner();
    const repeating: Table = {
      ...table,
      write: async (write, options) => {
        await table.write(write, options);
        return await table.write(write, options);
      },
    };
    expect(await limiterAt(new TestClock()).admit(repeating, ten, owner)).toMatchObject({ remaining: 9 });
  });
});
