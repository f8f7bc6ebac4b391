import type { Caller } from "../../lib/client/caller.ts";
import { type Client, createClient } from "../../lib/client/client.ts";
import type { RateLimit } from "../../lib/contract/operation.ts";
import { halfOf, pacedFetch } from "../../lib/report/pace.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { OperatorError } from "../../lib/runtime/operator-error.ts";
import type { Command, CommandInput, FindTarget, OptionDefinitions } from "../command.ts";
import { apiOptions } from "../connection/named-target.ts";
import { describeApiError } from "../describe-api-error.ts";
import type { Terminal } from "../terminal.ts";

/** Only workspace tokens and the operator cover several organizations. */
export const orgOption: OptionDefinitions = {
  org: { value: "ORG", help: "the organization, by provider id (with a workspace token)" },
};

export const orgQuery = (input: CommandInput): { readonly org_id?: string } => {
  const org = input.text("org");
  return org === undefined ? {} : { org_id: org };
};

/** Runs the work with a client of the API; an error of the service or the network becomes a sentence. */
export async function callApi<Result>(
  input: CommandInput,
  findTarget: FindTarget,
  work: (client: Client) => Promise<Result>,
  fetch?: typeof globalThis.fetch,
): Promise<Result> {
  const { url, key } = await findTarget(input);
  try {
    return await work(createClient({ baseUrl: url, key, ...(fetch && { fetch }) }));
  } catch (error) {
    const said = describeApiError(error, url);
    throw said ? new OperatorError(said) : error;
  }
}

export type WithCaller = <Result>(work: (caller: Caller) => Promise<Result>) => Promise<Result>;

/** A command that is written once for both ways: over HTTP with a key, and as the operator. */
export type SharedCommand = Omit<Command, "connects" | "run"> & {
  /** Options that only one of the two ways has. */
  readonly httpOptions?: OptionDefinitions;
  readonly operatorOptions?: OptionDefinitions;
  /** A key beside --data or --stack is sent to the service there; without a place it speaks HTTP. */
  readonly keyWins?: true;
  /** Over HTTP it takes half of this limit: a nightly export may share it. */
  readonly pace?: RateLimit;
  /** Checks its input first, then calls `withCaller`, which connects. */
  run(input: CommandInput, terminal: Terminal, withCaller: WithCaller): Promise<void>;
};

export const overHttp = ({
  httpOptions,
  operatorOptions: _operator,
  keyWins: _key,
  pace,
  ...command
}: SharedCommand): Command => ({
  ...command,
  connects: true,
  options: { ...command.options, ...httpOptions, ...apiOptions },
  run: (input, terminal, findTarget) =>
    command.run(input, terminal, (work) =>
      callApi(
        input,
        findTarget,
        (client) => work({ ...client, seatGroups: async () => [client] }),
        pace && pacedFetch(globalThis.fetch, halfOf(pace), systemClock),
      ),
    ),
});
