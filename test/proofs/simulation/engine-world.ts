import { systemClock } from "../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../lib/runtime/random.ts";
import { type Item, type Key, StoreUnavailable, type Table } from "../../../lib/store/table.ts";
import { readPage } from "../../../lib/stream/read-page.ts";
import type { StreamDeps } from "../../../lib/stream/stream.ts";
import { scanAll } from "../../support/scan-all.ts";
import { type HistoryEvent, makeHistory } from "./history.ts";
import { Dice } from "./model/scheduler.ts";
import type { Walk } from "./walk.ts";
import { firstItems, organizations, type Process, smallLimits, type World } from "./world.ts";

/** A step of the simulation in real time. */
const stepMs = 0.3;

/** The same simulation on a real engine: real concurrency, real expressions, injected faults. Not repeatable. */
export class EngineWorld implements World {
  readonly dice: Dice;
  readonly keyDice: Dice | undefined;
  readonly events: readonly HistoryEvent[];
  readonly scopeKnown = new Map<string, { changes: number; at: number }>(
    organizations.map((organization) => [organization, { changes: 0, at: -1 }]),
  );
  readonly scopeWeakness = undefined;
  readonly notesMoves = false;
  readonly #table: Table;
  readonly #trouble: number;
  #happened = 0;
  #underWay = 0;
  isCalm = false;
  isClosing = false;
  failure: unknown;
  readonly mirrors: Walk[] = [];
  walks = 0;
  pages = 0;

  constructor(seed: number, table: Table) {
    this.dice = new Dice(seed);
    this.keyDice = seed % 5 === 0 ? new Dice(~seed) : undefined;
    this.#table = table;
    this.#trouble = this.dice.next();
    this.events = makeHistory(this.dice, organizations);
  }

  async begin(): Promise<void> {
    await this.#table.writeMany(firstItems().map((put) => ({ put })));
  }

  now(): number {
    return ++this.#happened;
  }

  sleep(steps: number): Promise<void> {
    return systemClock.sleep(steps * stepMs);
  }

  someTime(stepsMax: number): Promise<void> {
    return this.sleep(this.dice.below(stepsMax));
  }

  connect(process: Process): Table {
    const table = this.#table;
    const read = <Answer>(call: () => Promise<Answer>) => this.#send(process, false, call);
    const write = <Answer>(call: () => Promise<Answer>) => this.#send(process, true, call);
    return {
      get: (key, options) => read(() => table.get(key, options)),
      getMany: (keys, options) => read(() => table.getMany(keys, options)),
      transactGet: (keys) => read(() => table.transactGet(keys)),
      queryPage: (range, resume) => read(() => table.queryPage(range, resume)),
      scanPage: (options, resume) => read(() => table.scanPage(options, resume)),
      write: (single, options) => write(() => table.write(single, options)),
      transact: (writes) => write(() => table.transact(writes)),
      writeMany: (writes) => write(() => table.writeMany(writes)),
    };
  }

  async #send<Answer>(process: Process, isWrite: boolean, call: () => Promise<Answer>): Promise<Answer> {
    const { dice } = this;
    const trouble = this.isCalm ? 0 : this.#trouble;
    this.#happened++;
    if (!process.isAlive) return never();
    if (dice.chance(trouble * 0.02)) process.crash();
    if (dice.chance(trouble * 0.04)) throw new StoreUnavailable("throttled", true);
    if (dice.chance(trouble * 0.05)) {
      // The caller gave up; the request may still arrive, much later.
      if (dice.chance(0.6)) this.#counted(() => this.sleep(dice.below(100)).then(call)).catch(() => {});
      throw new StoreUnavailable("time-out", false);
    }
    if (dice.chance(0.3)) await this.sleep(dice.below(10));
    const answer = await this.#counted(call);
    if (isWrite && dice.chance(trouble * 0.2)) process.crash();
    return process.isAlive ? answer : never();
  }

  async #counted<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    this.#underWay++;
    try {
      return await call();
    } finally {
      this.#underWay--;
    }
  }

  deps(process: Process): StreamDeps {
    return { table: this.connect(process), clock: systemClock, random: systemRandom, limits: smallLimits };
  }

  reader(process: Process): { table: Table; read: typeof readPage } {
    return { table: this.connect(process), read: readPage };
  }

  look(keys: readonly Key[]): Promise<ReadonlyArray<Item | undefined>> {
    return this.#table.transactGet(keys);
  }

  async everything(): Promise<Item[]> {
    return await scanAll(this.#table);
  }

  fail(error: unknown): void {
    this.failure ??= error;
  }

  async until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      if (this.failure !== undefined) throw this.failure;
      await systemClock.sleep(2);
    }
  }

  /** Waits until there was no call to the store for a while, and no late request is left. */
  async quiet(): Promise<void> {
    for (let before = -1; before !== this.#happened || this.#underWay > 0; ) {
      before = this.#happened;
      await this.sleep(400);
    }
    if (this.failure !== undefined) throw this.failure;
  }
}

const never = <Answer>(): Promise<Answer> => new Promise(() => {});
