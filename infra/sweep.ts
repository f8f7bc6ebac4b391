import { CloudFormationClient, paginateDescribeStacks } from "@aws-sdk/client-cloudformation";
import * as z from "zod";

/**
 * The numbers of closed pull requests that still have a stack, as JSON for a workflow's matrix. No workflow runs when a
 * pull request with a merge conflict is closed, so its stack would stay forever.
 */
async function closedWithStack(): Promise<readonly number[]> {
  const closed: number[] = [];
  const client = new CloudFormationClient({});
  for await (const { Stacks = [] } of paginateDescribeStacks({ client }, {}))
    for (const { StackName = "" } of Stacks) {
      const number = Number(/^ReviewApi-pr-(\d+)$/.exec(StackName)?.[1]);
      if (number && (await stateOf(number)) === "closed") closed.push(number);
    }
  client.destroy();
  return closed;
}

const pullRequest = z.object({ state: z.string() });

/** Throws if GitHub does not say: a stack of an open pull request must not be deleted. */
async function stateOf(number: number): Promise<string> {
  const { GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_TOKEN } = process.env;
  const url = `${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}/pulls/${number}`;
  const response = await fetch(url, { headers: { authorization: `Bearer ${GITHUB_TOKEN}` } });
  if (!response.ok) throw new Error(`GitHub answered ${response.status} for pull request ${number}.`);
  return pullRequest.parse(await response.json()).state;
}

console.log(JSON.stringify(await closedWithStack()));
