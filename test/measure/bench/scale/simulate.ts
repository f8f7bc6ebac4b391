import { eventQueueSettings } from "../../../../lib/contract/platform.ts";
import { assumed } from "./assumptions.ts";

/**
 * A tenant's events, as the FIFO queue delivers them: one batch of its group at a time, up to ten waiting messages. A
 * batch takes its sequential trips to DynamoDB, and the worker's own time for each event.
 */
export type StreamLoad = {
  readonly eventsPerSecond: number;
  readonly batchMax: number;
  /** Sequential trips of one batch. */
  readonly tripsPerBatch: number;
  /** Assumed. */
  readonly tripMs: number;
  /** The worker's own processor time for one event; measured in the ingest benchmark. */
  readonly workMsEach: number;
  /** The time that SQS and Lambda take to deliver a batch. Assumed. */
  readonly handoverMs: number;
};

export type StreamOutcome = {
  readonly waitMsP50: number;
  readonly waitMsP99: number;
  readonly keepsUp: boolean;
};

/** Arrivals at random moments, from its own generator: the same figures every time. */
export function simulateStream(load: StreamLoad): StreamOutcome {
  const random = seeded(20_261_115);
  const waits: number[] = [];
  let nextArrivalMs = 0;
  let freeAtMs = 0;
  const waiting: number[] = [];
  const endMs = assumed.simulatedSeconds * 1000;
  const arrive = (untilMs: number) => {
    while (nextArrivalMs <= untilMs && nextArrivalMs < endMs) {
      waiting.push(nextArrivalMs);
      nextArrivalMs += (-Math.log(1 - random()) * 1000) / load.eventsPerSecond;
    }
  };
  while (true) {
    if (waiting.length === 0) {
      if (nextArrivalMs >= endMs) break;
      freeAtMs = Math.max(freeAtMs, nextArrivalMs);
    }
    arrive(freeAtMs);
    const batch = waiting.splice(0, load.batchMax);
    freeAtMs += load.handoverMs + load.tripsPerBatch * load.tripMs + batch.length * load.workMsEach;
    waits.push(...batch.map((arrivedMs) => freeAtMs - arrivedMs));
  }
  const sorted = waits.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  // A stream that falls behind ends long after the last event arrived.
  return { waitMsP50: at(0.5), waitMsP99: at(0.99), keepsUp: freeAtMs < endMs + 5_000 };
}

/**
 * The events of many tenants: each worker takes one batch of the tenant that waits longest, and no tenant is with two
 * workers. Returns whether all are applied soon after the last arrived.
 */
export function keepsUpTogether(load: StreamLoad & { tenants: number; workers: number }): boolean {
  const random = seeded(20_261_117);
  const waiting = Array.from({ length: load.tenants }, (): number[] => []);
  const endMs = (assumed.simulatedSeconds * 1000) / 10;
  for (let atMs = 0; atMs < endMs; atMs += (-Math.log(1 - random()) * 1000) / load.eventsPerSecond)
    waiting[Math.floor(random() * load.tenants)]?.push(atMs);
  const workers = new Array<number>(load.workers).fill(0);
  const freeAtMs = new Array<number>(load.tenants).fill(0);
  for (;;) {
    const startOf = (tenant: number) => Math.max(waiting[tenant]?.[0] ?? Infinity, freeAtMs[tenant] ?? 0);
    const next = freeAtMs.reduce((best, _, tenant) => (startOf(tenant) < startOf(best) ? tenant : best), 0);
    if (startOf(next) === Infinity) return Math.max(...workers) < endMs + 5_000;
    const worker = workers.indexOf(Math.min(...workers));
    const startMs = Math.max(workers[worker] ?? 0, startOf(next));
    const arrived = waiting[next]?.findIndex((atMs) => atMs > startMs) ?? -1;
    const batch =
      waiting[next]?.splice(0, Math.min(load.batchMax, arrived < 0 ? load.batchMax : arrived)) ?? [];
    const doneMs =
      startMs + load.handoverMs + load.tripsPerBatch * load.tripMs + batch.length * load.workMsEach;
    workers[worker] = doneMs;
    freeAtMs[next] = doneMs;
  }
}

/** The highest rate of events per second that one tenant's stream handles without falling behind. */
export const capacityOf = ({
  batchMax,
  tripsPerBatch,
  tripMs,
  workMsEach,
  handoverMs,
}: Omit<StreamLoad, "eventsPerSecond">): number =>
  (batchMax * 1000) / (handoverMs + tripsPerBatch * tripMs + batchMax * workMsEach);

/** Sequential trips, counted by test/measure/bench/scale/trips.test.ts. */
export const trips = {
  /** Of a full batch of new pull requests, and of one whose pull requests all change an older entry, by a warm worker. */
  newBatch: 3,
  changedBatch: 5,
  /** Of a piece of the index's full check, besides the pages of records and vectors. */
  piece: 20,
} as const;

export const streamLoads = (workMsEach: number, tripMs: number, tripsPerBatch: number = trips.newBatch) => {
  const workMs = workMsEach / assumed.lambdaSpeed;
  const common = { tripsPerBatch, tripMs, workMsEach: workMs, handoverMs: assumed.handoverMs };
  return {
    "ten a batch": { ...common, batchMax: eventQueueSettings.batchMessagesMax },
    "one at a time": { ...common, batchMax: 1 },
  } as const;
};

export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
