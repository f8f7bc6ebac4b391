import type { KeyKind } from "../../lib/contract/access.ts";
import { type DataDirectory, dataDirectory } from "../../lib/local/data-directory.ts";
import { keptKey } from "../../lib/local/kept-keys.ts";
import { localServiceUrl } from "../../lib/local/ownership.ts";
import { defaultDataPath } from "../../lib/operator/connection.ts";
import { OperatorError, UsageError } from "../../lib/runtime/operator-error.ts";
import type { FindTarget, Target } from "../command.ts";
import { commandFor } from "../show-once.ts";
import { givenKey, missingKey, namedTarget } from "./named-target.ts";

/** The same as the package's, and besides a stack's API by --stack, and the local service with a key of its demo. */
export const findTarget: FindTarget = async (input, demoKey = "workspace") => {
  const [url, stack, data] = [input.text("url"), input.text("stack"), input.text("data")];
  if ([url, stack, data].filter((place) => place !== undefined).length > 1)
    throw new UsageError("--url, --stack and --data cannot be used together.");
  if (input.text("region") !== undefined && stack === undefined)
    throw new UsageError("--region works only with --stack.");
  const given = givenKey(input);
  const toStart = commandFor(input, "dev");
  if (data !== undefined) return localTarget({ directory: dataDirectory(data), given, demoKey, toStart });
  if (stack !== undefined) {
    if (given === undefined) throw missingKey();
    const { apiUrlOf, outputsOf } = await import("../../lib/operator/stack.ts");
    return { url: await apiUrlOf(await outputsOf(stack, input.text("region"))), key: given };
  }
  return (
    (await namedTarget(input)) ??
    localTarget({ directory: dataDirectory(defaultDataPath), given, demoKey, toStart })
  );
};

type LocalTarget = {
  readonly directory: DataDirectory;
  readonly given: string | undefined;
  readonly demoKey: KeyKind;
  readonly toStart: string;
};

async function localTarget({ directory, given, demoKey, toStart }: LocalTarget): Promise<Target> {
  const url = await localServiceUrl(directory);
  if (!url)
    throw new OperatorError(
      `No local service runs on ${directory.path}; start it first (${toStart}), or give --url.`,
    );
  const key = given ?? (await keptKey(directory, demoKey));
  if (key === undefined)
    throw new UsageError(`--key is missing, and ${directory.path} has no demo key to use instead.`);
  return { url, key };
}
