import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** What other packages import as `review-api/client`: Node does not run TypeScript below node_modules. */
export const builtClientFolder = "lib/client/built";

const options = [
  ...["--ignoreConfig", "--declaration", "--strict", "--exactOptionalPropertyTypes"],
  ...["--rewriteRelativeImportExtensions", "--module", "nodenext", "--target", "es2022"],
  ...["--lib", "es2022,dom,dom.iterable", "--types", "", "--newLine", "lf"],
];

/** The client as JavaScript with its types: path below the project's root, and content. */
export async function builtClient(): Promise<ReadonlyMap<string, string>> {
  const compiler = join(
    dirname(createRequire(import.meta.url).resolve("typescript/package.json")),
    "bin",
    "tsc",
  );
  const entry = fileURLToPath(new URL("../../lib/client/client.ts", import.meta.url));
  const folder = await mkdtemp(join(tmpdir(), "review-api-client-"));
  try {
    await promisify(execFile)(process.execPath, [compiler, ...options, "--outDir", folder, entry]);
    const names = (await readdir(folder)).toSorted();
    return new Map(
      await Promise.all(
        names.map(async (name) => {
          const text = await readFile(join(folder, name), "utf8");
          // The compiler does not change file names in declarations.
          return [
            `${builtClientFolder}/${name}`,
            text.replaceAll(/(from "\.\/[^"]*)\.ts"/g, '$1.js"'),
          ] as const;
        }),
      ),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
