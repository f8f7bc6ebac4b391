import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { build } from "esbuild";
import { projectDirectory } from "../../infra/bundle.ts";
import { bundleBudgetOf } from "../../lib/contract/platform.ts";

/**
 * The baseline for a function: AWS's bare DynamoDB client, bundled plainly (ESM, minified, everything inside, none of
 * our plugins) and created once, as a handler's module would.
 */
export const bundleBareClient = (file: string): Promise<void> =>
  bundlePlainly(
    `import { DynamoDBClient, GetItemCommand } from "@aws-sdk/client-dynamodb";
    const client = new DynamoDBClient({});
    export const handler = (Key) => client.send(new GetItemCommand({ TableName: "table", Key }));`,
    file,
  );

/** The usual bundling of functions: one file, minified, with nothing left out. */
export async function bundlePlainly(contents: string, file: string): Promise<void> {
  await build({
    absWorkingDir: projectDirectory,
    stdin: { contents, resolveDir: projectDirectory, loader: "ts" },
    outfile: file,
    bundle: true,
    platform: "node",
    target: "node24",
    format: "esm",
    mainFields: ["module", "main"],
    minify: true,
    legalComments: "none",
    banner: {
      js: 'import{createRequire as createRequireOfBundle}from"node:module";const require=createRequireOfBundle(import.meta.url);',
    },
    logLevel: "error",
  });
}

const script = `
  globalThis.awslambda = { streamifyResponse: (handler) => handler };
  const startedMs = performance.now();
  const used = process.cpuUsage();
  await import(process.argv[1]);
  const { user, system } = process.cpuUsage(used);
  console.log(performance.now() - startedMs, (user + system) / 1000);`;

type Sample = { readonly ms: number; readonly processorMs: number };

/** The cost of importing a bundle in a fresh process. */
async function importOnce(file: string): Promise<Sample> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "--eval", script, file],
    {
      env: { PATH: process.env.PATH, AWS_REGION: "eu-west-1", TABLE_NAME: "table" },
    },
  );
  const [ms = 0, processorMs = 0] = stdout.split(" ").map(Number);
  return { ms, processorMs };
}

export type ColdStart = {
  readonly file: string;
  readonly medianMs: number;
  readonly leastMs: number;
  /** The minimum of the processor's time: other work on the machine hardly affects it. */
  readonly processorMs: number;
};

export type ColdStartSamples = Map<string, readonly Sample[]>;

/** In turn, so that other work on the machine affects all of them equally. Earlier samples count, too. */
export async function measureColdStarts(
  files: readonly string[],
  rounds: number,
  samples: ColdStartSamples = new Map(),
): Promise<readonly ColdStart[]> {
  for (let round = 0; round < rounds; round++)
    for (const file of files) samples.set(file, [...(samples.get(file) ?? []), await importOnce(file)]);
  return [...samples].map(([file, all]) => {
    const times = all.map(({ ms }) => ms);
    return {
      file,
      medianMs: median(times),
      leastMs: Math.min(...times),
      processorMs: Math.min(...all.map(({ processorMs }) => processorMs)),
    };
  });
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

/** How long the import of a function may take, as a multiple of the bare client's, by kind of function. */
export const coldStartRatioMax = (source: string): number => coldStartRatios[bundleBudgetOf(source)];

/** The slowest of fifty medians lies above its true value by the noise of one: a bound of 1 was missed by chance. */
const coldStartRatios = {
  function: 1.05,
  reviewIndex: 1.15,
  events: 1.25,
  mcp: 1.15,
} as const satisfies Record<ReturnType<typeof bundleBudgetOf>, number>;
