import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Metafile, type Plugin } from "esbuild";
import { operations } from "../lib/contract/operations.ts";
import { bundleBytesMax, fallbackSource } from "../lib/contract/platform.ts";
import { internalFunctions, workers } from "../lib/contract/workers.ts";

export const projectDirectory = resolve(import.meta.dirname, "..");
export const bundlesDirectory = join(projectDirectory, "dist", "functions");
export const bundleDirectory = (source: string): string => join(bundlesDirectory, source);

type Described = { readonly source: string; readonly uses?: readonly string[] };
const described: readonly Described[] = [...operations, ...workers, ...internalFunctions];

/** Every function of the service: one entry point, one bundle, one Lambda. */
export const functionSources: readonly string[] = [...described.map(({ source }) => source), fallbackSource];

export type BundleSize = {
  readonly source: string;
  /** What a cold start loads. */
  readonly bytes: number;
  readonly gzipBytes: number;
  /** What lies beside it and is loaded when it is needed. */
  readonly lazyBytes: number;
  /** What the bytes of a cold start are spent on: bytes by package, our own code as `.`, largest first. */
  readonly packages: Readonly<Record<string, number>>;
};

export type BundleOptions = {
  readonly sources: readonly string[];
  /** Those whose dynamic imports become files of their own. */
  readonly split: readonly string[];
  readonly sourceDirectory: string;
  readonly outputDirectory: string;
};

export const everyFunction: BundleOptions = {
  sources: functionSources,
  // Clients beside DynamoDB's load parts of themselves, or are wanted, once in a blue moon.
  split: described.filter(({ uses = [] }) => uses.length > 0).map(({ source }) => source),
  sourceDirectory: join(projectDirectory, "functions"),
  outputDirectory: bundlesDirectory,
};

/** `<source>/index.mjs` with its map for every function, and the table of their sizes. */
export async function bundleFunctions(
  options: BundleOptions = everyFunction,
): Promise<readonly BundleSize[]> {
  const { sources, split, outputDirectory } = options;
  await rm(outputDirectory, { recursive: true, force: true });
  const whole = sources.filter((source) => !split.includes(source));
  // One run for all: what they share is parsed once. Split ones share no files, so each is a run.
  const runs = await Promise.all([
    whole.length > 0 ? run(options, whole, false) : [],
    ...split.map((source) => run(options, [source], true)),
  ]);
  const sizes = runs
    .flat()
    .toSorted((one, other) => sources.indexOf(one.source) - sources.indexOf(other.source));
  await writeFile(join(outputDirectory, "sizes.json"), `${JSON.stringify(sizes, null, 2)}\n`);
  return sizes;
}

async function run(
  { sourceDirectory, outputDirectory }: BundleOptions,
  sources: readonly string[],
  splitting: boolean,
): Promise<BundleSize[]> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: projectDirectory,
    entryPoints: Object.fromEntries(
      sources.map((source) => [join(source, "index"), join(sourceDirectory, `${source}.ts`)]),
    ),
    outdir: outputDirectory,
    outExtension: { ".js": ".mjs" },
    splitting,
    ...(splitting && { chunkNames: `${sources[0]}/[name]-[hash]` }),
    bundle: true,
    platform: "node",
    target: "node24",
    format: "esm",
    // ESM builds first: they are what tree shaking works on (329 KB against 530 KB).
    mainFields: ["module", "main"],
    minify: true,
    legalComments: "none",
    sourcemap: "linked",
    sourcesContent: false,
    alias: { "@aws-sdk/credential-provider-node": join(import.meta.dirname, "lambda-credentials.ts") },
    plugins: [requireHttp, leaveOut],
    banner: {
      js: 'import{createRequire as createRequireOfBundle}from"node:module";const require=createRequireOfBundle(import.meta.url);',
    },
    metafile: true,
    write: false,
    logLevel: "error",
  });
  for (const { path, contents } of outputFiles) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, contents);
  }
  const files = new Map(
    outputFiles.map(({ path, contents }) => [relative(projectDirectory, path), contents]),
  );
  const written = { metafile, files, directory: relative(projectDirectory, outputDirectory) };
  return sources.map((source) => measure(source, written));
}

