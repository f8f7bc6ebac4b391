import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import * as z from "zod";
import { oneLine, parts } from "../mutation/parts.ts";
import { refusalOfNode } from "../support/node-version.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** `{a,b}.ts` as `a.ts` and `b.ts`: a pattern matches also if only one of its names exists. */
function alternatives(pattern: string): readonly string[] {
  const [, before, names, after] = /^(.*?)\{(.*?)\}(.*)$/.exec(pattern) ?? [];
  if (names === undefined) return [pattern];
  return names.split(",").flatMap((name) => alternatives(`${before}${name}${after}`));
}

test("every file that `npm run test:mutation` mutates or tests with exists", () => {
  const named = Object.values(parts).flatMap(({ mutate, tests }) => [...mutate, ...tests]);
  expect(named.flatMap(alternatives).filter((name) => globSync(name, { cwd: root }).length === 0)).toEqual(
    [],
  );
});

test("every mutant that no test can detect is in a file of lib, and its code is still there", () => {
  const entries = z
    .array(z.object({ file: z.string(), code: z.string() }))
    .parse(JSON.parse(readFileSync(`${root}test/mutation/equivalent.json`, "utf8")));
  const mutated = new Set(globSync("lib/**/*.ts", { cwd: root }));
  const isCurrent = ({ file, code }: (typeof entries)[number]) =>
    mutated.has(file) && oneLine(readFileSync(root + file, "utf8")).includes(code);
  expect(entries.filter((entry) => !isCurrent(entry))).toEqual([]);
});

test("on a Node that the test runner does not work on, tests end at once and say what works", () => {
  expect(refusalOfNode("v20.20.2")).toMatch(
    /^The tests need Node 22 or newer, and this is v20\.20\.2: .* npx vitest/,
  );
  expect(["v22.0.0", "v24.21.0", "v100.0.0"].map(refusalOfNode)).toEqual([undefined, undefined, undefined]);
});
