import { globSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import * as z from "zod";
import { operations } from "../../lib/contract/operations.ts";
import manifest from "../../package.json" with { type: "json" };
import { oneLine, parts } from "../mutation/parts.ts";

const folder = fileURLToPath(new URL("../", import.meta.url));

test("`npm run test:long` reaches every file that has a long form", () => {
  // Shared files have no long form of their own; `ric` and `mutation` contain installed packages.
  const areas = readdirSync(folder).filter((name) => !/^(support|ric|mutation|.*\.ts)$/.test(name));
  const long = areas
    .flatMap((area) =>
      readdirSync(`${folder}${area}`, { recursive: true }).map((file) => `test/${area}/${file}`),
    )
    .filter((file) => file.endsWith(".ts"))
    .filter((file) =>
      /\b(isLong|process\.env\.LONG|volume\()/.test(readFileSync(`${folder}../${file}`, "utf8")),
    )
    .filter((file) => file !== "test/architecture/scripts.test.ts");
  const folders = [...manifest.scripts["test:long"].matchAll(/(?<= )test\/[\w-]+/g)].map(
    ([name]) => `${name}/`,
  );
  expect(long.length).toBeGreaterThan(20);
  expect(long.filter((file) => !folders.some((name) => file.startsWith(name)))).toEqual([]);
});

test("the handlers of a folder of `functions` are tested in the file of test/functions with the same name", () => {
  const folders = new Set(operations.map(({ source }) => source.split("/")[0]));
  const files = readdirSync(`${folder}functions`);
  expect([...folders].filter((name) => !files.includes(`${name}.test.ts`))).toEqual([]);
});

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

test("every mutant that no test can detect is in a file that is mutated, and its code is still there", () => {
  const entries = z
    .array(z.object({ file: z.string(), code: z.string() }))
    .parse(JSON.parse(readFileSync(`${root}test/mutation/equivalent.json`, "utf8")));
  const mutated = new Set(Object.values(parts).flatMap(({ mutate }) => globSync([...mutate], { cwd: root })));
  const isCurrent = ({ file, code }: (typeof entries)[number]) =>
    mutated.has(file) && oneLine(readFileSync(root + file, "utf8")).includes(code);
  expect(entries.filter((entry) => !isCurrent(entry))).toEqual([]);
});
