import { createClient } from "../../lib/client/client.ts";
import { OperatorError, UsageError } from "../../lib/runtime/operator-error.ts";
import type { Command } from "../command.ts";
import { checkedUrl } from "../connection/named-target.ts";
import { writeProfile } from "../connection/profile.ts";
import { describeApiError } from "../describe-api-error.ts";

const login: Command = {
  name: "",
  summary: "Store the address of an API and a key, for the commands that call it",
  connects: false,
  options: { url: { value: "URL", help: "the address of the API (default: the command asks)" } },
  examples: ["login", "login --url https://api.example.com"],
  async run(input, terminal) {
    const given =
      input.text("url") ?? (await terminal.ask("Address of the API, such as https://api.example.com: "));
    if (given === "")
      throw new UsageError("The address is missing: give --url, or write it in the first line of the input.");
    const url = checkedUrl(given);
    if (isUnprotected(url))
      terminal.say("The address begins with http: the key and all data are sent without encryption.");
    const key = await terminal.ask("API key (what you type is not shown): ", { hidden: true });
    if (key === "") throw new UsageError("The key is missing: type it, or pipe it in as a line.");
    // Checks the key now, so that an invalid key does not first fail in a scheduled run.
    const { body } = await createClient({ baseUrl: url, key })
      .whoami()
      .catch((error: unknown) => {
        const said = describeApiError(error, url);
        throw said ? new OperatorError(`${said} Nothing was stored.`) : error;
      });
    const file = await writeProfile({ url, key });
    const { kind, name } = body.key;
    if (input.flag("json")) terminal.out(JSON.stringify({ url, kind, name, file }));
    else
      terminal.say(
        `The ${kind} key ${JSON.stringify(name)} works at ${url}. It is stored in ${file}, which only you can read.`,
      );
  },
};

export const commands: readonly Command[] = [login];

const isUnprotected = (text: string): boolean => {
  const { protocol, hostname } = new URL(text);
  return protocol === "http:" && !/^(?:localhost|127\.[0-9.]+|\[::1\])$/.test(hostname);
};
