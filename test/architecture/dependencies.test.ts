import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The packages that a file needs at run time: type-only imports are removed by then. */
const importedPackages = (text: string): string[] =>
  [...text.matchAll(/^(?:import|export) (?!type )[^;]*?from "([^".][^"]*)"|import\("([^".][^"]*)"\)/gm)]
    .filter(([statement]) => !/^import \{(?: type \w+,?)+ \} from/.test(statement.replaceAll(/\s+/g, " ")))
    .map(([, name, lazy]) => name ?? lazy ?? "")
    .filter((name) => !name.startsWith("node:"))
    .map((name) => name.split("/", name.startsWith("@") ? 2 : 1).join("/"));

const used = new Set(
  ["lib", "functions"].flatMap((folder) =>
    readdirSync(`${root}${folder}`, { recursive: true })
      .map(String)
      .filter((file) => /(?<!\.d)\.ts$/.test(file))
      .flatMap((file) => importedPackages(readFileSync(`${root}${folder}/${file}`, "utf8"))),
  ),
);

test("packages that the functions import are listed under dependencies, and no others are", () => {
  expect(used.size).toBeGreaterThan(5);
  expect([...used].sort()).toEqual(Object.keys(manifest.dependencies).sort());
});

test("packages that the functions import have an exact version", () => {
  const loose = Object.entries(manifest.dependencies).filter(
    ([, version]) => !/^\d+\.\d+\.\d+$/.test(version),
  );
  expect(loose).toEqual([]);
});
