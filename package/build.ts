import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { readDocument } from "../cli/document-file.ts";
import { omitDescriptions } from "../infra/bundle-plugins.ts";
import { makeProducts } from "../lib/generate/products.ts";
import { buildClient } from "./build-client.ts";

/** Builds what `npm pack` packs, from the sources of the checkout: the tool, the client and the OpenAPI document. */
const here = import.meta.dirname;
const root = dirname(here);
const built = join(here, "built");

await makeProducts();
await rm(built, { recursive: true, force: true });
await Promise.all([buildTool(), buildClient(join(built, "client")), copyDocument()]);

async function buildTool(): Promise<void> {
  await build({
    entryPoints: { "review-api": join(root, "cli", "package-main.ts") },
    outdir: built,
    bundle: true,
    splitting: true,
    minify: true,
    // An error names the function it comes from.
    keepNames: true,
    format: "esm",
    platform: "node",
    target: "node20",
    plugins: [omitDescriptions],
    logLevel: "warning",
  });
  // The bundle contains these, whose licenses ask for this.
  for (const name of ["zod", "hyparquet", "hyparquet-writer"])
    await copyFile(join(root, "node_modules", name, "LICENSE"), join(built, `LICENSE-${name}`));
}

async function copyDocument(): Promise<void> {
  await mkdir(join(here, "docs"), { recursive: true });
  await writeFile(join(here, "docs", "openapi.json"), JSON.stringify(await readDocument()));
}
