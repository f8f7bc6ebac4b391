import { execFile } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const entry = join(import.meta.dirname, "..", "lib", "client", "client.ts");
const compiler = join(
  dirname(createRequire(import.meta.url).resolve("typescript/package.json")),
  "bin",
  "tsc",
);
const options = [
  ...["--ignoreConfig", "--declaration", "--strict", "--exactOptionalPropertyTypes"],
  ...["--rewriteRelativeImportExtensions", "--module", "nodenext", "--target", "es2022"],
  ...["--lib", "es2022,dom,dom.iterable", "--types", "", "--newLine", "lf"],
];

/**
 * The client as JavaScript with its types. File by file, by the compiler: debuggers show the lines of the sources, and
 * browsers and bundlers need nothing else.
 */
export async function buildClient(folder: string): Promise<void> {
  await promisify(execFile)(process.execPath, [compiler, ...options, "--outDir", folder, entry]);
  for (const name of await readdir(folder)) {
    if (!name.endsWith(".d.ts")) continue;
    const text = await readFile(join(folder, name), "utf8");
    // The compiler does not change file names in declarations.
    await writeFile(join(folder, name), text.replaceAll(/(from "\.\/[^"]*)\.ts"/g, '$1.js"'));
  }
}
