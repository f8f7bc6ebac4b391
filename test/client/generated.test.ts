import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { generatedFiles } from "../../cli/generated-files.ts";

test.each([...generatedFiles()])("%s is what the contract says (npm run generate)", (path, content) => {
  expect(readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")).toBe(content);
});
