import { expect, test } from "vitest";
import { simulate } from "./simulate.ts";

/** `npm run simulate -- --seeds 30000` goes further. */
const seeds = process.env.LONG ? 5000 : 200;

test(`no walk misses anything in ${seeds} random lives, and at rest everything is as it should be`, async () => {
  const broken: string[] = [];
  let walks = 0;
  for (let seed = 1; seed <= seeds; seed++) {
    const result = await simulate(seed);
    walks += result.walks;
    if (result.failure) broken.push(`seed ${seed}: ${result.failure.message}`);
  }

  expect(broken).toEqual([]);
  // A simulation in which nobody reads would pass too.
  expect(walks).toBeGreaterThan(seeds * 10);
}, 300_000);
