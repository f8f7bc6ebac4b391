import { describeError, log } from "./log.ts";

/**
 * For schedules: a piece that fails is logged and holds up no other. When all have had their turn the first fault ends
 * the run, so that it counts as failed.
 */
export class ErrorCollector {
  readonly #faults: unknown[] = [];

  async run(piece: () => Promise<unknown>): Promise<void> {
    try {
      await piece();
    } catch (fault) {
      log("error", "A piece of a schedule failed.", { cause: describeError(fault) });
      this.#faults.push(fault);
    }
  }

  end(): void {
    for (const fault of this.#faults) throw fault;
  }
}
