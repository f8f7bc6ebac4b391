import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { dashboardFiles } from "../contract/dashboard.ts";
import { documentFile, examplesFile } from "../contract/reference.ts";

/**
 * Every file that a program makes from the sources. None is in git, so no two branches conflict in one. This module
 * runs before they exist: it must not import a product, nor a module that imports one.
 */
export const products: readonly string[] = [
  documentFile,
  examplesFile,
  "lib/client/operations.generated.ts",
  "lib/mcp/report-inputs.generated.ts",
  "lib/mcp/tools.generated.ts",
  "lib/report/style.generated.ts",
  "dashboard/worker/contract.generated.ts",
  ...Object.values(dashboardFiles).map(({ file }) => file),
];

/** What products are made from: these folders and the versions of packages. */
export const sourceFolders: readonly string[] = ["dashboard", "docs/examples", "lib"];
const versionsFile = "package-lock.json";

/** Digests of the sources and of the products made from them. */
const stampFile = "dist/products.sha256";

const root = resolve(import.meta.dirname, "../..");

/** Makes the products, unless they are made already and neither they nor their sources have changed since. */
export async function makeProducts(): Promise<void> {
  const sources = digestOf(sourceFiles());
  const stamp = () => `${sources} ${digestOf(products)}\n`;
  if (read(stampFile).toString() === stamp()) return;
  const { writeProducts } = await import("./write-products.ts");
  await writeProducts(write);
  write(stampFile, stamp());
}

function sourceFiles(): readonly string[] {
  const made = new Set(products.map((file) => join(root, file)));
  const files = sourceFolders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => !made.has(file)),
  );
  return [...files.sort().map((file) => file.slice(root.length + 1)), versionsFile];
}

function digestOf(files: readonly string[]): string {
  const hash = createHash("sha256");
  for (const file of files) {
    const content = read(file);
    hash.update(`${file} ${content.length}\n`).update(content);
  }
  return hash.digest("hex");
}

/** A missing file reads like an empty one: no product is empty. */
function read(file: string): Buffer {
  try {
    return readFileSync(join(root, file));
  } catch {
    return Buffer.alloc(0);
  }
}

/** Another process that reads the file meanwhile gets the old or the new content, never a part. */
function write(file: string, content: string): void {
  if (read(file).toString() === content) return;
  const part = join(root, `dist/part-${process.pid}`);
  for (const path of [part, join(root, file)]) mkdirSync(dirname(path), { recursive: true });
  writeFileSync(part, content);
  renameSync(part, join(root, file));
}
