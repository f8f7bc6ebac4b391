import { expect, test } from "vitest";
import { seededRandom } from "../../support/clock.ts";
import { play } from "./histories.ts";
import { useKeyService } from "./service.ts";
import { deedNamed, nearlyFull, plainStories, sampledStories, titleOf } from "./stories.ts";

const { service, cast } = useKeyService();

/** The model runs the same histories (model.test.ts); test/proofs/access/keys.test.ts runs more of both. */
test("no sampled history of keys on the engine breaks a rule", async () => {
  const random = seededRandom(7);
  for (const story of sampledStories(62, 8))
    expect(await play(service, await cast(), story, (count) => random.below(count)), titleOf(story)).toEqual(
      [],
    );
});

test("no history that shows a mistake of the model breaks a rule on the engine", async () => {
  for (const story of plainStories)
    expect(await play(service, await cast(), story, () => 0), titleOf(story)).toEqual([]);
});

test("no sampled history of a maker at its limit breaks a rule", async () => {
  const random = seededRandom(8);
  const makes = ["the maker makes a key", "the maker makes another key"].map(deedNamed);
  for (const other of [
    "the made key ends itself",
    "the made key ends its maker",
    "the Admin ends the maker",
  ]) {
    const story = { together: [...makes, deedNamed(other)] };
    const choose = (count: number) => random.below(count);
    expect(await play(service, await cast(nearlyFull), story, choose), titleOf(story)).toEqual([]);
  }
});
