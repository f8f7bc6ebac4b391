import { defineConfig } from "vitest/config";
import { parts } from "./parts.ts";

export default defineConfig({
  test: {
    include: [...(parts[process.env.MUTATION_PART ?? ""]?.tests ?? [])],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: "threads",
  },
});
