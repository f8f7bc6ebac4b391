// Runs test files, as often as it is asked to: a new process for each change would take several times longer.
import { createVitest } from "vitest/node";

const vitest = await createVitest("test", {
  config: "test/mutation/changes/vitest.config.ts",
  watch: false,
  bail: 1,
  reporters: [{}],
});
await vitest.standalone();

process.on("message", async ({ files }: { readonly files: readonly string[] }) => {
  const project = vitest.getRootProject();
  // Otherwise the results of earlier runs stay in the answer.
  vitest.state.filesMap.clear();
  const { testModules, unhandledErrors } = await vitest.rerunTestSpecifications(
    files.map((file) => project.createSpecification(file)),
  );
  process.send?.({
    modules: testModules.map((module) => ({
      file: module.moduleId,
      ms: module.diagnostic().duration,
      failures: [
        ...[...module.children.allTests("failed")].map(({ fullName }) => fullName),
        ...module.errors().map(({ message }) => message),
      ],
    })),
    errors: unhandledErrors.map(String),
  });
});
process.send?.("ready");
