import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CreateFunctionCommand,
  DeleteFunctionCommand,
  GetFunctionConfigurationCommand,
  InvokeCommand,
  type LambdaClient,
} from "@aws-sdk/client-lambda";
import { bundleFunctions, everyFunction } from "../../../infra/bundle.ts";
import { operations } from "../../contract/operations.ts";
import { environmentVariables, functionSettings } from "../../contract/platform.ts";
import { systemClock } from "../../runtime/clock.ts";
import { zipOf } from "./zip.ts";

const functionsMax = 10;
const pollMs = 1_000;

/** What a proof made and has not removed yet, with the command that removes it. */
export type Leftovers = Map<string, string>;

type InitTimesProps = {
  readonly prefix: string;
  readonly Role: string;
  readonly tableName: string;
  readonly region: string;
  readonly leftovers: Leftovers;
  readonly signal: AbortSignal;
};

export type InitTime = { readonly source: string; readonly initMs: number | undefined };

/** Starts ten functions of the service once, each with its own bundle, and removes them again. */
export async function measureInitTimes(
  client: LambdaClient,
  { prefix, Role, tableName, region, leftovers, signal }: InitTimesProps,
): Promise<readonly InitTime[]> {
  const step = Math.ceil(operations.length / functionsMax);
  const chosen = operations.filter((_, index) => index % step === 0).slice(0, functionsMax);
  const outputDirectory = await mkdtemp(join(tmpdir(), "prove-"));
  try {
    await bundleFunctions({ ...everyFunction, sources: chosen.map(({ source }) => source), outputDirectory });
    const times: InitTime[] = [];
    for (const { id, source, streaming } of chosen) {
      signal.throwIfAborted();
      const FunctionName = `${prefix}-${id}`;
      const { memoryMegabytes } = functionSettings[streaming ? "streaming" : "operation"];
      await client.send(
        new CreateFunctionCommand({
          FunctionName,
          Role,
          Code: { ZipFile: await zippedBundle(join(outputDirectory, source)) },
          Runtime: "nodejs24.x",
          Architectures: ["arm64"],
          Handler: "index.handler",
          MemorySize: memoryMegabytes,
          Timeout: 10,
          Environment: { Variables: { [environmentVariables.tableName]: tableName } },
        }),
      );
      leftovers.set(
        FunctionName,
        `aws lambda delete-function --function-name ${FunctionName} --region ${region}`,
      );
      try {
        times.push({ source, initMs: await initTimeOf(client, FunctionName, signal) });
      } finally {
        // A function that cannot be deleted stays in `leftovers`, which the command prints.
        await client.send(new DeleteFunctionCommand({ FunctionName })).then(
          () => leftovers.delete(FunctionName),
          () => undefined,
        );
      }
    }
    return times;
  } finally {
    await rm(outputDirectory, { recursive: true });
  }
}

async function zippedBundle(directory: string): Promise<Buffer> {
  const names = (await readdir(directory)).filter((name) => name.endsWith(".mjs"));
  return zipOf(
    new Map(
      await Promise.all(names.map(async (name) => [name, await readFile(join(directory, name))] as const)),
    ),
  );
}

/** From the report at the end of the log. The answer does not matter: an empty event is refused. */
async function initTimeOf(
  client: LambdaClient,
  FunctionName: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  for (;;) {
    const { State } = await client.send(new GetFunctionConfigurationCommand({ FunctionName }));
    if (State !== "Pending") break;
    await systemClock.sleep(pollMs, signal);
  }
  const { LogResult = "" } = await client.send(
    new InvokeCommand({ FunctionName, LogType: "Tail", Payload: Buffer.from("{}") }),
  );
  const [, ms] =
    /^REPORT .*Init Duration: ([\d.]+) ms/m.exec(Buffer.from(LogResult, "base64").toString()) ?? [];
  return ms === undefined ? undefined : Number(ms);
}
