import { defineConfig } from "vitest/config";
import "../support/products.ts";

/** The stack before judges that others wrote: AWS's template linter, and an emulator that it is deployed on. */
export default defineConfig({
  test: {
    include: ["test/deploy/*.test.ts"],
    // Far above the duration of a test, as in vitest.config.ts: the first run also installs the judges.
    testTimeout: 1_200_000,
    hookTimeout: 1_200_000,
    globalSetup: ["test/support/offer-engines.ts"],
    pool: "threads",
    maxWorkers: 2,
  },
});
