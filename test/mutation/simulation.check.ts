import { expect, test } from "vitest";
import { simulate } from "../proofs/simulation/simulate.ts";
import { weaknesses } from "../proofs/simulation/weaknesses/list.ts";

/** Few seeds, since they run once per mutant; in each of these lives a known weakness shows. */
const seeds = new Set(weaknesses.map(({ caughtAt }) => caughtAt));

test(`no walk misses anything in ${seeds.size} lives that are known to be hard`, async () => {
  for (const seed of seeds) {
    const { failure } = await simulate(seed);
    expect(failure, `seed ${seed}`).toBeUndefined();
  }
});
