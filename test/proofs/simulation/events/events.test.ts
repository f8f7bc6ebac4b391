import { describe, expect, test } from "vitest";
import { simulateEvents } from "./simulate.ts";
import { type BrokenRule, Violation } from "./violation.ts";
import { eventWeaknesses } from "./weaknesses.ts";
import type { EventWeakness } from "./world.ts";

process.env.LOG_LEVEL ??= "silent";
const seeds = process.env.LONG === undefined ? 30 : 2_000;

describe("events, in whole groups, through a queue with SQS's rules", () => {
  test(`in ${seeds} histories every good event is applied, not a dead letter; people, seats, keys are right`, async () => {
    for (let seed = 1; seed <= seeds; seed++) {
      const failure = await simulateEvents(seed);
      if (failure) throw new Error(`seed ${seed}: ${failure.message}`, { cause: failure });
    }
  }, 3_600_000);

  test.each(eventWeaknesses)(
    "the simulation detects this weakness: $name",
    async (weakness) => {
      const { seedsMax, caughtAt, breaks } = weakness;
      let rule = await broken(caughtAt, weakness);
      const isCaught = () => rule !== undefined && breaks.includes(rule);
      for (let seed = 1; seed <= seedsMax && !isCaught(); seed++) rule = await broken(seed, weakness);
      expect(breaks).toContain(rule);
    },
    600_000,
  );
});

async function broken(seed: number, weakness: EventWeakness): Promise<BrokenRule | undefined> {
  const failure = await simulateEvents(seed, weakness);
  if (failure && !(failure instanceof Violation)) throw failure;
  return failure?.rule;
}
