import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const cwd = fileURLToPath(new URL("../../", import.meta.url));

/** Not in JSX, where `{...{ row, onView }}` gives properties by their names. */
const spreadLiteral = /(?<!\{)\.\.\.\{.*/g;

test("no object is made of nameless parts: a literal is not spread into another one", () => {
  const files = globSync("{cli,dashboard,functions,infra,lib,package,test}/**/*.{ts,tsx,js}", { cwd });
  expect(files.length).toBeGreaterThan(1_000);
  const found = files.flatMap((file) =>
    [...readFileSync(cwd + file, "utf8").matchAll(spreadLiteral)].map(([line]) => `${file}: ${line}`),
  );
  expect(found).toEqual([]);
});
