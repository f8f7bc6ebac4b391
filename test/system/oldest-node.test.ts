import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { expect, test } from "vitest";
import * as z from "zod";
import manifest from "../../package/package.json" with { type: "json" };

const root = fileURLToPath(new URL("../../", import.meta.url));
const entryPoints = ["cli/package-main.ts", "lib/client/client.ts"];

/** What the oldest Node of the package has. A newer one in the package's `engines` may raise this. */
const oldest = {
  node: ">=20.12",
  lib: ["es2023", "es2024.string", "dom", "dom.iterable", "dom.asynciterable"],
};

/** The files of which something is in the package: no types, and nothing that is never called. */
async function packedFiles(): Promise<ReadonlySet<string>> {
  const { metafile } = await build({
    entryPoints,
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    outdir: "out",
    format: "esm",
    platform: "node",
    logLevel: "error",
  });
  const parts = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs));
  return new Set(parts.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => file));
}

/** What the compiler reports if it knows only `lib`, for the package and for a text of our own. */
async function errorsWith(lib: readonly string[], text: string): Promise<readonly string[]> {
  const folder = await mkdtemp(join(root, "node_modules", ".oldest-node-"));
  try {
    const files = [...entryPoints.map((file) => join(root, file)), "own.ts"];
    const settings = { extends: "../../tsconfig.json", compilerOptions: { lib, types: ["node"] }, files };
    await writeFile(join(folder, "own.ts"), text);
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ ...settings, include: [] }));
    const words = [join(root, "node_modules/typescript/bin/tsc"), "--pretty", "false", "--project", folder];
    const compiled = promisify(execFile)(process.execPath, words, { cwd: root });
    const { stdout } = await compiled.catch((error: unknown) => failure.parse(error));
    return stdout.split("\n").filter((line) => line.includes(": error TS"));
  } finally {
    await rm(folder, { recursive: true });
  }
}

const failure = z.object({ stdout: z.string() });

test("the package uses nothing that its oldest Node lacks", async () => {
  expect(manifest.engines.node).toBe(oldest.node);
  const files = await packedFiles();
  expect(files).toContain("cli/export/agents-md.ts");
  const errors = await errorsWith(oldest.lib, "export const newer = Map.groupBy([1], String);");
  expect(errors.filter((line) => line.includes("own.ts"))).toHaveLength(1);
  expect(errors.filter((line) => files.has(line.split("(", 1)[0] ?? ""))).toEqual([]);
});
