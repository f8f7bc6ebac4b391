import { UsageError } from "../../lib/runtime/operator-error.ts";
import type { CommandInput, FindTarget, OptionDefinitions, Target } from "../command.ts";
import { readProfile } from "./profile.ts";
import { apiSettings, keyVariable, urlVariable } from "./settings.ts";

/** Options of every command that calls the API. */
export const apiOptions: OptionDefinitions = {
  url: { value: "URL", help: `where the API is (default: ${urlVariable}, .env, login)` },
  key: { value: "KEY", help: `the API key (default: ${keyVariable}, .env, login)` },
};

/**
 * The address of the API and the key: as given, otherwise from the environment, `.env` or login; undefined if none of
 * them names an address. A key stored by login is sent only to the address it was stored for; an address from `.env`
 * gets the key from `.env`, or --key.
 */
export async function namedTarget(input: CommandInput): Promise<Target | undefined> {
  const settings = apiSettings();
  const given = givenKey(input);
  const url = input.text("url");
  const profile = await readProfile();
  const address = url ?? settings.url ?? profile?.url;
  if (address === undefined) return undefined;
  const checked = checkedUrl(address, url === undefined ? urlVariable : "--url");
  const isOfSettings = url === undefined && settings.url !== undefined;
  const sent = isOfSettings ? (input.text("key") ?? settings.keyForUrl) : given;
  const key = sent ?? (profile?.url === checked ? profile.key : undefined);
  if (key === undefined) throw given === undefined ? missingKey() : foreignKey();
  return { url: checked, key };
}

/** Without a local service: an address must be named. */
export const findTarget: FindTarget = async (input) => {
  const target = await namedTarget(input);
  if (target) return target;
  throw new UsageError(
    `--url is missing. You can also set ${urlVariable} in the environment or in .env, or run npx --no-install review-api login.`,
  );
};

export const givenKey = (input: CommandInput): string | undefined => input.text("key") ?? apiSettings().key;

export const missingKey = () =>
  new UsageError(
    `--key is missing. You can also set ${keyVariable} in the environment or in .env, or run npx --no-install review-api login.`,
  );

const foreignKey = () =>
  new UsageError(
    `${urlVariable} is in .env, but ${keyVariable} is in the environment. That key is never sent to an address from .env. ` +
      "Set both in one place, or give --key.",
  );

/** Without the trailing slash, which has no meaning. */
export function checkedUrl(text: string, name = "--url"): string {
  // Node 20 has no URL.parse.
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.username || url?.password)
    throw new UsageError(
      `${name} takes an address without a user name and a password: the key says who calls.`,
    );
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(`${name} takes an http or https address, not ${JSON.stringify(text)}.`);
  return text.replace(/\/+$/, "");
}
