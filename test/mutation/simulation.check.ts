import { expect, test } from "vitest";
import { simulate } from "../simulation/simulate.ts";

/** Few, since they run once per mutant: `test/simulation` runs the same a thousand times. */
const seeds = 25;

test(`no walk misses anything in ${seeds} random lives`, async () => {
  for (let seed = 1; seed <= seeds; seed++) {
    const { failure } = await simulate(seed);
    expect(failure, `seed ${seed}`).toBeUndefined();
  }
});
