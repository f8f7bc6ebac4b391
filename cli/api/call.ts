import type { Caller } from "../../lib/client/caller.ts";
import { type Client, createClient } from "../../lib/client/client.ts";
import type { ErrorCode } from "../../lib/contract/errors.ts";
import type { RateLimit } from "../../lib/contract/operation.ts";
import { halfOf, pacedFetch } from "../../lib/report/pace.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { OperatorError } from "../../lib/runtime/operator-error.ts";
import type { Command, CommandInput, OptionDefinitions } from "../command.ts";
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

type With<Calls> = <Result>(work: (caller: Calls) => Promise<Result>) => Promise<Result>;
export type WithCaller = With<Caller>;

type CommandWith<Calls> = Omit<Command, "run"> & {
  /** Checks its input first, then calls `withCaller`, which connects. */
  run(input: CommandInput, terminal: Terminal, withCaller: With<Calls>): Promise<void>;
  readonly httpOptions?: OptionDefinitions;
  /** Over HTTP it takes half of this limit: a nightly export may share it. */
  readonly pace?: RateLimit;
  /** Errors for which it does not wait. */
  readonly finalCodes?: readonly ErrorCode[];
};
/** A command that is written once for both ways: over HTTP with a key, and as the operator. */
export type SharedCommand = CommandWith<Caller> & {
  readonly operatorOptions?: OptionDefinitions;
  /** A key beside --data or --stack is sent to the service there; without a place it speaks HTTP. */
  readonly keyWins?: true;
};

/** A command over HTTP, with a key. */
export const overHttp = ({
  httpOptions,
  pace,
  finalCodes = [],
  ...command
}: CommandWith<Client & Caller>): Command => ({
  ...command,
  options: { ...command.options, ...httpOptions, ...apiOptions },
  run: (input, terminal, findTarget) =>
    command.run(input, terminal, async (work) => {
      const { url, key } = await findTarget(input);
      const fetch = pace && pacedFetch(globalThis.fetch, halfOf(pace), systemClock);
      try {
        const client = createClient({ baseUrl: url, key, finalCodes, ...(fetch && { fetch }) });
        return await work({ ...client, seatGroups: async () => [client] });
      } catch (error) {
        // An error of the service or the network becomes a sentence.
        const said = describeApiError(error, url);
        throw said ? new OperatorError(said) : error;
      }
    }),
});
