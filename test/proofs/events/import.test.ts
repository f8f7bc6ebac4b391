import { expect, test } from "vitest";
import { eventQueueSettings, queueLimits } from "../../../lib/contract/platform.ts";
import { importGroup, letterGroup } from "../../../lib/events/import-group.ts";
import type { EventQueue, QueueMessage } from "../../../lib/events/ports.ts";
import { sendEvents } from "../../../lib/events/send.ts";
import { importQueue, pacedQueue } from "../../../lib/operator/paced-queue.ts";
import type { Clock } from "../../../lib/runtime/clock.ts";
import { event, organizationName } from "../../events/support.ts";
import { finalized } from "../../support/event-data.ts";

const imported = 1_000_000;
/** What one tenant's stream takes, by however many workers: the scale page expects it; slower makes others wait longer. */
const appliedPerSecond = 100;
const sendBatchMs = 20;
const othersEveryMs = 60_000;

/** A hundred events of 25 organizations of one workspace, as `events send` makes messages of them. */
async function hundredMessages(): Promise<readonly QueueMessage[]> {
  const messages: QueueMessage[] = [];
  const queue = { send: async (sent: readonly QueueMessage[]) => void messages.push(...sent) };
  const bucket = { put: async () => undefined, get: async () => undefined };
  const events = Array.from({ length: 100 }, (_, index) =>
    event("pull_request.finalized", index, finalized(organizationName(`org-${index % 25}`), index)),
  );
  await sendEvents(queue, bucket, events);
  return messages;
}

/**
 * One FIFO queue with AWS's published rules: only the first 120,000 messages are looked at, and a group is with one
 * worker at a time. One tenant imports, and once a minute another tenant sends one event. A free worker gets it as soon
 * as SQS looks that far; if the groups of the import take every worker, it waits for what was sent before it.
 */
class SimulatedQueue implements EventQueue, Clock {
  #nowMs = 0;
  #sent = 0;
  readonly #groups = new Set<string>();
  readonly #others: Array<{ readonly sentMs: number; readonly behind: number }> = [];
  readonly waitsMs: number[] = [];

  nowMs(): number {
    return this.#nowMs;
  }

  async send(messages: readonly QueueMessage[]): Promise<void> {
    this.#sent += messages.length;
    for (const { group } of messages) this.#groups.add(group);
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
    const isWorkerFree = this.#groups.size < eventQueueSettings.workers;
    for (const first of [...this.#others]) {
      const ahead = first.behind - this.#applied();
      if (ahead >= (isWorkerFree ? queueLimits.lookAheadMax : 1)) return;
      this.waitsMs.push(this.#nowMs - first.sentMs);
      this.#others.shift();
    }
  }
}

async function waitsDuringImport(pace: (queue: SimulatedQueue) => EventQueue): Promise<number[]> {
  const simulated = new SimulatedQueue();
  const queue = pace(simulated);
  const hundred = await hundredMessages();
  for (let sent = 0; sent < imported; sent += hundred.length) await queue.send(hundred);
  simulated.finish();
  return simulated.waitsMs;
}

const paced = (queue: SimulatedQueue) => pacedQueue(queue, queue.count, queue);

test("during a large workspace's import of a million, another tenant's event is applied within a minute", async () => {
  const waits = await waitsDuringImport((queue) => importQueue(paced(queue), "one"));
  expect(waits.length).toBeGreaterThan(100);
  expect(Math.max(...waits)).toBeLessThan(60_000);
});

test("with a group per organization, the same import takes all workers; another tenant waits for minutes", async () => {
  expect(Math.max(...(await waitsDuringImport(paced)))).toBeGreaterThan(120_000);
});

test("sent without a pause, the same import makes another tenant wait for hours", async () => {
  const waits = await waitsDuringImport((queue) => importQueue(queue, "one"));
  expect(Math.max(...waits)).toBeGreaterThan(3_600_000);
});

test("dead letters of an import are in groups of their own, so that a receiver sees all of them", async () => {
  const [one, other] = ["1", "2"].map((id) => ({ id, group: importGroup("one") }));
  expect([one, other].map((each) => each && letterGroup(each))).toEqual(["1", "2"]);
  expect(letterGroup({ id: "1", group: "organization.1" })).toBe("organization.1");
});

test("a queue that no worker empties ends the import with a sentence", async () => {
  let nowMs = 0;
  const clock: Clock = {
    nowMs: () => nowMs,
    sleep: async (ms) => {
      nowMs += ms;
    },
  };
  const message = { id: "1", group: "one", body: "" };
  const queue = pacedQueue({ send: async () => undefined }, async () => 30_000, clock);
  await expect(queue.send(Array.from({ length: 1_000 }, () => message))).rejects.toThrow(
    "has not become shorter for 15 minutes",
  );
});
