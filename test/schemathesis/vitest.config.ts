import { defineConfig } from "vitest/config";
import "../support/products.ts";

/** The local service before a stranger's client, which knows only its OpenAPI document: Schemathesis. */
export default defineConfig({
  test: {
    include: ["test/schemathesis/*.test.ts"],
    // Far above the duration of a test, as in vitest.config.ts: the first run also installs the judge.
    testTimeout: 3_600_000,
    hookTimeout: 600_000,
    globalSetup: ["test/support/offer-engines.ts"],
    pool: "threads",
  },
});
