import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "threads",
    // One more than there are cores: some tests wait, for engines, browsers and processes that they start.
    maxWorkers: availableParallelism() + 1,
  },
});
