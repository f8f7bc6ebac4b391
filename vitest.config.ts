import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "threads",
    // The default keeps a core for a screen; the engine and what the tests start wait more than they work.
    maxWorkers: "100%",
  },
});
