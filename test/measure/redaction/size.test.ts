import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

/** What two people can still read. */
const linesMax = 4_900;
const columnsMax = 120;

it(`the rules have at most ${linesMax} lines, none longer than ${columnsMax} columns`, () => {
  const folder = new URL("../../../lib/redaction/", import.meta.url);
  const lines = readdirSync(folder)
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => readFileSync(new URL(file, folder), "utf8").trimEnd().split("\n"));
  const columns = Math.max(...lines.map((line) => line.length));
  console.log(`${lines.length} lines, the longest has ${columns} columns`);
  expect(lines.length).toBeLessThanOrEqual(linesMax);
  expect(columns).toBeLessThanOrEqual(columnsMax);
});
