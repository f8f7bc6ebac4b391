import type { KeyKind } from "../../lib/contract/access.ts";
import { stackOutputs } from "../../lib/contract/platform.ts";
import type { CommandInput, OptionDefinitions } from "../command.ts";
import { defaultDataPath } from "../connection/connection.ts";
import { readProfile } from "../connection/profile.ts";
import { apiSettings, keyVariable, urlVariable } from "../connection/settings.ts";
import { keptKey } from "../demo/keys.ts";
import { OperatorError, UsageError } from "../errors.ts";
import { type DataDirectory, dataDirectory } from "../local/data-directory.ts";
import { localServiceUrl } from "../local/ownership.ts";

export type Target = { readonly url: string; readonly key: string };

/** Options of every command that calls the API. */
export const apiOptions: OptionDefinitions = {
  url: { value: "URL", help: `where the API is (default: ${urlVariable}, .env, login, the local service)` },
  key: {
    value: "KEY",
    help: `the API key (default: ${keyVariable}, .env, login; locally the demo's workspace token)`,
  },
};

/**
 * The address of the API and the key: as given, otherwise from the environment, `.env` or login, otherwise the local
 * service with a key of its demo. A key stored by login is sent only to the address it was stored for; an address from
 * `.env` gets the key from `.env`, or --key.
 */
export async function targetOf(input: CommandInput, demoKey: KeyKind = "workspace"): Promise<Target> {
  const settings = apiSettings();
  const given = input.text("key") ?? settings.key;
  const [url, stack, data] = [input.text("url"), input.text("stack"), input.text("data")];
  if ([url, stack, data].filter((place) => place !== undefined).length > 1)
    throw new UsageError("--url, --stack and --data cannot be used together.");
  if (input.text("region") !== undefined && stack === undefined)
    throw new UsageError("--region works only with --stack.");
  if (data !== undefined) return localTarget(dataDirectory(data), given, demoKey);
  if (stack !== undefined) {
    if (given === undefined) throw missingKey();
    const { outputsOf } = await import("../connection/stack.ts");
    const output = await outputsOf(stack, input.text("region"));
    return { url: output(stackOutputs.apiUrl), key: given };
  }
  const profile = await readProfile();
  const address = url ?? settings.url ?? profile?.url;
  if (address === undefined) return localTarget(dataDirectory(defaultDataPath), given, demoKey);
  const checked = checkedUrl(address, url === undefined ? urlVariable : "--url");
  const isOfSettings = url === undefined && settings.url !== undefined;
  const sent = isOfSettings ? (input.text("key") ?? settings.keyForUrl) : given;
  const key = sent ?? (profile?.url === checked ? profile.key : undefined);
  if (key === undefined) throw given === undefined ? missingKey() : foreignKey();
  return { url: checked, key };
}

const missingKey = () =>
  new UsageError(
    `--key is missing. You can also set ${keyVariable} in the environment or in .env, or run review-api login.`,
  );

const foreignKey = () =>
  new UsageError(
    `${urlVariable} is in .env, but ${keyVariable} is in the environment. That key is never sent to an address from .env. ` +
      "Set both in one place, or give --key.",
  );

async function localTarget(
  directory: DataDirectory,
  given: string | undefined,
  demoKey: KeyKind,
): Promise<Target> {
  const url = await localServiceUrl(directory);
  if (!url)
    throw new OperatorError(
      `No local service runs on ${directory.path}; start it first (review-api dev), or give --url.`,
    );
  const key = given ?? (await keptKey(directory, demoKey));
  if (key === undefined)
    throw new UsageError(`--key is missing, and ${directory.path} has no demo key to use instead.`);
  return { url, key };
}

/** Without the trailing slash, which has no meaning. */
export function checkedUrl(text: string, name = "--url"): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(`${name} takes an http or https address, not ${JSON.stringify(text)}.`);
  return text.replace(/\/+$/, "");
}
