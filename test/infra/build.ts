import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import * as z from "zod";
import { type BundleSize, bundleFunctions, everyFunction, projectDirectory } from "../../infra/bundle.ts";
import { referenceBundle } from "../../lib/contract/reference.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { type StackTemplate, templateSchema } from "./support.ts";

/** The stack with all that changes what functions are told and how they are reached. */
export const chosenOptions = {
  stackName: "Chosen",
  stage: "blue",
  domainName: "api.example.com",
  certificateArn: "arn:aws:acm:eu-west-1:111122223333:certificate/0a1b",
  basePath: "review",
  disableExecuteApiEndpoint: "true",
  tracing: "true",
  release: "0a1b2c3",
  corsOrigins: "https://app.example.com",
  keyHeaderNames: "x-api-key",
  auditRetentionDays: "90",
  bedrockModelId: "amazon.titan-embed-text-v2:0:8k",
} as const;

/** What `npm run synth` makes, as far as tests need it. */
export type Build = {
  readonly sizes: readonly BundleSize[];
  /** What a thread of test/e2e runs. */
  readonly threadFile: string;
  readonly bundleOf: (source: string) => string;
  /** With no option given, and with `chosenOptions`. */
  readonly templates: { readonly plain: StackTemplate; readonly chosen: StackTemplate };
};

/** Everything that the bundles, the thread and the templates are made of. */
const ingredients = [
  "lib",
  "functions",
  "infra",
  "cli/local",
  "test/e2e/lambda-thread.ts",
  "test/infra/synthesize.ts",
  "test/infra/build.ts",
  "cdk.json",
  "package-lock.json",
  ...referenceBundle.filter((path) => !path.startsWith("node_modules/")),
];
const cache = join(projectDirectory, "node_modules", ".cache", "build");
const keptMs = 3_600_000;
const makingMsMax = 300_000;

/** Made once for one state of the sources, by whoever asks first: bundling and synthesis take seconds. */
export async function builtOnce(): Promise<Build> {
  const directory = join(cache, await digestOf(ingredients));
  if (!existsSync(directory)) await makeAlone(directory);
  const nowSeconds = systemClock.nowMs() / 1000;
  await utimes(directory, nowSeconds, nowSeconds);
  const read = async (file: string): Promise<unknown> =>
    JSON.parse(await readFile(join(directory, file), "utf8"));
  return {
    sizes: sizesSchema.parse(await read("sizes.json")),
    threadFile: join(directory, "lambda-thread.mjs"),
    bundleOf: (source) => join(directory, source, "index.mjs"),
    templates: {
      plain: templateSchema.parse(await read("plain.json")),
      chosen: templateSchema.parse(await read("chosen.json")),
    },
  };
}

const sizesSchema: z.ZodType<readonly BundleSize[]> = z.array(
  z.object({
    source: z.string(),
    bytes: z.number(),
    bytesWithLazy: z.number(),
    gzipBytes: z.number(),
    packages: z.record(z.string(), z.number()),
    ownFiles: z.array(z.string()),
    lazyFiles: z.array(z.string()),
  }),
);

/** Test files run side by side: one makes it, the others wait, unless it seems to have been killed over it. */
async function makeAlone(directory: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  await dropOld();
  const lock = `${directory}.lock`;
  const isMine = await mkdir(lock).then(
    () => true,
    () => false,
  );
  const untilMs = systemClock.nowMs() + makingMsMax;
  while (!isMine && existsSync(lock) && systemClock.nowMs() < untilMs) await systemClock.sleep(100);
  try {
    if (!existsSync(directory)) await make(directory);
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

async function make(directory: string): Promise<void> {
  const made = await mkdtemp(join(cache, "making-"));
  await bundleFunctions({ ...everyFunction, outputDirectory: made });
  // Thirty threads would each translate the same TypeScript, which takes longer than all they do.
  await build({
    entryPoints: [join(projectDirectory, "test/e2e/lambda-thread.ts")],
    outfile: join(made, "lambda-thread.mjs"),
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node24",
  });
  // Only whoever makes the templates pays for loading the CDK.
  const [{ Code }, { synthesize }] = await Promise.all([
    import("aws-cdk-lib/aws-lambda"),
    import("./synthesize.ts"),
  ]);
  const assets = { "aws:cdk:enable-asset-metadata": true, "aws:cdk:disable-asset-staging": true };
  const codeOf = (source: string) => Code.fromAsset(join(made, source), { exclude: ["*.map"] });
  for (const [name, options] of Object.entries({ plain: {}, chosen: chosenOptions })) {
    const template = JSON.stringify(synthesize({ ...assets, ...options }, {}, codeOf));
    await writeFile(join(made, `${name}.json`), template.replaceAll(made, directory));
  }
  // Whole or not at all; if two made it after all, one is as good as the other.
  await rename(made, directory).catch(() => rm(made, { recursive: true, force: true }));
}

/** What nobody has used for an hour: every change of the sources leaves one behind. */
async function dropOld(): Promise<void> {
  for (const name of await readdir(cache).catch(() => [])) {
    const { mtimeMs } = await stat(join(cache, name)).catch(() => ({ mtimeMs: 0 }));
    if (systemClock.nowMs() - mtimeMs > keptMs) await rm(join(cache, name), { recursive: true, force: true });
  }
}

async function digestOf(paths: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  const add = async (path: string): Promise<void> => {
    const absolute = join(projectDirectory, path);
    if ((await stat(absolute)).isDirectory())
      for (const name of (await readdir(absolute)).toSorted()) await add(join(path, name));
    else
      hash
        .update(path)
        .update("\0")
        .update(await readFile(absolute));
  };
  for (const path of paths) await add(path);
  return hash.digest("hex").slice(0, 16);
}
