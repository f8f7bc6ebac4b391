import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import base from "../../../vitest.config.ts";
import { instrument } from "./find.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

const { projects: _, ...shared } = { ...base.test };

/** The tests of `npm test` and the proofs. Nothing is written into the checkout: the code changes while it is loaded. */
export default defineConfig({
  plugins: [
    {
      name: "conditions",
      enforce: "pre",
      transform(source, id) {
        const file = relative(root, id).replaceAll("\\", "/");
        return /^lib\/.*\.ts$/.test(file) ? instrument(file, source) : undefined;
      },
    },
  ],
  test: {
    ...shared,
    root,
    include: ["test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "test/{measure,system,deploy}/**"],
    setupFiles: ["test/mutation/conditions/setup.ts", "test/support/fresh-start.ts"],
    maxWorkers: 2,
  },
});
