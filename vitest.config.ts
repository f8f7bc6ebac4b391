import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import "./test/support/products.ts";

/** The folder of a test says which command runs it: `npm run test:<folder>`, or `npm test` for every other folder. */
const tiers = ["proofs", "system", "measure"] as const;
/** Folders with a configuration of their own. */
const separate = ["deploy", "schemathesis"];

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: { name: "unit", include: [`test/!(${[...tiers, ...separate].join("|")})/**/*.test.ts`] },
      },
      ...tiers.map((name) => ({
        extends: true as const,
        test: { name, include: [`test/${name}/**/*.test.ts`] },
      })),
    ],
    // Far above what a test takes: DynamoDB Local is several times slower than dynoxide, and machines are busy.
    testTimeout: 180_000,
    // The first that needs the demo or the build makes it, while other files run.
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    // Tests of the tool must not find what a developer keeps for the real one.
    env: { XDG_CONFIG_HOME: join(tmpdir(), "review-api-no-settings"), REVIEW_API_ENV_FILE: "" },
    globalSetup: ["test/support/offer-engines.ts"],
    pool: "threads",
    isolate: false,
    setupFiles: ["test/support/fresh-start.ts"],
    // One more than there are cores: some tests wait, for engines, browsers and processes that they start.
    maxWorkers: availableParallelism() + 1,
  },
});
