import { defineConfig } from "vitest/config";
import "../support/products.ts";

/** The end-to-end tests again, and some of their own, with every function on AWS's own runtime client. */
export default defineConfig({
  test: {
    include: ["test/system/e2e/{service,background,limits,secrets,mcp}.test.ts", "test/ric/*.ric.ts"],
    env: { E2E_RUNTIME: "ric" },
    // Far above what a test takes, as in vitest.config.ts: each function is a process that has to start.
    testTimeout: 180_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    globalSetup: ["test/ric/install.ts", "test/support/offer-engines.ts"],
    pool: "threads",
    // Each file starts a process for every function that it calls.
    maxWorkers: 2,
  },
});
