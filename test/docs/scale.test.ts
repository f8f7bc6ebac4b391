import { expect, test } from "vitest";
import { pages, pageWithTables } from "../measure/bench/scale/pages.ts";
import { read } from "./pages.ts";

/** Two branches that each add an operation merge without a conflict, and may leave a sum that neither wrote. */
test.each(pages)("%s has the figures of this contract; npm run scale writes them", (page) => {
  expect(pageWithTables(read(page))).toBe(read(page));
});
