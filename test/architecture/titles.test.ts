import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const cwd = fileURLToPath(new URL("../../", import.meta.url));

/** The text after `test(`, `it(` or `describe(`, also after the second bracket of `test.each(cases)(`. */
const titles = /(?:\b(?:test|it|describe)(?:\.\w+)*|[)`])\(\s*(?:"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g;

test("a test's title has at most 100 characters", () => {
  const found = globSync("test/**/*.ts", { cwd, exclude: ["**/node_modules"] }).flatMap((file) =>
    [...readFileSync(cwd + file, "utf8").matchAll(titles)].map(([, text = "", template = text]) => ({
      file,
      title: template,
    })),
  );
  expect(found.filter(({ title }) => title.length > 100)).toEqual([]);
  const withoutTitle = new Set(globSync("test/**/*.test.ts", { cwd, exclude: ["**/node_modules"] }));
  for (const { file } of found) withoutTitle.delete(file);
  expect([...withoutTitle]).toEqual([]);
});

test("properties check the same random values in every short run: one file names fast-check", () => {
  const naming = globSync("test/**/*.ts", { cwd, exclude: ["**/node_modules"] }).filter((file) =>
    /^import .* from "fast-check";$/m.test(readFileSync(cwd + file, "utf8")),
  );
  expect(naming).toEqual(["test/support/property.ts"]);
});
