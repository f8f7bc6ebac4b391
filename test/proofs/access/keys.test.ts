import { describe, expect, test } from "vitest";
import { keyLimits } from "../../../lib/contract/limits.ts";
import { deeds, play } from "../../access/keys/histories.ts";
import { useKeyService } from "../../access/keys/service.ts";
import {
  deedNamed,
  nearlyFull,
  pairsOf,
  problemsOf,
  sampledStories,
  titleOf,
} from "../../access/keys/stories.ts";
import { seededRandom } from "../../support/clock.ts";

const named = Object.keys(deeds).map((name) => [name] as const);

describe("the model of the rules of keys", () => {
  test.each(named)("no order of '%s' with any other deed breaks a rule", async (name) => {
    for (const madeMax of [keyLimits.madeKeysMax, nearlyFull])
      for (const together of pairsOf(deedNamed(name)))
        expect(await problemsOf({ together }, { madeMax })).toEqual(new Set());
  });

  test("no sampled order of three deeds, or of two after a third, breaks a rule", async () => {
    for (const madeMax of [keyLimits.madeKeysMax, nearlyFull])
      for (const story of sampledStories(1, 10_000))
        expect(await problemsOf(story, { samples: 1, madeMax })).toEqual(new Set());
  });
});

describe("the functions on the engine", () => {
  const { service, cast } = useKeyService();

  // A test that runs out of time goes on beside the next one, and moves the clock of both: so each is short.
  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
    "no sampled history of keys breaks a rule: part %i",
    async (part) => {
      const random = seededRandom(part);
      for (const [index, story] of [...sampledStories(100 + part, 15)].entries()) {
        const madeMax = index % 5 === 0 ? nearlyFull : keyLimits.madeKeysMax;
        const problems = await play(service, await cast(madeMax), story, (count) => random.below(count));
        expect(problems, titleOf(story)).toEqual([]);
      }
    },
  );

  test.each(named)("no sampled order of '%s' with any other deed breaks a rule", async (name) => {
    const random = seededRandom(4);
    for (const together of pairsOf(deedNamed(name))) {
      const problems = await play(service, await cast(), { together }, (count) => random.below(count));
      expect(problems, titleOf({ together })).toEqual([]);
    }
  });
});
