import { defineConfig } from "vitest/config";
import "../support/products.ts";

/** The stack before judges that others wrote: AWS's template linter. */
export default defineConfig({
  test: {
    include: ["test/deploy/*.test.ts"],
    // Far above the duration of a test, as in vitest.config.ts: the first run also installs the judges.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    pool: "threads",
    maxWorkers: 2,
  },
});
