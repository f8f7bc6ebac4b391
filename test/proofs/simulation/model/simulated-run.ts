import type { Scheduler } from "./scheduler.ts";

/** Runs the scheduler and stops at the first failure that anybody reports. */
export class SimulatedRun {
  readonly #scheduler: Scheduler;
  readonly #stepsMax: number;
  readonly #endless: (message: string) => Error;
  #failure: unknown;

  /** `endless` makes the error for a simulation that does not come to rest within its steps. */
  constructor(scheduler: Scheduler, stepsMax: number, endless: (message: string) => Error = Error) {
    this.#scheduler = scheduler;
    this.#stepsMax = stepsMax;
    this.#endless = endless;
  }

  fail(error: unknown): void {
    this.#failure ??= error;
  }

  /** Runs until `until` holds, or until everything has ended. */
  async run(until?: () => boolean): Promise<void> {
    const isStopped = () => this.#failure !== undefined || (until?.() ?? false);
    const isOver = await this.#scheduler.run(this.#stepsMax, isStopped);
    if (this.#failure !== undefined) throw this.#failure;
    if (!isOver) throw this.#endless("It does not come to an end.");
  }

  async finish<Answer>(work: Promise<Answer>): Promise<Answer> {
    let answer: { readonly value: Answer } | undefined;
    work.then(
      (value) => {
        answer = { value };
      },
      (error: unknown) => this.fail(error),
    );
    await this.run(() => answer !== undefined);
    if (!answer) throw this.#endless("A piece of work never answers.");
    return answer.value;
  }
}
