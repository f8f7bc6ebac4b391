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

/** For the message of a test that fails. */
export const titleOf = ({ before = [], together }: Story): string => {
  const named = new Map(Object.entries(deeds).map(([name, deed]) => [deed, name]));
  const list = (some: readonly Deed[], between: string) => some.map((deed) => named.get(deed)).join(between);
  return [list(before, "; "), list(together, " | ")].filter(Boolean).join("; then ");
};

export const pairsOf = (deed: Deed): ReadonlyArray<readonly [Deed, Deed]> =>
  all.slice(all.indexOf(deed)).map((other) => [deed, other] as const);

/** One more key may be made. */
export const nearlyFull = 2;

/** One after the other: what shows the mistakes that need no race. */
export const plainStories: readonly Story[] = [
  [
    "the maker rotates",
    "the maker's first value ends the made key",
    "the made key rotates its maker",
    "the Admin rotates the maker",
    "the made key ends its maker",
    "the maker floods",
  ],
  ["the maker rotates", "the maker's first value ends the maker"],
  ["the maker rotates without grace", "the clock goes back ten minutes", "the maker makes a key"],
  ["ten minutes pass", "the made key rotates", "the made keys expire"],
].map((names) => ({ before: names.map(deedNamed), together: [] }));

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
