import type { EventOutcome } from "./ports.ts";

/** Counts what became of the events of one run, under the names that its metrics have. */
export class EventTally {
  readonly #counts = { applied: 0, waiting: 0, dead: 0 };

  readonly onOutcome = (outcome: EventOutcome): void => {
    this.#counts[outcome]++;
  };

  /** `returned` were not done in time or met a passing fault. */
  fields(returned: number) {
    const { applied, waiting, dead } = this.#counts;
    return {
      events_applied: applied,
      events_waiting: waiting,
      events_dead: dead,
      events_returned: returned,
    };
  }
}
