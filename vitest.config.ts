import { configDefaults, defineConfig } from "vitest/config";

/** Still being built (end-to-end on the bundles, the security proof): `npm run test:proof` runs them. */
const proof = [
  "test/e2e/service.test.ts",
  "test/e2e/limits.test.ts",
  "test/e2e/secrets.test.ts",
  "test/e2e/background.test.ts",
  "test/e2e/broken-template.test.ts",
  "test/security/**",
  "test/infra/cold-start.test.ts",
];

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...(process.env.PROOF ? [] : proof)],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "threads",
    // The default keeps a core for a screen; the engine and what the tests start wait more than they work.
    maxWorkers: "100%",
  },
});
