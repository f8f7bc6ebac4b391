import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { eventLimits, storeLimits } from "../../lib/contract/limits.ts";
import { eventQueueSettings } from "../../lib/contract/platform.ts";
import { AwsError } from "../../lib/runtime/aws-error.ts";
import type { Clock } from "../../lib/runtime/clock.ts";
import { retryStoreCall } from "../../lib/store/retry.ts";
import { seededRandom } from "../support/clock.ts";

/** Time passes only while everybody sleeps, and jumps to the next one who wakes. */
class VirtualTime implements Clock {
  #now = 0;
  readonly #sleepers: Array<{ readonly atMs: number; readonly wake: () => void }> = [];
  nowMs(): number {
    return this.#now;
  }
  sleep(ms: number): Promise<void> {
    return new Promise((wake) => this.#sleepers.push({ atMs: this.#now + ms, wake }));
  }
  /** Runs the work to its end; returns how long it took. */
  async take(work: Promise<unknown>): Promise<number> {
    let isDone = false;
    const ended = work.finally(() => {
      isDone = true;
    });
    for (await setImmediate(); !isDone; await setImmediate()) {
      this.#sleepers.sort((one, other) => other.atMs - one.atMs);
      const next = this.#sleepers.pop();
      this.#now = next?.atMs ?? this.#now;
      next?.wake();
    }
    await ended;
    return this.#now;
  }
}

const tripMs = 5;
const membersCount = 1_200;
const conflict = new AwsError({
  name: "TransactionCanceledException",
  status: 400,
  details: { CancellationReasons: [{ Code: "TransactionConflict" }] },
});

/** How long `workers` take to import the members of one workspace, whose transactions all change one guard. */
async function importTakes(workers: number): Promise<number> {
  const clock = new VirtualTime();
  const random = seededRandom(workers);
  let lockedUntilMs = 0;
  const transact = async () => {
    const isLocked = lockedUntilMs > clock.nowMs();
    if (!isLocked) lockedUntilMs = clock.nowMs() + tripMs;
    await clock.sleep(tripMs);
    if (isLocked) throw conflict;
  };
  /** One group of the queue: a message that fails hides its group. */
  const importGroup = async (members: number) => {
    const timeMs = eventQueueSettings.timeoutSeconds * 1_000 - eventLimits.workerMarginMs;
    for (let left = members; left > 0; ) {
      const endsMs = clock.nowMs() + timeMs;
      const until = { isOver: () => clock.nowMs() > endsMs, signal: new AbortController().signal };
      try {
        for (let message = 0; message < eventQueueSettings.batchMessagesMax && left > 0; message++) {
          await clock.sleep(3 * tripMs);
          const waiting = { clock, random, policy: storeLimits.retry };
          await retryStoreCall(waiting, { repeatAmbiguous: true, until }, transact);
          left--;
        }
      } catch {
        await clock.sleep(eventQueueSettings.visibilitySeconds * 1_000);
      }
    }
  };
  const groups = Array.from({ length: workers }, () => importGroup(membersCount / workers));
  return await clock.take(Promise.all(groups));
}

test("twenty workers import the members of one workspace at least as fast as one worker", async () => {
  const [alone, together] = [await importTakes(1), await importTakes(eventQueueSettings.workers)];
  expect(alone).toBe(membersCount * 4 * tripMs);
  expect(together).toBeLessThanOrEqual(alone);
});
