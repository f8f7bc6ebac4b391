import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { relative, resolve } from "node:path";
import { expect, test } from "vitest";
import { importsOf } from "../../lib/generate/folder-imports.ts";
import { products, sourceFolders } from "../../lib/generate/products.ts";
import { writeProducts } from "../../lib/generate/write-products.ts";

const root = resolve(import.meta.dirname, "../..");
const git = (...words: string[]) =>
  execFileSync("git", words, { cwd: root, encoding: "utf8", maxBuffer: 16_000_000 }).trimEnd().split("\n");

test("the listed products are the files that are made", async () => {
  const written: string[] = [];
  await writeProducts((path) => written.push(path));
  expect(written.toSorted()).toEqual(products.toSorted());
});

// A copy of the sources without a repository has nothing to ask.
test.skipIf(!existsSync(resolve(root, ".git")))("git has no product, and ignores every product", () => {
  const isProduct = (file: string) => products.includes(file) || /\.generated\.|\/built\//.test(file);
  expect(git("ls-files").filter(isProduct)).toEqual([]);
  expect(git("check-ignore", ...products)).toEqual([...products]);
});

/** A file and all that it imports, directly or through others. */
function withImports(file: string, seen: Set<string> = new Set()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const target of importsOf(file)) if (existsSync(target)) withImports(target, seen);
  return seen;
}

test("everything that makes products is in the folders whose change makes them again", () => {
  const makers = [...withImports(resolve(root, "lib/generate/write-products.ts"))].map((file) =>
    relative(root, file),
  );
  expect(makers.length).toBeGreaterThan(50);
  expect(makers.filter((file) => !sourceFolders.some((folder) => file.startsWith(`${folder}/`)))).toEqual([]);
});
