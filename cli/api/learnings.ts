import type { AnswerOf, Client } from "../../lib/client/client.ts";
import { pageLimits } from "../../lib/contract/limits.ts";
import type { Command } from "../command.ts";
import { apiOptions } from "../connection/named-target.ts";
import { listFormatOf, listOptions } from "../listing.ts";
import {
  type DecisionName,
  decisionArgument,
  decisionWords,
  learningIdOf,
  notPending,
  searchArgument,
  searchOf,
  searchOptions,
  showDecision,
  showFound,
  showPending,
} from "../show-learnings.ts";
import { callApi, orgOption, orgQuery } from "./call.ts";

type PendingLearning = AnswerOf<"listLearnings">["data"][number];

async function* pendingLearnings(
  client: Client,
  filter: { readonly org_id?: string } = {},
): AsyncGenerator<PendingLearning> {
  const query = { ...filter, state: "pending", limit: pageLimits.learnings.max } as const;
  for await (const { body } of client.pages("listLearnings", { query })) yield* body.data;
}

export const pending: Command = {
  name: "pending",
  summary: "List pending Learnings, the next deadline first",
  connects: true,
  options: { ...orgOption, ...listOptions, ...apiOptions },
  examples: ["learnings pending", "learnings pending --org 1002 --json"],
  run: (input, terminal, findTarget) => {
    listFormatOf(input);
    return callApi(input, findTarget, async (client) => {
      const records = [];
      for await (const learning of pendingLearnings(client, orgQuery(input)))
        records.push({
          id: learning.id,
          organization_id: learning.organization_id,
          repository: learning.repository_name,
          author: learning.author_username ?? learning.author_id,
          deadline: learning.approve_at,
          learning: learning.learning,
        });
      showPending(input, terminal, records);
    });
  },
};

const decisionCommand = (name: DecisionName): Command => ({
  name,
  summary: decisionWords[name].summary,
  connects: true,
  argument: decisionArgument,
  options: apiOptions,
  examples: [`learnings ${name} LEARNING_ID`],
  run: (input, terminal, findTarget) =>
    callApi(input, findTarget, async (client) => {
      const id = learningIdOf(input);
      const { provider, organization_id } = await findPending(client, id);
      // Only workspace tokens need the organization; it is ignored with other keys.
      const body = { decision: name, org_id: `${provider}:${organization_id}` };
      await client.decideLearning({ path: { learning_id: id }, body });
      showDecision(input, terminal, id, name);
    }),
});

async function findPending(client: Client, id: string): Promise<PendingLearning> {
  for await (const learning of pendingLearnings(client)) if (learning.id === id) return learning;
  throw notPending(id);
}

export const approve = decisionCommand("approve");
export const disapprove = decisionCommand("disapprove");

export const search: Command = {
  name: "search",
  summary: "Find the Learnings that fit a question or a change, with scores",
  connects: true,
  argument: searchArgument,
  options: {
    ...orgOption,
    ...searchOptions,
    "repository-name": { value: "NAME", help: "the same by full name (with a user key)" },
    ...apiOptions,
  },
  examples: [
    'learnings search "may we retry a payment?"',
    'learnings search "retry the payment" --org 1001 --repository 9002 --file src/pay.ts',
  ],
  run: (input, terminal, findTarget) => {
    const { text, repositoryId, file, resultsMax, scoreMin } = searchOf(input);
    const body = {
      query: text,
      repository_id: repositoryId,
      repository_name: input.text("repository-name"),
      file,
      limit: resultsMax,
      min_score: scoreMin,
      ...orgQuery(input),
    };
    return callApi(input, findTarget, async (client) => {
      const { data } = (await client.searchLearnings({ body })).body;
      const records = data.map(({ learning, score }) => ({
        score,
        id: learning.id,
        repository: learning.repository_name,
        file: learning.file,
        learning: learning.learning,
      }));
      showFound(input, terminal, records);
    });
  },
};

export const commands: readonly Command[] = [pending, approve, disapprove, search];
