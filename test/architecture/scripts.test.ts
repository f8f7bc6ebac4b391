import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { operations } from "../../lib/contract/operations.ts";
import manifest from "../../package.json" with { type: "json" };

const folder = fileURLToPath(new URL("../", import.meta.url));

test("`npm run test:long` reaches every file that has a long form", () => {
  // Shared files have no long form of their own, and AWS's runtime client contains installed packages.
  const areas = readdirSync(folder).filter((name) => !/^(support|ric|.*\.ts)$/.test(name));
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
