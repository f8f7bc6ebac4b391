import { defineConfig } from "vitest/config";

/** Pages in a browser, as people use them: one service with demo data and one browser for all of them. */
export default defineConfig({
  test: {
    include: ["test/pages/*.page.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A browser on a busy machine takes its time.
    expect: { poll: { timeout: 20_000 } },
    globalSetup: ["test/pages/start.ts"],
    pool: "threads",
    maxWorkers: 2,
  },
});
