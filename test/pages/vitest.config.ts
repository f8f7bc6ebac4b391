import { defineConfig } from "vitest/config";
import "../support/products.ts";

/** Pages in a browser, as people use them: one service with demo data and one browser for all of them. */
export default defineConfig({
  test: {
    include: ["test/pages/*.page.ts"],
    // Far above the duration of a test: a browser on a busy machine is slow.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    globalSetup: ["test/pages/start.ts"],
    pool: "threads",
    maxWorkers: 2,
  },
});
