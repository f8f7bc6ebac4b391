import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import * as z from "zod";
import {
  type BundleSize,
  bundleFunctions,
  everyFunction,
  functionSources,
  projectDirectory,
  releasesOf,
} from "../../../infra/bundle.ts";
import { referenceBundle } from "../../../lib/contract/reference.ts";
import { madeOnce } from "../../support/made-once.ts";
import { type StackTemplate, templateSchema } from "./support.ts";

/** The stack with all options that change the functions' environment and routes. */
export const chosenOptions = {
  stackName: "Chosen",
  stage: "blue",
  domainName: "api.example.com",
  certificateArn: "arn:aws:acm:eu-west-1:111122223333:certificate/0a1b",
  basePath: "review",
  disableExecuteApiEndpoint: "true",
  tracing: "true",
  commit: "0a1b2c3",
  corsOrigins: "https://app.example.com",
  keyHeaderNames: "x-api-key",
  auditRetentionDays: "90",
  bedrockModelId: "amazon.titan-embed-text-v2:0:8k",
  bedrockRegion: "us-west-2",
} as const;

/** The parts of `npm run synth` that tests need. */
export type Build = {
  readonly sizes: readonly BundleSize[];
  /** The script of a thread of test/system/e2e. */
  readonly threadFile: string;
  readonly bundleOf: (source: string) => string;
  /** Without options, and with `chosenOptions`. */
  readonly templates: { readonly plain: StackTemplate; readonly chosen: StackTemplate };
};

/** Everything that the bundles, the thread and the templates are built from. */
const ingredients = [
  "lib",
  "functions",
  "infra",
  "lib/local",
  "test/system/e2e/lambda-thread.ts",
  "test/system/infra/synthesize.ts",
  "test/system/infra/build.ts",
  "cdk.json",
  "package-lock.json",
  ...referenceBundle.filter((path) => !path.startsWith("node_modules/")),
];

/** Bundling and synthesis take long: one test file does both for all. */
export async function builtOnce(): Promise<Build> {
  const directory = await madeOnce({ name: "build", ingredients, make });
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

async function make(made: string, directory: string): Promise<void> {
  await bundleFunctions({ ...everyFunction, outputDirectory: made });
  // Otherwise thirty threads would each compile the same TypeScript, which takes longer than their work.
  await build({
    entryPoints: [join(projectDirectory, "test/system/e2e/lambda-thread.ts")],
    outfile: join(made, "lambda-thread.mjs"),
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node24",
  });
  // Only the process that creates the templates loads the CDK.
  const [{ Code }, { synthesize }] = await Promise.all([
    import("aws-cdk-lib/aws-lambda"),
    import("./synthesize.ts"),
  ]);
  const releases = await releasesOf(functionSources, made);
  const assets = { "aws:cdk:enable-asset-metadata": true, "aws:cdk:disable-asset-staging": true };
  const codeOf = (source: string) => Code.fromAsset(join(made, source), { exclude: ["*.map"] });
  for (const [name, options] of Object.entries({ plain: {}, chosen: chosenOptions })) {
    const template = JSON.stringify(synthesize({ ...assets, ...options }, { releases }, codeOf));
    await writeFile(join(made, `${name}.json`), template.replaceAll(made, directory));
  }
}
