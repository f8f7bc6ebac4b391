import { createHash } from "node:crypto";
import { cp, glob, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Metafile, type OutputFile } from "esbuild";
import { mcpSource } from "../lib/contract/mcp.ts";
import { operations } from "../lib/contract/operations.ts";
import { bundleBudgetOf, bundleBudgets, fallbackSource } from "../lib/contract/platform.ts";
import { referenceBundle, referenceSource } from "../lib/contract/reference.ts";
import { internalFunctions, workers } from "../lib/contract/workers.ts";
import {
  keysOnly,
  omitCredentialSearch,
  omitDescriptions,
  omitFormValidator,
  omitJsonSchema,
  requireHttp,
  routesOnly,
} from "./bundle-plugins.ts";

/** esbuild is a Go program: it collects garbage less often, which saves a fifth of its CPU time and costs 150 MB. */
process.env.GOGC ??= "400";

export const projectDirectory = resolve(import.meta.dirname, "..");
export const bundlesDirectory = join(projectDirectory, "dist", "functions");
export const bundleDirectory = (source: string): string => join(bundlesDirectory, source);

/** Every function of the service: one entry point, one bundle, one Lambda. */
export const functionSources: readonly string[] = [
  ...[...operations, ...workers, ...internalFunctions].map(({ source }) => source),
  mcpSource,
  referenceSource,
  fallbackSource,
];

export type BundleSize = {
  readonly source: string;
  /** Bytes that are loaded on a cold start. */
  readonly bytes: number;
  /** Including what is loaded later, when it is first needed. */
  readonly bytesWithLazy: number;
  readonly gzipBytes: number;
  /** What the bytes of a cold start consist of: bytes by package, our own code as `.`, largest first. */
  readonly packages: Readonly<Record<string, number>>;
  /** Our own files that are loaded on a cold start. */
  readonly ownFiles: readonly string[];
  /** Our own files that are loaded later. */
  readonly lazyFiles: readonly string[];
};

export type BundleOptions = {
  readonly sources: readonly string[];
  readonly sourceDirectory: string;
  readonly outputDirectory: string;
  /** Packages that a dependency imports but does not require; they stay external and absent. */
  readonly absent?: readonly string[];
};

export const everyFunction: BundleOptions = {
  sources: functionSources,
  sourceDirectory: join(projectDirectory, "functions"),
  outputDirectory: bundlesDirectory,
};

/** With its source map, the files it loads later, and the table of sizes. */
export async function bundleFunctions(
  options: BundleOptions = everyFunction,
): Promise<readonly BundleSize[]> {
  const { sources, outputDirectory } = options;
  await rm(outputDirectory, { recursive: true, force: true });
  // One after another: in parallel they take three gigabytes of memory and no less time.
  const sizes: BundleSize[] = [];
  for (const source of sources) sizes.push(await bundleFunction(source, options));
  // The reference serves files that are not code, but they are deployed with the code.
  if (sources.includes(referenceSource))
    for (const path of referenceBundle)
      await cp(join(projectDirectory, path), join(outputDirectory, referenceSource, path), {
        recursive: true,
      });
  await writeFile(join(outputDirectory, "sizes.json"), `${JSON.stringify(sizes, null, 2)}\n`);
  return sizes;
}

/** One run for each function: a run over all would put code that two functions share into a separate file. */
async function bundleFunction(source: string, options: BundleOptions): Promise<BundleSize> {
  const { sourceDirectory, outputDirectory, absent = [] } = options;
  const { metafile, outputFiles } = await build({
    absWorkingDir: projectDirectory,
    entryPoints: { index: join(sourceDirectory, `${source}.ts`) },
    outdir: join(outputDirectory, source),
    outExtension: { ".js": ".mjs" },
    bundle: true,
    // Code behind `import()` becomes a separate file that is loaded when it is needed.
    splitting: true,
    platform: "node",
    target: "node24",
    format: "esm",
    // ESM builds first: tree shaking works only on them.
    mainFields: ["module", "main"],
    minify: true,
    // Node reads modules as UTF-8: redaction contains words of many alphabets, which escapes would make longer.
    charset: "utf8",
    legalComments: "none",
    sourcemap: "linked",
    sourcesContent: false,
    plugins: [
      requireHttp,
      omitCredentialSearch,
      omitJsonSchema,
      omitFormValidator,
      keysOnly,
      omitDescriptions,
      routesOnly(sourceDirectory),
    ],
    external: [...absent],
    banner: {
      js: 'import{createRequire as createRequireOfBundle}from"node:module";const require=createRequireOfBundle(import.meta.url);',
    },
    metafile: true,
    write: false,
    logLevel: "error",
  });
  const outputs = new Map(outputFiles.map((file) => [relative(projectDirectory, file.path), file]));
  const entry = relative(projectDirectory, join(outputDirectory, source, "index.mjs"));
  const eager = reachable(metafile, [entry], ["import-statement"]);
  const all = reachable(metafile, [entry], ["import-statement", "dynamic-import"]);
  for (const path of all)
    for (const file of [outputs.get(path), outputs.get(`${path}.map`)]) if (file) await write(file);
  return measure(source, metafile, { outputs, eager, all });
}

