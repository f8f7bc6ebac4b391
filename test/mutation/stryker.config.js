import { join } from "node:path";
import { parts, reportFile, workplace } from "./parts.ts";

const part = process.env.MUTATION_PART ?? "";

export default {
  plugins: [import.meta.resolve("@stryker-mutator/vitest-runner")],
  testRunner: "vitest",
  vitest: { configFile: "test/mutation/vitest.config.ts", related: false },
  mutate: parts[part]?.mutate,
  concurrency: Number(process.env.MUTATION_CONCURRENCY ?? 1),
  tempDirName: join(workplace, part),
  // Only what the tests of a part need is copied.
  ignorePatterns: [
    ...["dist", "cdk.out", "coverage", ".review-api", "docs", "infra", "*.log"],
    ...["e2e", "infra", "bench", "proofs", "cli", "docs"].map((folder) => `test/${folder}`),
  ],
  // Vitest strips types without looking at them.
  disableTypeChecks: false,
  // Only errors are printed; run.js prints the score.
  logLevel: "error",
  reporters: ["json"],
  jsonReporter: { fileName: reportFile(part) },
  timeoutMS: 10_000,
  // It would be rewritten with the compiler's JavaScript interface, which TypeScript 7 has not.
  tsconfigFile: "none",
};
