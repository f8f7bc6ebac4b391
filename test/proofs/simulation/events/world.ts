import { draftKeyItem } from "../../../../lib/access/key-registry.ts";
import { operatorOrigin } from "../../../../lib/audit/entry.ts";
import * as kinds from "../../../../lib/contract/items.ts";
import { auditLimits } from "../../../../lib/contract/limits.ts";
import { organizationTenant } from "../../../../lib/contract/tenants.ts";
import { ingest } from "../../../../lib/events/ingest.ts";
import type { DeadLetter, EventDeps, QueueMessage, TriesToTakeBack } from "../../../../lib/events/ports.ts";
import { groupOf } from "../../../../lib/events/send.ts";
import type { KnownTenants } from "../../../../lib/metrics/finalize.ts";
import { changeOrganizationSettings } from "../../../../lib/organizations/settings.ts";
import { AwsError } from "../../../../lib/runtime/aws-error.ts";
import type { Clock } from "../../../../lib/runtime/clock.ts";
import type { Item, Key, Table, TransactionWrite } from "../../../../lib/store/table.ts";
import { Dice, diceRandom, Scheduler } from "../model/scheduler.ts";
import { SimulatedRun } from "../model/simulated-run.ts";
import { type Faults, ModelStore, noFaults } from "../model/store.ts";
import { randomFaults } from "../simulated-world.ts";
import { Process } from "../world.ts";
import { FlappingStore } from "./flapping.ts";
import {
  deadlyUser,
  forbiddenUser,
  lastingUser,
  makeHistory,
  organizations,
  refusedUser,
  type SimulatedEvent,
  users,
} from "./history.ts";
import { checkWaiting, endsMove, isReadToMove, movesBegunBy, scheduledMover } from "./moves.ts";
import { BusyPlatform } from "./platform.ts";
import { ModelQueue, queueRules } from "./queue.ts";
import { type BrokenRule, Violation } from "./violation.ts";

const stepMs = 25;
const timeBudgetMs = 28_000;
const stepsMax = 400_000;
/** Three and a half seconds, which is quick for a store; twelve of them exceed a worker's time. */
const lastingSteps = 140;
const baseMs = Date.parse("2026-11-15T12:00:00.000Z");

/** What a function keeps in memory from one batch to the next, until it ends. */
type Memory = { triesToTakeBack: TriesToTakeBack; readonly knownTenants: KnownTenants };

/** The code of a process that died runs on in the model, but what it remembers is lost. */
class MemoryOf<Name, Value> extends Map<Name, Value> {
  readonly #process: Process | undefined;
  constructor(process: Process, kept: ReadonlyMap<Name, Value>) {
    super();
    for (const [name, value] of kept) super.set(name, value);
    this.#process = process;
  }
  override set(name: Name, value: Value): this {
    return this.#process?.isAlive ? super.set(name, value) : this;
  }
}

/** A known bug, put back between the code and the store or the queue. */
export type EventWeakness = {
  readonly name: string;
  readonly breaks: readonly BrokenRule[];
  /** It must be caught within this many seeds. */
  readonly seedsMax: number;
  /** A seed that catches it, tried first: the other seeds are searched only when a change of the code has moved it. */
  readonly caughtAt: number;
  readonly table?: (table: Table, look: (key: Key) => Item | undefined, clock: Clock) => Table;
  readonly ingest?: typeof ingest;
};

const moveUnderWay = /^MoveUnderWay:/;

