import { CloudFormationClient, paginateDescribeStacks } from "@aws-sdk/client-cloudformation";
import * as z from "zod";

/**
 * Prints which of the given pull requests are closed, as JSON for a workflow's matrix; without arguments, of all that have
 * a stack. No workflow runs when a pull request with a merge conflict is closed, so its stack would stay forever.
 */
async function main(given: readonly number[]): Promise<void> {
  const closed: number[] = [];
  for (const number of given.length > 0 ? given : await withStack())
    if ((await stateOf(number)) === "closed") closed.push(number);
  console.log(JSON.stringify(closed));
}

async function withStack(): Promise<readonly number[]> {
  const numbers: number[] = [];
  const client = new CloudFormationClient({});
  for await (const { Stacks = [] } of paginateDescribeStacks({ client }, {}))
    for (const { StackName = "" } of Stacks) {
      const number = Number(/^ReviewApi-pr-(\d+)$/.exec(StackName)?.[1]);
      if (number) numbers.push(number);
    }
  client.destroy();
  return numbers;
}

const pullRequest = z.object({ state: z.string() });

/** Throws if GitHub does not say: a stack of an open pull request must not be deleted. */
async function stateOf(number: number): Promise<string> {
  const { GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_TOKEN } = process.env;
  const url = `${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}/pulls/${number}`;
  const response = await fetch(url, { headers: { authorization: `Bearer ${GITHUB_TOKEN}` } });
  if (response.status === 404) {
    console.error(`GitHub has no pull request ${number}: its stack stays. Delete it by hand.`);
    return "unknown";
  }
  if (!response.ok) throw new Error(`GitHub answered ${response.status} for pull request ${number}.`);
  return pullRequest.parse(await response.json()).state;
}

await main(process.argv.slice(2).map(Number));
