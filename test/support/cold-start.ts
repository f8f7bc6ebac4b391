import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { build } from "esbuild";
import { projectDirectory } from "../../infra/bundle.ts";

/**
 * What a function could not be smaller than with AWS's SDK: its bare DynamoDB client, bundled plainly (ESM, minified,
 * everything inside, none of our plugins) and made once, as a handler's module would.
 */
export async function bundleBareClient(file: string): Promise<void> {
  await build({
    absWorkingDir: projectDirectory,
    stdin: {
      contents: `import { DynamoDBClient, GetItemCommand } from "@aws-sdk/client-dynamodb";
        const client = new DynamoDBClient({});
        export const handler = (Key) => client.send(new GetItemCommand({ TableName: "table", Key }));`,
      resolveDir: projectDirectory,
    },
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
  await import(process.argv[1]);
  console.log(performance.now() - startedMs);`;

/** Milliseconds that the import of a bundle takes in a fresh process. */
async function importMs(file: string): Promise<number> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "--eval", script, file],
    {
      env: { PATH: process.env.PATH, AWS_REGION: "eu-west-1", TABLE_NAME: "table" },
    },
  );
  return Number(stdout);
}

export type ColdStart = { readonly file: string; readonly medianMs: number; readonly leastMs: number };

/** In turns, so that whatever else the machine does hits all of them alike. */
export async function measureColdStarts(
  files: readonly string[],
  rounds: number,
): Promise<readonly ColdStart[]> {
  const times = new Map<string, number[]>(files.map((file) => [file, []]));
  for (let round = 0; round < rounds; round++)
    for (const file of files) times.get(file)?.push(await importMs(file));
  return [...times].map(([file, all]) => {
    const sorted = all.toSorted((one, other) => one - other);
    return { file, medianMs: sorted[Math.floor(sorted.length / 2)] ?? 0, leastMs: sorted[0] ?? 0 };
  });
}

export const coldStartRatioMax = 1.15;
