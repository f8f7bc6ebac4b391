import { expect, test } from "vitest";
import { pacedQueue } from "../../../cli/connection/paced-queue.ts";
import { queueLimits } from "../../../lib/contract/platform.ts";
import type { EventQueue } from "../../../lib/events/ports.ts";
import type { Clock } from "../../../lib/runtime/clock.ts";

const imported = 1_000_000;
/** A rate of one group that the scale page expects; slower makes the wait of others longer. */
const appliedPerSecond = 100;
const sendBatchMs = 20;
const othersEveryMs = 60_000;
const hundred = Array.from({ length: 100 }, (_, index) => ({ id: String(index), group: "one", body: "" }));

/**
 * One FIFO queue with AWS's published rule: only the first 120,000 messages are looked at. One group imports, and once
 * a minute another tenant sends one event, which a free worker gets as soon as SQS looks that far.
 */
class SimulatedQueue implements EventQueue, Clock {
  #nowMs = 0;
  #sent = 0;
  readonly #others: Array<{ readonly sentMs: number; readonly behind: number }> = [];
  readonly waitsMs: number[] = [];

  nowMs(): number {
    return this.#nowMs;
  }

  async send(messages: readonly unknown[]): Promise<void> {
    this.#sent += messages.length;
    this.#pass((messages.length / 10) * sendBatchMs);
  }

  async sleep(ms: number): Promise<void> {
    this.#pass(ms);
  }

  /** Sends nothing more, until all others have been served. */
  finish(): void {
    while (this.#others.length > 0) this.#pass(1_000);
  }

  count = async (): Promise<number> => this.#sent - this.#applied();

  #applied = (): number => Math.min(this.#sent, Math.floor((this.#nowMs / 1000) * appliedPerSecond));

  #pass(ms: number): void {
    const before = Math.floor(this.#nowMs / othersEveryMs);
    this.#nowMs += ms;
    if (Math.floor(this.#nowMs / othersEveryMs) > before && this.#applied() < imported)
      this.#others.push({ sentMs: this.#nowMs, behind: this.#sent });
    for (const first of [...this.#others]) {
      if (first.behind - this.#applied() >= queueLimits.lookAheadMax) return;
      this.waitsMs.push(this.#nowMs - first.sentMs);
      this.#others.shift();
    }
  }
}

async function waitsDuringImport(pace: (queue: SimulatedQueue) => EventQueue): Promise<number[]> {
  const simulated = new SimulatedQueue();
  const queue = pace(simulated);
  for (let sent = 0; sent < imported; sent += hundred.length) await queue.send(hundred);
  simulated.finish();
  return simulated.waitsMs;
}

test("during an import of a million, another tenant's event is applied within a minute", async () => {
  const waits = await waitsDuringImport((queue) => pacedQueue(queue, queue.count, queue));
  expect(waits.length).toBeGreaterThan(100);
  expect(Math.max(...waits)).toBeLessThan(60_000);
});

test("sent without a pause, the same import makes another tenant wait for hours", async () => {
  const waits = await waitsDuringImport((queue) => queue);
  expect(Math.max(...waits)).toBeGreaterThan(3_600_000);
});

test("a queue that no worker empties ends the import with a sentence", async () => {
  let nowMs = 0;
  const clock: Clock = {
    nowMs: () => nowMs,
    sleep: async (ms) => {
      nowMs += ms;
    },
  };
  const queue = pacedQueue({ send: async () => undefined }, async () => 30_000, clock);
  await expect(queue.send(Array.from({ length: 10 }, () => hundred).flat())).rejects.toThrow(
    "has not become shorter for 15 minutes",
  );
});
