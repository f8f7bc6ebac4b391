import { StoreUnavailable, type Table } from "../../../../lib/store/table.ts";
import { Dice, type Scheduler } from "../model/scheduler.ts";

/** Only every eighth seed has such a store, so that the other seeds behave as before. */
const livesApart = 8;
const flappingLife = 3;
const outageSteps = 200;
const outagesMax = 24;

/**
 * A store that becomes unavailable for seconds and comes back: at any time, and most likely right after it has counted
 * a try. It then accepts neither the event nor the end of its try.
 */
export class FlappingStore {
  readonly #scheduler: Scheduler;
  /** Separate dice, so that all other random choices of the seed stay the same. */
  readonly #dice: Dice;
  #outagesLeft: number;
  #awayUntil = 0;
  /** Whether it becomes unavailable with this seed. */
  readonly isFlapping: boolean;

  constructor(scheduler: Scheduler, seed: number) {
    this.#scheduler = scheduler;
    this.#dice = new Dice(seed + 1_000_000);
    this.isFlapping = seed % livesApart === flappingLife;
    this.#outagesLeft = this.isFlapping ? outagesMax : 0;
  }

  end(): void {
    this.#outagesLeft = 0;
    this.#awayUntil = 0;
  }

  over(table: Table): Table {
    return {
      get: (...given) => this.#ask(() => table.get(...given)),
      getMany: (...given) => this.#ask(() => table.getMany(...given)),
      transactGet: (...given) => this.#ask(() => table.transactGet(...given)),
      queryPage: (...given) => this.#ask(() => table.queryPage(...given)),
      scanPage: (...given) => this.#ask(() => table.scanPage(...given)),
      transact: (...given) => this.#ask(() => table.transact(...given)),
      writeMany: (...given) => this.#ask(() => table.writeMany(...given)),
      write: async (write, options) => {
        const answer = await this.#ask(() => table.write(write, options));
        const isTry = "update" in write && write.update.pk.startsWith("TRIES#") && !write.when;
        if (isTry) this.#mayGo(0.9);
        return answer;
      },
    };
  }

  #ask<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    this.#mayGo(0.005);
    const isAway = this.#scheduler.now < this.#awayUntil;
    return isAway ? Promise.reject(new StoreUnavailable("away", true)) : call();
  }

  #mayGo(probability: number): void {
    if (this.#outagesLeft === 0 || !this.#dice.chance(probability)) return;
    this.#outagesLeft--;
    this.#awayUntil = this.#scheduler.now + outageSteps;
  }
}
