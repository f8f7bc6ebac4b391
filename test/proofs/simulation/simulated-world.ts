import type { Clock } from "../../../lib/runtime/clock.ts";
import type { Item, Key, Table } from "../../../lib/store/table.ts";
import { readPage } from "../../../lib/stream/read-page.ts";
import type { StreamDeps } from "../../../lib/stream/stream.ts";
import { Violation } from "./checker.ts";
import { type HistoryEvent, makeHistory } from "./history.ts";
import { Dice, diceRandom, jumpingClock, Scheduler } from "./model/scheduler.ts";
import { SimulatedRun } from "./model/simulated-run.ts";
import { type Faults, ModelStore, noFaults } from "./model/store.ts";
import type { Walk } from "./walk.ts";
import {
  firstItems,
  organizations,
  type Process,
  type Role,
  type ScopeWeakness,
  smallLimits,
  type Weakness,
  type World,
} from "./world.ts";

/** More steps than any history needs: a world that takes longer never ends. */
const stepsMax = 60_000;

/** The whole world of one seed, on the model of DynamoDB. */
export class SimulatedWorld implements World {
  readonly dice: Dice;
  readonly keyDice: Dice | undefined;
  readonly events: readonly HistoryEvent[];
  readonly scopeKnown = new Map<string, { changes: number; at: number }>();
  readonly scopeWeakness: ScopeWeakness | undefined;
  /** Not in all seeds, so that the others behave as before. */
  readonly notesMoves: boolean;
  readonly #scheduler: Scheduler;
  readonly #store: ModelStore;
  readonly #clock: Clock;
  readonly #weakness: Weakness | undefined;
  readonly #run: SimulatedRun;
  readonly mirrors: Walk[] = [];
  walks = 0;
  pages = 0;
  isClosing = false;

  constructor(seed: number, weakness: Weakness | undefined) {
    this.dice = new Dice(seed);
    this.keyDice = seed % 5 === 0 ? new Dice(~seed) : undefined;
    this.notesMoves = [0, 3].includes(seed % 11);
    this.#scheduler = new Scheduler(this.dice);
    this.#run = new SimulatedRun(this.#scheduler, stepsMax, (message) => new Violation("endless", message));
    this.#store = new ModelStore(this.#scheduler, this.dice, randomFaults(this.dice));
    this.#clock = jumpingClock(this.#scheduler, this.dice);
    this.#weakness = weakness;
    this.scopeWeakness = weakness?.scope;
    for (const organization of organizations) this.scopeKnown.set(organization, { changes: 0, at: -1 });
    this.events = makeHistory(this.dice, organizations);
    for (const item of firstItems()) this.#store.seed(item);
  }

  now(): number {
    return this.#scheduler.now;
  }

  sleep(steps: number): Promise<void> {
    return this.#scheduler.sleep(steps);
  }

  async someTime(steps: number): Promise<void> {
    const time = this.#scheduler.sleep(this.dice.below(steps));
    await (this.dice.chance(0.5) ? Promise.race([time, this.#store.nextCommit()]) : time);
  }

  connect(process: Process): Table {
    return this.#store.connect(process);
  }

  deps(process: Process, role: Role): StreamDeps {
    const table = this.#store.connect(process);
    const deps: StreamDeps = {
      table: this.#weakness?.table?.(table, role) ?? table,
      clock: this.#clock,
      random: diceRandom(this.dice),
      limits: smallLimits,
    };
    return this.#weakness?.deps?.(deps) ?? deps;
  }

  reader(process: Process): { table: Table; read: typeof readPage } {
    return { table: this.deps(process, "reader").table, read: this.#weakness?.read ?? readPage };
  }

  async look(keys: readonly Key[]): Promise<ReadonlyArray<Item | undefined>> {
    return keys.map((key) => this.#store.truth(key));
  }

  async everything(): Promise<Item[]> {
    return this.#store.all();
  }

  fail(error: unknown): void {
    this.#run.fail(error);
  }

  /** Ends crashes and errors; slowness may stay. */
  calm(faults: { readonly slowness: boolean }): void {
    this.#store.faults = faults.slowness ? { ...noFaults, slow: this.#store.faults.slow } : noFaults;
  }

  run(until?: () => boolean): Promise<void> {
    return this.#run.run(until);
  }

  finish<Answer>(work: Promise<Answer>): Promise<Answer> {
    return this.#run.finish(work);
  }
}

/** Some worlds have few faults, some have many: both reveal bugs. */
export function randomFaults(dice: Dice, rough: number = dice.next()): Faults {
  return {
    crash: rough * 0.02,
    crashAfterCommit: rough * 0.3,
    timeOut: rough * 0.05,
    throttle: rough * 0.04,
    slow: 0.01 + dice.next() * 0.12,
    echo: rough * 0.08,
    invisible: dice.pick([0, 0.1, 0.4]),
  };
}