/** The world of one seed: whole groups of events, a queue with SQS's rules, workers that die and run out of time. */
export class EventWorld {
  readonly dice: Dice;
  readonly events: SimulatedEvent[];
  readonly letters: DeadLetter[] = [];
  readonly queue: ModelQueue;
  readonly keys: ReadonlyArray<{ readonly text: string; readonly uuid: string; readonly user: string }>;
  readonly #scheduler: Scheduler;
  readonly #store: ModelStore;
  readonly #weakness: EventWeakness | undefined;
  readonly #flapping: FlappingStore;
  readonly #platform: BusyPlatform;
  readonly clock: Clock;
  /** Organizations whose mode an admin changed, or tried to change. */
  readonly modeChanged = new Set<string>();
  /** How many ends of moves the scheduled worker reported. */
  movesReported = 0;
  /** The moves that events began. */
  readonly movesBegun = new Set<string>();
  isAllSent = false;
  /** By the id of the message. */
  readonly #eventOf = new Map<string, SimulatedEvent>();
  #passedMs = 0;
  readonly #run: SimulatedRun;
  /** Many answers of its store take seconds. */
  readonly isSlow: boolean;
  /** Many calls of its store fail. */
  readonly isRough: boolean;
  /** Its store becomes unavailable and comes back. */
  readonly isFlapping: boolean;
  /** Its platform sends more meanwhile, and its moves are long. */
  readonly isBusy: boolean;
  isClosing = false;

