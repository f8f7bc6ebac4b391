import { expect, test } from "vitest";
import { generatedPages } from "../../lib/generate/pages.ts";
import { read } from "./pages.ts";

test.each([...generatedPages()])(
  "%s is up to date: npm run generate would write the same",
  (path, content) => {
    expect(read(path)).toBe(content);
  },
);
