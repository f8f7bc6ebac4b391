import { configDefaults, defineConfig } from "vitest/config";
import base from "../../vitest.config.ts";

/**
 * Code in separate processes or in bundles is not counted here; the simulation would only repeat the same lines many
 * times.
 */
const notCounted = [
  "test/system/e2e/**",
  "test/docs/**",
  "test/system/docs/**",
  "test/proofs/simulation/weaknesses.test.ts",
  // Tests that measure time, which coverage slows down.
  "test/measure/**",
];

/** `npm run test:coverage`: lines and branches of every file in `lib`, printed, none under the bound. */
export default defineConfig({
  test: {
    ...base.test,
    exclude: [...configDefaults.exclude, ...notCounted],
    coverage: {
      enabled: true,
      provider: "v8",
      include: ["lib/**/*.ts"],
      exclude: ["lib/**/*.generated.ts"],
      reportOnFailure: true,
      reporter: ["text", "json-summary"],
      thresholds: { perFile: true, lines: 95, branches: 95 },
    },
  },
});
