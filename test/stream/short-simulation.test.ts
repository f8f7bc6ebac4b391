import { expect, test } from "vitest";
import { simulate } from "../proofs/simulation/simulate.ts";

/** `npm run test:proofs` runs many more seeds, and breaks every rule of the stream on purpose. */
const seeds = 10;

test(`no walk misses anything in ${seeds} random simulations, and everything is correct at rest`, async () => {
  const broken: string[] = [];
  let walks = 0;
  for (let seed = 1; seed <= seeds; seed++) {
    const result = await simulate(seed);
    walks += result.walks;
    if (result.failure) broken.push(`seed ${seed}: ${result.failure.message}`);
  }
  expect(broken).toEqual([]);
  // A simulation without any reads would pass too.
  expect(walks).toBeGreaterThan(seeds * 10);
});
