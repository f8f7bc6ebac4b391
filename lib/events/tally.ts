import type { EventOutcome } from "./ports.ts";

/** Counts the outcomes of the events of one run, under the names of the metrics. */
export class EventTally {
  readonly #counts = { applied: 0, waiting: 0, dead: 0 };

  readonly onOutcome = (outcome: EventOutcome): void => {
    this.#counts[outcome]++;
  };

  /** `returned` events were not finished in time or met a temporary error. */
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
