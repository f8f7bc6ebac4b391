import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { releaseProblem } from "../openapi/release.ts";
import { releasedDocument, releasedFile } from "./interface.ts";
import { makeProducts } from "./products.ts";

const fileOf = (path: string): URL => new URL(`../../${path}`, import.meta.url);

/** `--release` also records the interface as released: from then on a breaking change must be listed. */
const isRelease = process.argv.includes("--release");
const problem = isRelease ? problemOfRelease() : undefined;
if (problem === undefined) {
  await makeProducts();
  if (isRelease) write(releasedFile, releasedDocument());
  // Loaded now: the pages import products.
  const { generatedPages } = await import("./pages.ts");
  for (const [path, content] of generatedPages()) write(path, content);
} else {
  console.error(problem);
  process.exitCode = 1;
}

/** If a release is refused, nothing of it is written. */
function problemOfRelease(): string | undefined {
  const file = fileOf(releasedFile);
  if (!existsSync(file)) return undefined;
  return releaseProblem(JSON.parse(readFileSync(file, "utf8")), JSON.parse(releasedDocument()));
}

function write(path: string, content: string): void {
  writeFileSync(fileOf(path), content);
  console.log(`wrote ${path}`);
}
