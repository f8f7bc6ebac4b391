import { expect, test } from "vitest";
import { seededRandom } from "../../support/clock.ts";
import { play } from "./histories.ts";
import { useKeyService } from "./service.ts";
import { sampledStories } from "./stories.ts";

const { service, cast } = useKeyService();

/** The model runs the same histories (model.test.ts); test/proofs/access/keys.test.ts runs more of both. */
test("no sampled history of keys on the engine breaks a rule", async () => {
  const random = seededRandom(7);
  for (const story of sampledStories(62, 8))
    expect(await play(service, await cast(), story, (count) => random.below(count))).toEqual([]);
});
