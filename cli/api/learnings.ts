import type { Caller } from "../../lib/client/caller.ts";
import type { ResponseOf } from "../../lib/client/client.ts";
import { indexLimits, pageLimits } from "../../lib/contract/limits.ts";
import { OperatorError } from "../../lib/runtime/operator-error.ts";
import type { Command } from "../command.ts";
import { listOptions, showList } from "../listing.ts";
import { orgOption, orgQuery, overHttp, type SharedCommand } from "./call.ts";

type PendingLearning = ResponseOf<"listLearnings">["data"][number];

async function* pendingLearnings(
  caller: Caller,
  filter: { readonly org_id?: string } = {},
): AsyncGenerator<PendingLearning> {
  const query = { ...filter, state: "pending", limit: pageLimits.learnings.max } as const;
  for await (const { body } of caller.pages("listLearnings", { query })) yield* body.data;
}

const shownCharactersMax = 80;

/** A table row is one line; --json shows the whole text. */
const shortened = <Record extends { readonly learning: string }>(record: Record): Record => {
  const line = record.learning.replaceAll(/\s+/g, " ");
  const learning = line.length > shownCharactersMax ? `${line.slice(0, shownCharactersMax - 1)}…` : line;
  return { ...record, learning };
};

const pending: SharedCommand = {
  name: "pending",
  summary: "List pending Learnings, the next deadline first",
  options: { ...orgOption, ...listOptions },
  examples: ["learnings pending", "learnings pending --org 1002 --json"],
  run: (input, terminal, withCaller) =>
    withCaller(async (caller) => {
      const records = [];
      for await (const each of pendingLearnings(caller, orgQuery(input)))
        records.push({
          id: each.id,
          organization_id: each.organization_id,
          repository: each.repository_name,
          author: each.author_username ?? each.author_id,
          deadline: each.approve_at,
          learning: each.learning,
        });
      const none = "There are no pending Learnings.";
      showList(input, terminal, { records, document: { learnings: records }, line: shortened, none });
    }),
};

const decisionCommand = (
  name: "approve" | "disapprove",
  { summary, done }: { readonly summary: string; readonly done: string },
): SharedCommand => ({
  name,
  summary,
  argument: { name: "LEARNING_ID", required: true, help: "the id that `learnings pending` shows" },
  examples: [`learnings ${name} LEARNING_ID`],
  run: (input, terminal, withCaller) => {
    const id = input.requiredArgument("LEARNING_ID").toLowerCase();
    return withCaller(async (caller) => {
      const { provider, organization_id } = await findPending(caller, id);
      // Only workspace tokens need the organization; it is ignored with other keys.
      const body = { decision: name, org_id: `${provider}:${organization_id}` };
      await caller.decideLearning({ path: { learning_id: id }, body });
      if (input.flag("json")) terminal.out(JSON.stringify({ id, decision: `${name}d` }));
      else terminal.say(`Learning ${id} is ${name}d. ${done}`);
    });
  },
});

/** The first decision is final: a Learning that was decided is not pending. */
async function findPending(caller: Caller, id: string): Promise<PendingLearning> {
  for await (const learning of pendingLearnings(caller)) if (learning.id === id) return learning;
  throw new OperatorError(`There is no pending Learning ${id}.`);
}

const approve = decisionCommand("approve", {
  summary: "Approve a pending Learning now, before its deadline",
  done: "The review index contains it within a minute.",
});
const disapprove = decisionCommand("disapprove", {
  summary: "Disapprove a pending Learning",
  done: "Reviews and exports do not contain it.",
});

const { resultsMax } = indexLimits;
const resultsDefault = 5;

const search: SharedCommand = {
  name: "search",
  summary: "Find the Learnings that fit a question or a change, with scores",
  argument: { name: "TEXT", required: true, help: "a question, or the text of a change" },
  options: {
    ...orgOption,
    repository: { value: "ID", help: "only this repository, by provider id" },
    file: { value: "PATH", help: "the file that the question or the change is about" },
    results: { value: "N", help: `1 to ${resultsMax} (default ${resultsDefault})` },
    "min-score": { value: "PERCENT", help: "the lowest score to show: 0 to 100 (default: show all)" },
    ...listOptions,
  },
  httpOptions: { "repository-name": { value: "NAME", help: "the same by full name (with a user key)" } },
  examples: [
    'learnings search "may we retry a payment?"',
    'learnings search "retry the payment" --org 1001 --repository 9002 --file src/pay.ts',
  ],
  run: (input, terminal, withCaller) => {
    const percentMin = input.integer("min-score", { min: 0, max: 100 });
    const body = {
      query: input.requiredArgument("TEXT"),
      repository_id: input.text("repository"),
      repository_name: input.text("repository-name"),
      file: input.text("file"),
      limit: input.integer("results", { min: 1, max: resultsMax }) ?? resultsDefault,
      min_score: percentMin === undefined ? undefined : percentMin / 100,
      ...orgQuery(input),
    };
    return withCaller(async (caller) => {
      const { data } = (await caller.searchLearnings({ body })).body;
      const records = data.map(({ learning, score }) => ({
        score,
        id: learning.id,
        repository: learning.repository_name,
        file: learning.file,
        learning: learning.learning,
      }));
      const none = "No Learning was found.";
      showList(input, terminal, { records, document: { learnings: records }, line: shortened, none });
    });
  },
};

export const shared: readonly SharedCommand[] = [pending, approve, disapprove, search];
export const commands: readonly Command[] = shared.map(overHttp);
