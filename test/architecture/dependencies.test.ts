import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { folderOf, sourceFiles } from "../../lib/generate/folder-imports.ts";
import manifest from "../../package.json" with { type: "json" };
import { besideTheService } from "./rooms.ts";

/** The packages that a file needs at run time: type-only imports are removed by then. */
const importedPackages = (text: string): string[] =>
  [...text.matchAll(/^(?:import|export) (?!type )[^;]*?from "([^".][^"]*)"|import\("([^".][^"]*)"\)/gm)]
    .filter(([statement]) => !/^import \{(?: type \w+,?)+ \} from/.test(statement.replaceAll(/\s+/g, " ")))
    .map(([, name, lazy]) => name ?? lazy ?? "")
    .filter((name) => !name.startsWith("node:"))
    .map((name) => name.split("/", name.startsWith("@") ? 2 : 1).join("/"));

const used = new Set(
  sourceFiles("lib", "functions")
    .filter((file) => /(?<!\.d)\.ts$/.test(file) && !besideTheService.includes(folderOf(file)))
    .flatMap((file) => importedPackages(readFileSync(file, "utf8"))),
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
