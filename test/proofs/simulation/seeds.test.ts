import { expect, test } from "vitest";
import { simulate } from "./simulate.ts";

/** `npm run simulate -- --seeds 30000` runs more seeds. */
const seeds = process.env.LONG ? 5000 : 150;

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
}, 300_000);
