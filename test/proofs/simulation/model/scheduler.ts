import type { Clock } from "../../../../lib/runtime/clock.ts";
import type { Random } from "../../../../lib/runtime/random.ts";

/** Small, fast and the same everywhere (mulberry32). */
export class Dice {
  #state: number;
  constructor(seed: number) {
    // Adjacent seeds must not give similar histories.
    this.#state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) | 0;
    for (let warm = 0; warm < 4; warm++) this.next();
  }
  /** 0 <= x < 1 */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }
  chance(probability: number): boolean {
    return this.next() < probability;
  }
  pick<Element>(from: readonly Element[]): Element {
    const found = from[this.below(from.length)];
    if (found === undefined) throw new RangeError("Nothing to pick from.");
    return found;
  }
}

export function diceRandom(dice: Dice): Random {
  return {
    bytes: (count) => Uint8Array.from({ length: count }, () => dice.below(256)),
    uuid: () => `id-${dice.below(2 ** 31).toString(36)}${dice.below(2 ** 31).toString(36)}`,
    below: (bound) => dice.below(bound),
  };
}

type Step = { readonly due: number; readonly run: () => void };

/** Steps run one at a time, in an order that the dice choose; between two steps every promise has settled. */
export class Scheduler {
  readonly #dice: Dice;
  #steps: Step[] = [];
  now = 0;
  constructor(dice: Dice) {
    this.#dice = dice;
  }

  /** Runs after at least `delay` more steps; of those that are due, any may be next. */
  after(delay: number, run: () => void): void {
    this.#steps.push({ due: this.now + delay, run });
  }

  sleep(delay: number): Promise<void> {
    return new Promise((resolve) => this.after(delay, resolve));
  }

  /** Runs until nothing is left, or `until` holds. */
  async run(stepsMax: number, until: () => boolean = () => false): Promise<boolean> {
    await settled();
    for (let count = 0; count < stepsMax; count++) {
      if (until()) return true;
      const step = this.#take();
      if (!step) return true;
      step.run();
      await settled();
    }
    return false;
  }

  #take(): Step | undefined {
    const due: number[] = [];
    let earliest = Number.POSITIVE_INFINITY;
    this.now++;
    this.#steps.forEach((step, index) => {
      if (step.due <= this.now) due.push(index);
      earliest = Math.min(earliest, step.due);
    });
    if (due.length === 0 && this.#steps.length > 0) {
      this.now = earliest;
      this.#steps.forEach((step, index) => {
        if (step.due <= earliest) due.push(index);
      });
    }
    if (due.length === 0) return undefined;
    const index = this.#dice.pick(due);
    const step = this.#steps[index];
    const last = this.#steps.pop();
    if (last && index < this.#steps.length) this.#steps[index] = last;
    return step;
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Sleeping takes steps, not time; the clock advances with the steps and jumps, forwards and back. */
export function jumpingClock(scheduler: Scheduler, dice: Dice): Clock {
  let skewMs = 0;
  return {
    nowMs: () => {
      if (dice.chance(0.05)) skewMs += (dice.below(11) - 5) * 86_400_000;
      return 1_800_000_000_000 + scheduler.now * 1000 + skewMs;
    },
    sleep: (ms) => scheduler.sleep(1 + Math.ceil(ms / 10)),
  };
}
