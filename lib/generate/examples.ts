import { existsSync, readFileSync } from "node:fs";
import { operations } from "../contract/operations.ts";

/** A recording for each operation, `<id>.json`, and `headers.json`: two new operations are two new files. */
export const recordingsFolder = "docs/examples";

const fileOf = (name: string): URL => new URL(`../../${recordingsFolder}/${name}.json`, import.meta.url);
const read = (name: string): unknown => JSON.parse(readFileSync(fileOf(name), "utf8"));

/** All recordings as one file, in the order of the contract. An operation may be too new to have one. */
export function joinedExamples(): string {
  const recorded = operations.map(({ id }) => id).filter((id) => existsSync(fileOf(id)));
  return `${JSON.stringify({
    headers: read("headers"),
    operations: Object.fromEntries(recorded.map((id) => [id, read(id)])),
  })}\n`;
}
