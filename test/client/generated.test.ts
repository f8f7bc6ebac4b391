import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { generatedFiles } from "../../cli/generate/generated-files.ts";

test.each([...generatedFiles()])(
  "%s is up to date: npm run generate would write the same",
  (path, content) => {
    expect(readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")).toBe(content);
  },
);
