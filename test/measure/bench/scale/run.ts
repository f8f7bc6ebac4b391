import { readFileSync, writeFileSync } from "node:fs";
import { synthesize } from "../../../system/infra/synthesize.ts";
import { fullOptions, pages, pageWithTables } from "./pages.ts";

/** `npm run scale`: simulates, counts the template's resources, and writes the tables of both pages. */
const templates = { plain: synthesize(), full: synthesize(fullOptions) };
for (const page of pages) {
  const file = new URL(`../../../../${page}`, import.meta.url);
  writeFileSync(file, pageWithTables(readFileSync(file, "utf8"), templates));
  console.log(`wrote ${page}`);
}
