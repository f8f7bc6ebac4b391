import { describe, expect, test } from "vitest";
import { Violation } from "./checker.ts";
import { simulate } from "./simulate.ts";
import { weaknesses } from "./weaknesses/list.ts";
import type { Weakness } from "./world.ts";

async function seedThatCatches(weakness: Weakness): Promise<number | undefined> {
  const { breaks, seedsMax, caughtAt } = weakness;
  for (let seed = 0; seed <= seedsMax; seed++) {
    const { failure } = await simulate(seed || caughtAt, weakness);
    if (failure instanceof Violation && breaks.includes(failure.kind)) return seed || caughtAt;
  }
  return undefined;
}

describe("a known way to break the stream is caught", () => {
  test.each(weaknesses.map((weakness) => [weakness.name, weakness.seedsMax, weakness] as const))(
    "the simulation detects this weakness: %s (within %i seeds)",
    async (_name, _seedsMax, weakness) => {
      const caughtAt = await seedThatCatches(weakness);

      expect(caughtAt).toBeDefined();
    },
    900_000,
  );
});

test("a failing seed fails again in the same way, at the same step", async () => {
  const [weakness] = weaknesses;
  if (!weakness) throw new Error("There are weaknesses.");
  const seed = (await seedThatCatches(weakness)) ?? 0;

  const once = await simulate(seed, weakness);
  const again = await simulate(seed, weakness);

  expect(once.failure).toBeInstanceOf(Violation);
  expect({ ...again, failure: again.failure?.message }).toEqual({ ...once, failure: once.failure?.message });
});
