import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { bundleFunctions } from "../../../../infra/bundle.ts";
import { listOrganizations as operation } from "../../../../lib/contract/operations/organizations.ts";
import { bundlePlainly } from "../../../support/cold-start.ts";
import { organizationsPlan } from "../frame/against-bare.ts";
import { barePlanVariable } from "../frame/bare/plan.ts";
import { median } from "../frame/contest.ts";
import { eventText } from "../frame/invoke.ts";
import { openWorld, tableName } from "../frame/world.ts";
import { atMost, rounded, type Target } from "../section.ts";

const firstRequestRatioMax = 1.25;
const ours = "ours";
const barePlain = "bare handler on AWS's SDK, bundled plainly";
const bareTrimmed = "bare handler on AWS's SDK, bundled as ours is";

type Sample = { readonly ms: number; readonly processorMs: number };
/** By contestant, one sample per round. */
export type FirstRequests = ReadonlyMap<string, readonly Sample[]>;

/** Only the bundle is loaded when the time begins; each starts a minute later, so that none meets a rate limit. */
const script = `
  const [bundle, event, minutes] = process.argv.slice(1);
  const now = Date.now;
  Date.now = () => now() + minutes * 61_000;
  const say = console.log;
  process.stdout.write = () => true;
  const startedMs = performance.now();
  const used = process.cpuUsage();
  const { handler } = await import(bundle);
  const context = { awsRequestId: "first", getRemainingTimeInMillis: () => 28_000 };
  const { statusCode, body } = await handler(JSON.parse(event), context);
  const ms = performance.now() - startedMs;
  const { user, system } = process.cpuUsage(used);
  delete process.stdout.write;
  if (statusCode !== 200) throw new Error(body);
  say(ms, (user + system) / 1000);
  process.exit(0);`;

/** In turn, so that other work on the machine affects all of them equally. */
export async function firstRequests(directory: string, rounds: number): Promise<FirstRequests> {
  const bareFile = fileURLToPath(new URL("../frame/bare/aws-sdk.ts", import.meta.url));
  const files = new Map([
    [ours, join(directory, "functions", operation.source, "index.mjs")],
    [barePlain, join(directory, "bare-plain.mjs")],
    [bareTrimmed, join(directory, "bare", "aws-sdk", "index.mjs")],
  ]);
  await bundlePlainly(`export { handler } from ${JSON.stringify(bareFile)};`, files.get(barePlain) ?? "");
  await bundleFunctions({
    sources: ["aws-sdk"],
    sourceDirectory: fileURLToPath(new URL("../frame/bare/", import.meta.url)),
    outputDirectory: join(directory, "bare"),
  });
  const { engine, key, stop } = await openWorld({ pullRequests: 0 });
  const environment = {
    PATH: process.env.PATH,
    AWS_REGION: "local",
    TABLE_NAME: tableName,
    DYNAMODB_ENDPOINT: engine.endpoint,
    [barePlanVariable]: JSON.stringify(organizationsPlan(key.id, operation)),
  };
  const event = eventText("/v1/organizations?limit=10", ["x-service-api-key", key.text]);
  try {
    const samples = new Map<string, Sample[]>([...files.keys()].map((name) => [name, []]));
    let minutes = 0;
    for (let round = 0; round < rounds; round++)
      for (const [name, file] of files)
        samples.get(name)?.push(await once(file, event, minutes++, environment));
    return samples;
  } finally {
    await stop();
  }
}

async function once(file: string, event: string, minutes: number, env: NodeJS.ProcessEnv): Promise<Sample> {
  const run = ["--input-type=module", "--eval", script, file, event, String(minutes)];
  const { stdout } = await promisify(execFile)(process.execPath, run, { env });
  const [ms = 0, processorMs = 0] = stdout.split(" ").map(Number);
  return { ms, processorMs };
}

const middle = (first: FirstRequests, name: string, of: keyof Sample): number =>
  median((first.get(name) ?? []).map((sample) => sample[of]));

const ratio = (first: FirstRequests, base: string): number =>
  middle(first, ours, "ms") / middle(first, base, "ms");

export const firstRequestTarget = (first: FirstRequests): Target =>
  atMost(
    "import and first request, of a bare SDK handler's with the same calls",
    ratio(first, barePlain),
    firstRequestRatioMax,
  );

export const firstRequestRows = (first: FirstRequests) =>
  [...first.keys()].map((name) => ({
    handler: name,
    "ours, of it": rounded(ratio(first, name)),
    "ms, median": rounded(middle(first, name, "ms"), 1),
    "ms of CPU, median": rounded(middle(first, name, "processorMs"), 1),
  }));
