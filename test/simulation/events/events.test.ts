import { describe, expect, test } from "vitest";
import { Violation } from "../checker.ts";
import { simulateEvents } from "./simulate.ts";
import { eventWeaknesses } from "./weaknesses.ts";

const seeds = process.env.LONG === undefined ? 60 : 2_000;

describe("events, in whole groups, through a queue with SQS's rules", () => {
  test(`${seeds} seeds: every good event is applied, none is a dead letter, people, seats and keys are right`, async () => {
    for (let seed = 1; seed <= seeds; seed++) {
      const failure = await simulateEvents(seed);
      if (failure) throw new Error(`seed ${seed}: ${failure.message}`, { cause: failure });
    }
  }, 3_600_000);

  test.each(eventWeaknesses)(
    "is caught: $name",
    async ({ seedsMax, ...weakness }) => {
      let caught: Error | undefined;
      for (let seed = 1; seed <= seedsMax && !caught; seed++) {
        const failure = await simulateEvents(seed, { seedsMax, ...weakness });
        if (failure) caught = failure;
      }
      expect(caught).toBeInstanceOf(Violation);
      expect(weakness.breaks).toContain(caught instanceof Violation ? caught.kind : undefined);
    },
    600_000,
  );
});