/** A digest of its code: a deployment leaves a function alone whose code did not change. */
export async function releasesOf(
  sources: readonly string[] = functionSources,
  bundles: string = bundlesDirectory,
): Promise<ReadonlyMap<string, string>> {
  const entries = sources.map(async (source) => [source, await digest(join(bundles, source))] as const);
  return new Map(await Promise.all(entries));
}

async function digest(directory: string): Promise<string> {
  const hash = createHash("sha256");
  for (const path of (await Array.fromAsync(glob("*.mjs", { cwd: directory }))).toSorted())
    hash.update(`${path}\n`).update(await readFile(join(directory, path)));
  return hash.digest("hex").slice(0, 12);
}

async function write({ path, contents }: OutputFile): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, contents);
}

/** The output files that these files need. esbuild also writes files that nothing imports any more. */
function reachable(
  { outputs }: Metafile,
  entries: readonly string[],
  kinds: readonly string[],
): ReadonlySet<string> {
  const found = new Set(entries);
  for (const path of found)
    for (const each of outputs[path]?.imports ?? [])
      if (!each.external && kinds.includes(each.kind)) found.add(each.path);
  return found;
}

type BuiltFiles = {
  readonly outputs: ReadonlyMap<string, OutputFile>;
  /** Paths that are loaded at the start (`eager`), and all paths. */
  readonly eager: ReadonlySet<string>;
  readonly all: ReadonlySet<string>;
};

function measure(source: string, metafile: Metafile, { outputs, eager, all }: BuiltFiles): BundleSize {
  const packages = new Map<string, number>();
  const inputsOf = (paths: Iterable<string>) =>
    [...paths].flatMap((path) => Object.entries(metafile.outputs[path]?.inputs ?? {}));
  for (const [input, { bytesInOutput }] of inputsOf(eager)) {
    const owner = packageOf(input);
    packages.set(owner, (packages.get(owner) ?? 0) + bytesInOutput);
  }
  const contentsOf = (paths: Iterable<string>) =>
    Buffer.concat([...paths].map((path) => outputs.get(path)?.contents ?? new Uint8Array()));
  const ownFilesOf = (paths: Iterable<string>) =>
    inputsOf(paths)
      .filter(([input, { bytesInOutput }]) => packageOf(input) === "." && bytesInOutput > 0)
      .map(([input]) => input)
      .toSorted();
  const code = contentsOf(eager);
  return {
    source,
    bytes: code.byteLength,
    bytesWithLazy: contentsOf(all).byteLength,
    gzipBytes: gzipSync(code).byteLength,
    packages: Object.fromEntries([...packages].toSorted(([, one], [, other]) => other - one)),
    ownFiles: ownFilesOf(eager),
    lazyFiles: ownFilesOf(all.difference(eager)),
  };
}

const packageOf = (path: string): string =>
  /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(path)?.[1] ?? ".";

/** The functions that exceed their budgets, each with the reason. */
const overBudget = (sizes: readonly BundleSize[]): readonly string[] =>
  sizes.flatMap(({ source, bytes, bytesWithLazy }) => {
    const budget = bundleBudgets[bundleBudgetOf(source)];
    return [
      ...(bytes > budget.bytesMax ? [`${source}: ${bytes} bytes, ${budget.bytesMax} allowed`] : []),
      ...(bytesWithLazy > budget.bytesWithLazyMax
        ? [`${source}: ${bytesWithLazy} bytes with what is loaded later, ${budget.bytesWithLazyMax} allowed`]
        : []),
    ];
  });

/** The size table for people. */
function reportSizes(sizes: readonly BundleSize[]): string {
  const lines = sizes.map(({ source, bytes, bytesWithLazy, gzipBytes }) => {
    const later = bytesWithLazy > bytes ? `, ${kilobytes(bytesWithLazy)} with what is loaded later` : "";
    return `${source.padEnd(28)} ${kilobytes(bytes)}, ${kilobytes(gzipBytes)} gzip${later}`;
  });
  return [...lines, ...overBudget(sizes).map((each) => `OVER BUDGET ${each}`)].join("\n");
}

const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1).padStart(7)} KB`;

if (import.meta.main) {
  const sizes = await bundleFunctions();
  console.log(reportSizes(sizes));
  if (overBudget(sizes).length > 0) process.exitCode = 1;
}
