import { type Client, createClient } from "../../lib/client/client.ts";
import { OperatorError } from "../../lib/runtime/operator-error.ts";
import type { CommandInput, FindTarget, OptionDefinitions } from "../command.ts";
import { describeApiError } from "../describe-api-error.ts";

/** Only workspace tokens cover several organizations, of which some operations take one. */
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
