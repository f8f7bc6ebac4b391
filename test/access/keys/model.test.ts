import { describe, expect, test } from "vitest";
import { keyLimits } from "../../../lib/contract/limits.ts";
import { deeds } from "./histories.ts";
import { mistakes } from "./model.ts";
import { deedNamed, nearlyFull, pairsOf, plainStories, problemsOf, sampledStories } from "./stories.ts";

const named = Object.keys(deeds).map((name) => [name] as const);

/** test/proofs/access/keys.test.ts runs every order. */
describe("the model of the rules", () => {
  test.each(named)("no sampled order of '%s' with any other deed breaks a rule", async (name) => {
    for (const together of pairsOf(deedNamed(name)))
      expect(await problemsOf({ together }, { samples: 6 })).toEqual(new Set());
  });

  test("no sampled order of three deeds, or of two after a third, breaks a rule", async () => {
    for (const madeMax of [keyLimits.madeKeysMax, nearlyFull])
      for (const story of sampledStories(60, 400))
        expect(await problemsOf(story, { samples: 1, madeMax })).toEqual(new Set());
  });

  test.each(mistakes.map((mistake) => [mistake]))("the planted mistake '%s' is caught", async (mistake) => {
    const found = new Set<string>();
    for (const story of [...plainStories, ...sampledStories(61, 1_500)]) {
      for (const problem of await problemsOf(story, { mistake, samples: 1, madeMax: nearlyFull }))
        found.add(problem);
      if (found.size > 0) break;
    }
    expect(found.size).toBeGreaterThan(0);
  });
});
