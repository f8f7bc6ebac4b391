import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import base from "../../../vitest.config.ts";
import { instrument } from "./change.ts";
import { readChanges } from "./workplace.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

const changes = Map.groupBy(readChanges(), ({ file }) => file);
const changesOf = (id: string) => changes.get(relative(root, id).replaceAll("\\", "/"));
const { projects: _, ...shared } = { ...base.test };

/** The tests of `npm test` and the proofs. Nothing is written into the checkout: the code changes while it is loaded. */
export default defineConfig({
  plugins: [
    {
      name: "changes",
      enforce: "pre",
      transform(source, id) {
        const ofFile = changesOf(id);
        return ofFile && instrument(source, ofFile);
      },
      // Otherwise a run would load what an earlier one, with other changes, has left.
      configureVitest({ defineCacheKeyGenerator }) {
        defineCacheKeyGenerator(({ id }) => (changesOf(id) ? false : undefined));
      },
    },
  ],
  test: {
    ...shared,
    root,
    include: ["test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "test/{measure,system,deploy}/**"],
    setupFiles: ["test/mutation/changes/setup.ts", "test/support/fresh-start.ts"],
    maxWorkers: 2,
  },
});