  constructor(seed: number, weakness?: EventWeakness) {
    this.dice = new Dice(seed);
    this.#scheduler = new Scheduler(this.dice);
    this.#run = new SimulatedRun(this.#scheduler, stepsMax, (message) => new Violation("endless", message));
    const faults = gentler(randomFaults(this.dice));
    this.isSlow = faults.slow > 0.05;
    this.isRough = faults.throttle > 0.001;
    this.#store = new ModelStore(this.#scheduler, this.dice, faults);
    this.#weakness = weakness;
    this.#flapping = new FlappingStore(this.#scheduler, seed);
    this.isFlapping = this.#flapping.isFlapping;
    this.#platform = new BusyPlatform(seed);
    this.isBusy = this.#platform.isBusy;
    this.queue = new ModelQueue(this.#scheduler, this.dice);
    const scheduler = this.#scheduler;
    this.clock = {
      nowMs: () => baseMs + this.#passedMs + scheduler.now * stepMs,
      sleep: (ms) => scheduler.sleep(1 + Math.ceil(ms / stepMs)),
    };
    this.events = makeHistory(this.dice);
    this.keys = organizations.flatMap(({ uuid }) => users.map((user) => this.#seedKey(uuid, user)));
  }

  #seedKey(uuid: string, user: string) {
    const tenant = organizationTenant(uuid);
    const fields = { kind: "user", tenant, organization: uuid, owner: user } as const;
    const { text, key } = draftKeyItem(this.deps(new Process()), fields);
    this.#store.seed(key);
    return { text, uuid, user };
  }

  /** `eventIds` are the events that the process will apply. */
  deps(process: Process, eventIds: readonly string[] = []): EventDeps & { retentionDays: number } {
    const behindMs = this.#platform.behindMs(eventIds);
    const clock = { ...this.clock, nowMs: () => this.clock.nowMs() - behindMs };
    return {
      table: this.#table(process, clock),
      clock,
      random: diceRandom(this.dice),
      retentionDays: auditLimits.retentionDaysDefault,
      receivesMax: queueRules.workerReceivesMax,
      log: (_level, _message, fields) => this.#hear(fields),
      bucket: { put: () => Promise.reject(new Error("no")), get: () => Promise.resolve(undefined) },
      deadLetters: { send: async (sent) => void (process.isAlive && this.letters.push(...sent)) },
    };
  }

  /** The store with faults for events that it cannot apply, and with the weakness under test. */
  #table(process: Process, clock: Clock): Table {
    const table = this.#flapping.over(this.#store.connect(process));
    const spoiled: Table = {
      ...table,
      transact: async (writes, options) => {
        if (writesMember(writes, refusedUser)) throw faultOf("ValidationException");
        if (writesMember(writes, forbiddenUser)) throw faultOf("AccessDeniedException");
        if (writesMember(writes, deadlyUser)) process.crash();
        // Some transactions are delayed, so that the state that they depend on changes meanwhile.
        if (this.dice.chance(0.1)) await this.#scheduler.sleep(this.dice.below(300));
        if (endsMove(writes)) await this.#scheduler.sleep(this.#platform.moveDelay());
        for (const move of movesBegunBy(writes)) this.movesBegun.add(move);
        return await table.transact(writes, options);
      },
      queryPage: async (range, resume) => {
        if (isReadToMove(range)) await this.#scheduler.sleep(this.#platform.moveDelay());
        return await table.queryPage(range, resume);
      },
      getMany: async (keys, options) => {
        const { sk } = kinds.member.key({ organization: "", userId: lastingUser });
        if (!keys.some((key) => key.sk === sk)) return await table.getMany(keys, options);
        // The answer is quick, and always that nothing is stored yet: the time ends before all decisions are made.
        await this.#scheduler.sleep(lastingSteps);
        return keys.map(() => undefined);
      },
    };
    return this.#weakness?.table?.(spoiled, (key) => this.truth(key), clock) ?? spoiled;
  }

  /** A group waits: for a move it waits only if its first event moves the organization again. */
  #hear({ messageIds, error }: { readonly [name: string]: unknown }): void {
    const isMoveUnderWay =
      Array.isArray(error) && error.some((line) => typeof line === "string" && moveUnderWay.test(line));
    if (!isMoveUnderWay || !Array.isArray(messageIds)) return;
    const [first] = messageIds;
    try {
      checkWaiting(this.#eventOf.get(String(first)), (key) => this.truth(key));
    } catch (violation) {
      this.fail(violation);
    }
  }

  /** What is committed. */
  truth(key: Key): Item | undefined {
    return this.#store.truth(key);
  }

  /** What a consistent read returns. */
  visible(key: Key): Item | undefined {
    return this.#store.all().find(({ pk, sk }) => pk === key.pk && sk === key.sk);
  }

  everything(): Item[] {
    return this.#store.all();
  }

  send(events: readonly SimulatedEvent[]): void {
    const messages = events.map((event): QueueMessage => {
      const { fate, ...sent } = event;
      const message = { id: event.id, group: groupOf(sent), body: JSON.stringify(sent) };
      // An event that is sent again has a new message id.
      const id = this.#eventOf.has(event.id) ? `${event.id} again ${this.#eventOf.size}` : event.id;
      this.#eventOf.set(id, event);
      return { ...message, id };
    });
    this.queue.send(messages);
  }

  /** Sends more while the first events are applied. */
  async platform(): Promise<void> {
    for (let left = this.#platform.burstsLeft(); left > 0; left--) {
      await this.#scheduler.sleep(this.#platform.pause());
      const burst = this.#platform.burst(this.clock.nowMs(), this.events);
      for (const event of burst) {
        if (!this.events.includes(event)) this.events.push(event);
        this.send([event]);
        await this.#scheduler.sleep(this.#platform.shortPause());
      }
    }
    this.isAllSent = true;
  }

  async mover(): Promise<void> {
    if (this.isBusy) await scheduledMover(this, () => this.#scheduler.sleep(200 + this.#platform.pause()));
  }

  /** An operator sends the dead letters again, with some seeds: bad ones come back, and affect no other event. */
  redrive(): boolean {
    if (this.letters.length === 0 || this.dice.chance(0.5)) return false;
    const random = diceRandom(this.dice);
    const again = this.letters.splice(0).map(({ group, body }) => ({ id: random.uuid(), group, body }));
    this.queue.send(again);
    return true;
  }

  async worker(): Promise<void> {
    const memory: Memory = { triesToTakeBack: new Map(), knownTenants: new Map() };
    while (!this.isClosing) {
      // No worker receives while nothing can be delivered.
      const untilVisible = Math.max(0, (this.queue.nextVisible ?? 0) - this.#scheduler.now);
      await this.#scheduler.sleep(1 + untilVisible + this.dice.below(20));
      const batch = this.queue.receive();
      if (batch.length > 0) await Promise.race([this.#deliver(batch, memory), this.#scheduler.sleep(5_000)]);
    }
  }

  async #deliver(batch: Parameters<ModelQueue["settle"]>[0], memory: Memory): Promise<void> {
    const { dice } = this;
    const process = new Process(() => memory.triesToTakeBack.clear());
    const triesToTakeBack = new MemoryOf(process, memory.triesToTakeBack);
    memory.triesToTakeBack = triesToTakeBack;
    const ids = batch.map(({ id }) => this.#eventOf.get(id)?.id ?? id);
    const deps = { ...this.deps(process, ids), triesToTakeBack, knownTenants: memory.knownTenants };
    const run = { isOver: false };
    const table = this.#watched(deps.table, run);
    // Some functions have little time, so that it ends in the middle of the work.
    const budgetMs = dice.chance(0.15) && !this.isClosing ? dice.below(timeBudgetMs) : timeBudgetMs;
    const apply = this.#weakness?.ingest ?? ingest;
    const failed = await apply({ ...deps, table }, batch, { timeBudgetMs: budgetMs });
    run.isOver = true;
    if (process.isAlive) this.queue.settle(batch, failed);
  }

  /** No write begins for a run that has answered, except that a try is taken back. */
  #watched(table: Table, run: { readonly isOver: boolean }): Table {
    const begin = (writes: readonly TransactionWrite[]): void => {
      const isTries = writes.every((write) => keyOf(write).pk.startsWith("TRIES#"));
      if (run.isOver && !isTries) this.fail(new Violation("late", "a write begins after its run has ended"));
    };
    return {
      ...table,
      write: (write, options) => {
        begin([write]);
        return table.write(write, options);
      },
      transact: (writes, options) => {
        begin(writes);
        return table.transact(writes, options);
      },
    };
  }

  /** An admin who repeatedly changes how seats are assigned. */
  async admin(): Promise<void> {
    for (let count = this.dice.below(6); count > 0; count--) {
      await this.#scheduler.sleep(this.dice.below(1_500));
      const { uuid } = this.dice.pick(organizations);
      this.modeChanged.add(uuid);
      const seat_assignment_mode = this.dice.pick(["automatic", "manual"] as const);
      const context = { ...this.deps(new Process()), ...operatorOrigin };
      // A failed change is not repeated here: the admin would repeat it.
      void changeOrganizationSettings(context, uuid, { seat_assignment_mode }).catch(() => {});
    }
  }

  fail(error: unknown): void {
    this.#run.fail(error);
  }

  passDays(days: number): void {
    this.#passedMs += days * 86_400_000;
  }

  calm(): void {
    this.#store.faults = noFaults;
    this.#flapping.end();
  }

  run(until?: () => boolean): Promise<void> {
    return this.#run.run(until);
  }

  finish<Answer>(work: Promise<Answer>): Promise<Answer> {
    return this.#run.finish(work);
  }
}

/** A batch makes hundreds of calls: with the rates of the stream simulation hardly any batch would succeed. */
const gentler = (faults: Faults): Faults => ({
  ...faults,
  crash: faults.crash / 40,
  crashAfterCommit: faults.crashAfterCommit / 60,
  timeOut: faults.timeOut / 8,
  throttle: faults.throttle / 8,
  invisible: Math.min(faults.invisible, 0.1),
  // The client does not send conditional single writes twice, and the model cannot distinguish them.
  echo: 0,
});

const keyOf = (write: TransactionWrite): Key => {
  if ("put" in write) return write.put;
  if ("update" in write) return write.update;
  return "delete" in write ? write.delete : write.check;
};

const writesMember = (writes: readonly TransactionWrite[], user: string): boolean =>
  writes.some(
    (write) => "put" in write && write.put.sk === kinds.member.key({ organization: "", userId: user }).sk,
  );

const faultOf = (name: string) => new AwsError({ name, status: 400, message: "It is refused." });
