import { describeError, log } from "./log.ts";

/**
 * For scheduled workers: a piece that fails is logged and does not stop the others. After all pieces have run, the
 * first error ends the run, so that the run counts as failed.
 */
export class ErrorCollector {
  readonly #errors: unknown[] = [];

  async run(piece: () => Promise<unknown>): Promise<void> {
    try {
      await piece();
    } catch (error) {
      log("error", "A part of a scheduled run failed.", { cause: describeError(error) });
      this.#errors.push(error);
    }
  }

  end(): void {
    for (const error of this.#errors) throw error;
  }
}
