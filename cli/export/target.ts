import { stackOutputs } from "../../lib/contract/platform.ts";
import { optionalVariable } from "../../lib/runtime/environment.ts";
import type { Input } from "../command.ts";
import { defaultDataPath } from "../connection/connection.ts";
import { keptKey } from "../demo/keys.ts";
import { OperatorFault, UsageFault } from "../fault.ts";
import { type DataDirectory, dataDirectory, readOwner } from "../local/data-directory.ts";

export type Target = { readonly url: string; readonly key: string };

const keyVariable = "REVIEW_API_KEY";

/** Where the API is and with which key: as given, else the local service with the demo's workspace token. */
export async function targetOf(input: Input): Promise<Target> {
  const given = input.text("key") ?? optionalVariable(keyVariable);
  const [url, stack, data] = [input.text("url"), input.text("stack"), input.text("data")];
  if ([url, stack, data].filter((place) => place !== undefined).length > 1)
    throw new UsageFault("--url, --stack and --data exclude each other.");
  if (input.text("region") !== undefined && stack === undefined)
    throw new UsageFault("--region goes with --stack.");
  if (url === undefined && stack === undefined)
    return localTarget(dataDirectory(data ?? defaultDataPath), given);
  if (given === undefined)
    throw new UsageFault(`--key is missing; ${keyVariable} in the environment does too.`);
  if (url !== undefined) return { url: checkedUrl(url), key: given };
  const { outputsOf } = await import("../connection/stack.ts");
  const output = await outputsOf(stack ?? "", input.text("region"));
  return { url: output(stackOutputs.apiUrl), key: given };
}

async function localTarget(directory: DataDirectory, given: string | undefined): Promise<Target> {
  const url = (await readOwner(directory))?.url;
  if (!url)
    throw new OperatorFault(
      `No local service runs on ${directory.path}; start it first (review-api dev), or give --url.`,
    );
  const key = given ?? (await keptKey(directory, "workspace"));
  if (key === undefined)
    throw new UsageFault(`--key is missing, and ${directory.path} has no demo key to use instead.`);
  return { url, key };
}

function checkedUrl(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageFault(`--url takes an http or https address, not ${JSON.stringify(text)}.`);
  return text;
}
