import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Metafile, type Plugin } from "esbuild";
import { operations } from "../lib/contract/operations.ts";
import { bundleBytesMax, fallbackSource } from "../lib/contract/platform.ts";
import { referenceBundle, referenceSource } from "../lib/contract/reference.ts";
import { internalFunctions, workers } from "../lib/contract/workers.ts";

export const projectDirectory = resolve(import.meta.dirname, "..");
export const bundlesDirectory = join(projectDirectory, "dist", "functions");
export const bundleDirectory = (source: string): string => join(bundlesDirectory, source);

/** Every function of the service: one entry point, one bundle, one Lambda. */
export const functionSources: readonly string[] = [
  ...[...operations, ...workers, ...internalFunctions].map(({ source }) => source),
  referenceSource,
  fallbackSource,
];

export type BundleSize = {
  readonly source: string;
  readonly bytes: number;
  readonly gzipBytes: number;
  /** What the bytes are spent on: bytes by package, our own code as `.`, largest first. */
  readonly packages: Readonly<Record<string, number>>;
  /** Our own files in it. */
  readonly ownFiles: readonly string[];
};

export type BundleOptions = {
  readonly sources: readonly string[];
  readonly sourceDirectory: string;
  readonly outputDirectory: string;
  /** Packages that a dependency asks for and can do without; they stay outside, absent. */
  readonly absent?: readonly string[];
};

export const everyFunction: BundleOptions = {
  sources: functionSources,
  sourceDirectory: join(projectDirectory, "functions"),
  outputDirectory: bundlesDirectory,
};

/** `<source>/index.mjs` with its map for every function, and the table of their sizes. One run: what they share is parsed once. */
export async function bundleFunctions(
  options: BundleOptions = everyFunction,
): Promise<readonly BundleSize[]> {
  const { sources, sourceDirectory, outputDirectory, absent = [] } = options;
  const { metafile, outputFiles } = await build({
    absWorkingDir: projectDirectory,
    entryPoints: Object.fromEntries(
      sources.map((source) => [join(source, "index"), join(sourceDirectory, `${source}.ts`)]),
    ),
    outdir: outputDirectory,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    target: "node24",
    format: "esm",
    // ESM builds first: they are what tree shaking works on.
    mainFields: ["module", "main"],
    minify: true,
    legalComments: "none",
    sourcemap: "linked",
    sourcesContent: false,
    plugins: [requireBuiltins, leaveOut],
    external: [...absent],
    banner: {
      js: 'import{createRequire as createRequireOfBundle}from"node:module";const require=createRequireOfBundle(import.meta.url);',
    },
    metafile: true,
    write: false,
    logLevel: "error",
  });
  await rm(outputDirectory, { recursive: true, force: true });
  for (const { path, contents } of outputFiles) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, contents);
  }
  // What the reference serves is no code, but it travels with the code.
  if (sources.includes(referenceSource))
    for (const path of referenceBundle)
      await cp(join(projectDirectory, path), join(outputDirectory, referenceSource, path), {
        recursive: true,
      });
  const files = new Map(
    outputFiles.map(({ path, contents }) => [relative(projectDirectory, path), contents]),
  );
  const sizes = sources.map((source) => {
    const path = relative(projectDirectory, join(outputDirectory, source, "index.mjs"));
    return measure(source, files.get(path) ?? new Uint8Array(), metafile.outputs[path]);
  });
  await writeFile(join(outputDirectory, "sizes.json"), `${JSON.stringify(sizes, null, 2)}\n`);
  return sizes;
}

/**
 * An ESM import of `node:http` loads undici (60 ms on a cold start, against 6 of `require`), and one of `node:util` all
 * that it would load when first asked for (2 ms).
 */
const requireBuiltins: Plugin = {
  name: "require-builtins",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?(https?|util)$/ }, ({ path, kind }) =>
      kind === "require-call"
        ? { path: nodeName(path), external: true }
        : { path: nodeName(path), namespace: "required" },
    );
    onLoad({ filter: /.*/, namespace: "required" }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
      loader: "js",
    }));
  },
};

/** What is there and no function calls. */
const leaveOut: Plugin = {
  name: "leave-out",
  setup({ onResolve, onLoad }) {
    // JSON Schema is made where the OpenAPI document is made: 18 KB.
    onLoad({ filter: /zod\/v4\/core\/(to-json-schema|json-schema-processors)\.js$/ }, async ({ path }) => ({
      contents: refusingExports(await readFile(path, "utf8")),
    }));
    // middy asks whether a body is a web stream, and none of ours is: 2 ms.
    onResolve({ filter: /^node:stream\/web$/ }, ({ importer }) =>
      importer.includes("/@middy/") ? { path: "none", namespace: "no-web-streams" } : undefined,
    );
    onLoad({ filter: /.*/, namespace: "no-web-streams" }, () => ({
      contents: "export class ReadableStream { static [Symbol.hasInstance]() { return false; } }",
    }));
    // Of every operation the fallback knows the path and the method; their schemas are 100 KB to it.
    onResolve({ filter: /\/contract\/operations\.ts$/ }, ({ importer }) =>
      importer === join(everyFunction.sourceDirectory, `${fallbackSource}.ts`)
        ? { path: "routes", namespace: "routes-only" }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: "routes-only" }, () => ({
      contents: `export const operations = ${JSON.stringify(operations.map(({ method, path }) => ({ method, path })))};`,
    }));
  },
};

/** The same names, so that importers still link; whoever calls one learns why it is not there. */
function refusingExports(module: string): string {
  const names = [...module.matchAll(/^export (?:async )?(?:function|const|class) (\w+)/gm)].map(
    ([, name]) => name,
  );
  const refusal =
    'const refuse = () => { throw new Error("Left out of the bundles; see infra/bundle.ts."); };';
  return [refusal, ...names.map((name) => `export const ${name} = refuse;`)].join("\n");
}

const nodeName = (path: string): string => (path.startsWith("node:") ? path : `node:${path}`);

function measure(
  source: string,
  contents: Uint8Array,
  output: Metafile["outputs"][string] | undefined,
): BundleSize {
  const packages = new Map<string, number>();
  const inputs = Object.entries(output?.inputs ?? {});
  for (const [input, { bytesInOutput }] of inputs) {
    const owner = packageOf(input);
    packages.set(owner, (packages.get(owner) ?? 0) + bytesInOutput);
  }
  return {
    source,
    bytes: contents.byteLength,
    gzipBytes: gzipSync(contents).byteLength,
    packages: Object.fromEntries([...packages].toSorted(([, one], [, other]) => other - one)),
    ownFiles: inputs
      .filter(([input, { bytesInOutput }]) => packageOf(input) === "." && bytesInOutput > 0)
      .map(([input]) => input)
      .toSorted(),
  };
}

const packageOf = (path: string): string =>
  /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(path)?.[1] ?? ".";

/** The size table for people; a bundle over its budget is an error. */
export function reportSizes(sizes: readonly BundleSize[]): string {
  const lines = sizes.map(({ source, bytes, gzipBytes }) => {
    const verdict = bytes > bundleBytesMax ? "  OVER BUDGET" : "";
    return `${source.padEnd(28)} ${kilobytes(bytes)}, ${kilobytes(gzipBytes)} gzip${verdict}`;
  });
  return lines.join("\n");
}

const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1).padStart(7)} KB`;

if (import.meta.main) {
  const sizes = await bundleFunctions();
  console.log(reportSizes(sizes));
  if (sizes.some(({ bytes }) => bytes > bundleBytesMax)) process.exitCode = 1;
}
