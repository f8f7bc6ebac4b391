import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { builtDashboard, builtReportStyle } from "../../dashboard/build.ts";
import { releaseProblem } from "../../lib/openapi/release.ts";
import { generatedFiles, releasedDocument, releasedFile } from "./generated-files.ts";

const fileOf = (path: string): URL => new URL(`../../${path}`, import.meta.url);

/** `--release` also records the interface as released: from then on a breaking change must be listed. */
const isRelease = process.argv.includes("--release");
const problem = isRelease ? problemOfRelease() : undefined;
if (problem === undefined) {
  write([...generatedFiles(), ...(isRelease ? ([[releasedFile, releasedDocument()]] as const) : [])]);
  // Built from files that were just written.
  write([...(await builtDashboard()), await builtReportStyle()]);
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

function write(files: Iterable<readonly [path: string, content: string]>): void {
  for (const [path, content] of files) {
    const file = fileOf(path);
    mkdirSync(new URL(".", file), { recursive: true });
    writeFileSync(file, content);
    console.log(`wrote ${path}`);
  }
}
