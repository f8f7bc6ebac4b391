import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** `lib/store` for a file in that folder, `cli` for a file of another top-level folder. */
export function folderOf(file: string): string {
  const [top = "", second = ""] = relative(root, file).split(sep);
  return top === "lib" ? `lib/${second}` : top;
}

export const sourceFiles = (...folders: readonly string[]): string[] =>
  folders.flatMap((folder) =>
    readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name)),
  );

/** The project's files that a file imports. Type imports count: a reader follows them too. */
export const importsOf = (file: string): string[] =>
  [...readFileSync(file, "utf8").matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map(([, target = ""]) =>
    join(dirname(file), target),
  );