/** An ESM import of `node:http` loads undici (60 ms on a cold start), `require` of it does not (6 ms). */
const requireHttp: Plugin = {
  name: "require-http",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?https?$/ }, ({ path, kind }) =>
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

/** What the libraries bring and no function calls. */
const leaveOut: Plugin = {
  name: "leave-out",
  setup({ onResolve, onLoad }) {
    // JSON Schema is made where the OpenAPI document is made: 18 KB.
    onLoad({ filter: /zod\/v4\/core\/(to-json-schema|json-schema-processors)\.js$/ }, async ({ path }) => ({
      contents: refusingExports(await readFile(path, "utf8")),
    }));
    // Loaded by the SDK for answers that are event streams; ours are not: 11 KB.
    onResolve({ filter: /^@smithy\/core\/event-streams$/ }, ({ path, kind }) =>
      kind === "dynamic-import" ? { path, namespace: "left-out" } : undefined,
    );
    // The cache of DynamoDB's endpoint discovery, which only a global setting would switch on: 8 KB.
    onResolve({ filter: /^@aws-sdk\/endpoint-cache$/ }, ({ path }) => ({ path, namespace: "left-out" }));
    onLoad({ filter: /.*/, namespace: "left-out" }, ({ path }) => ({
      contents: path.endsWith("endpoint-cache") ? "export class EndpointCache {}" : "export {};",
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

type Written = {
  readonly metafile: Metafile;
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly directory: string;
};

function measure(source: string, { metafile, files, directory }: Written): BundleSize {
  const eager = filesFrom(metafile, join(directory, source, "index.mjs"), ["import-statement"]);
  const all = filesFrom(metafile, join(directory, source, "index.mjs"), [
    "import-statement",
    "dynamic-import",
  ]);
  const contents = Buffer.concat(eager.map((path) => files.get(path) ?? new Uint8Array()));
  const packages = new Map<string, number>();
  for (const path of eager)
    for (const [input, { bytesInOutput }] of Object.entries(metafile.outputs[path]?.inputs ?? {})) {
      const owner = packageOf(input);
      packages.set(owner, (packages.get(owner) ?? 0) + bytesInOutput);
    }
  const bytesOfAll = all.reduce((sum, path) => sum + (files.get(path)?.byteLength ?? 0), 0);
  return {
    source,
    bytes: contents.byteLength,
    gzipBytes: gzipSync(contents).byteLength,
    lazyBytes: bytesOfAll - contents.byteLength,
    packages: Object.fromEntries([...packages].toSorted(([, one], [, other]) => other - one)),
  };
}

/** A written file and all it imports in these ways. */
function filesFrom({ outputs }: Metafile, entry: string, kinds: readonly string[]): string[] {
  const found = new Set([entry]);
  for (const path of found)
    for (const { path: imported, kind } of outputs[path]?.imports ?? [])
      if (Object.hasOwn(outputs, imported) && kinds.includes(kind)) found.add(imported);
  return [...found];
}

const packageOf = (path: string): string =>
  /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(path)?.[1] ?? ".";

/** The size table for people; a bundle over its budget is an error. */
export function reportSizes(sizes: readonly BundleSize[]): string {
  const lines = sizes.map(({ source, bytes, gzipBytes, lazyBytes }) => {
    const later = lazyBytes > 0 ? `, ${kilobytes(lazyBytes)} loaded when needed` : "";
    const verdict = bytes > bundleBytesMax ? "  OVER BUDGET" : "";
    return `${source.padEnd(28)} ${kilobytes(bytes)}, ${kilobytes(gzipBytes)} gzip${later}${verdict}`;
  });
  return lines.join("\n");
}

const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1).padStart(7)} KB`;

if (import.meta.main) {
  const sizes = await bundleFunctions();
  console.log(reportSizes(sizes));
  if (sizes.some(({ bytes }) => bytes > bundleBytesMax)) process.exitCode = 1;
}
