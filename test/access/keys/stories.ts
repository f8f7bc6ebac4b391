import { seededRandom } from "../../support/clock.ts";
import { type Deed, deeds, play } from "./histories.ts";
import { everyOrder } from "./interleave.ts";
import { KeyModel, type Mistake } from "./model.ts";

export type Story = Parameters<typeof play>[2];

const all = Object.values(deeds);
export const deedNamed = (name: string): Deed => {
  const deed = deeds[name];
  if (!deed) throw new Error(`There is no deed ${name}.`);
  return deed;
};

export const pairsOf = (deed: Deed): ReadonlyArray<readonly [Deed, Deed]> =>
  all.slice(all.indexOf(deed)).map((other) => [deed, other] as const);

/** One more key may be made. */
export const nearlyFull = 2;

/** What breaks in the model, in each order of the calls, or in so many sampled ones. */
export async function problemsOf(
  story: Story,
  {
    mistake,
    samples,
    madeMax,
  }: { readonly mistake?: Mistake; readonly samples?: number; readonly madeMax?: number } = {},
): Promise<Set<string>> {
  const found = new Set<string>();
  const run = async (choose: (count: number) => number) => {
    const model = new KeyModel({ mistake, madeMax });
    for (const problem of await play(model, model.cast(), story, choose)) found.add(problem);
  };
  if (samples === undefined) await everyOrder(run);
  const random = seededRandom(60);
  for (let sample = 0; sample < (samples ?? 0); sample++) await run((count) => random.below(count));
  return found;
}

/** Three deeds at the same time, or two after a third. */
export function* sampledStories(seed: number, count: number): Generator<Story> {
  const random = seededRandom(seed);
  const one = () => all[random.below(all.length)] ?? deedNamed("the maker rotates");
  for (let sample = 0; sample < count; sample++)
    yield sample % 2 === 0
      ? { together: [one(), one(), one()] }
      : { before: [one()], together: [one(), one()] };
}
