import { indexLimits } from "../../lib/contract/limits.ts";
import { searchLearnings } from "../../lib/index/search.ts";
import { decideLearning, pendingLearnings } from "../../lib/learnings/approval.ts";
import { type LearningNames, readNames } from "../../lib/learnings/present.ts";
import type { LearningItem } from "../../lib/store/items/learning.ts";
import type { OrganizationItem } from "../../lib/store/items/organization.ts";
import type { Table } from "../../lib/store/table.ts";
import * as http from "../api/learnings.ts";
import type { Command, OptionDefinitions } from "../command.ts";
import { withConnection } from "../connection/open.ts";
import { findOrganizationByName, readOrganizations } from "../connection/organizations.ts";
import { listOptions, showList } from "../listing.ts";
import { overHttpOrAsOperator } from "../over-http-or-as-operator.ts";
import {
  type DecisionName,
  decisionWords,
  learningIdOf,
  notPending,
  type PendingRow,
  shortened,
  showDecision,
  showPending,
} from "../show-learnings.ts";

const pending: Command = {
  ...http.pending,
  options: {
    org: { value: "ORG", help: "only this organization, by provider id or UUID" },
    ...listOptions,
  },
  run: (input, terminal) =>
    withConnection(input, async ({ table }) => {
      const name = input.text("org");
      const only = name === undefined ? undefined : await findOrganizationByName(table, name);
      const learnings = await Array.fromAsync(
        pendingLearnings(table, only ? { organization: only.uuid } : {}),
      );
      const uuids = learnings.map(({ organization }) => organization);
      const [names, organizations] = await Promise.all([
        readNames(table, learnings),
        readOrganizations(table, uuids),
      ]);
      const records = learnings.map((learning) => pendingRecord(learning, organizations, names));
      showPending(input, terminal, records);
    }),
};

const pendingRecord = (
  learning: LearningItem,
  organizations: readonly OrganizationItem[],
  names: LearningNames,
): PendingRow => ({
  id: learning.id,
  organization_id: organizations.find(({ uuid }) => uuid === learning.organization)?.provider_organization_id,
  repository: names.repository(learning.organization, learning.repository_id).fullName,
  author: names.username(learning.organization, learning.author_id) ?? learning.author_id,
  deadline: learning.approve_at,
  learning: learning.text,
});

const decisionCommand = (command: Command, name: DecisionName): Command => ({
  ...command,
  options: {},
  run: (input, terminal) =>
    withConnection(input, async ({ table, audited }) => {
      const id = learningIdOf(input);
      const decision = decisionWords[name].decided;
      const organization = await organizationOfPending(table, id);
      const outcome = organization && (await decideLearning(audited, organization, id, decision));
      // The first decision is final: this command does not overrule one.
      if (outcome !== decision) throw notPending(id);
      showDecision(input, terminal, id, name);
    }),
});

/** The ids are derived from the organization too, so at most one organization has this id. */
async function organizationOfPending(table: Table, id: string): Promise<string | undefined> {
  for await (const learning of pendingLearnings(table, { id })) return learning.organization;
  return undefined;
}

const resultsDefault = 5;
const searchOptions: OptionDefinitions = {
  org: { value: "ORG", help: "the organization, by provider id or UUID", required: true },
  repository: { value: "ID", help: "the repository, by provider id", required: true },
  files: { value: "A,B", help: "paths that the change touches" },
  results: { value: "N", help: `1 to ${indexLimits.resultsMax} (default ${resultsDefault})` },
  "min-score": {
    value: "PERCENT",
    help: "the lowest score to show: 0 to 100 (default: show all)",
  },
  ...listOptions,
};

const search: Command = {
  name: "search",
  summary: "Show which Learnings the reviewer would get for a change, with scores",
  connects: true,
  argument: { name: "TEXT", required: true, help: "the text of the change, or a few words of it" },
  options: searchOptions,
  examples: ['learnings search "retry the payment" --org 1001 --repository 9002 --files src/pay.ts'],
  run: (input, terminal) => {
    const resultsMax = input.integer("results", { min: 1, max: indexLimits.resultsMax }) ?? resultsDefault;
    const percentMin = input.integer("min-score", { min: 0, max: 100 });
    const text = input.requiredArgument("TEXT");
    const filePaths = input.list("files") ?? [];
    return withConnection(input, async ({ table, vectors, embedder }) => {
      const { uuid } = await findOrganizationByName(table, input.requiredText("org"));
      const found = await searchLearnings(
        { table, vectors, embedder: await embedder() },
        {
          organization: uuid,
          repositoryId: input.requiredText("repository"),
          text,
          filePaths,
          resultsMax,
          scoreMin: percentMin === undefined ? undefined : percentMin / 100,
        },
      );
      const records = found.map(({ learning: { id, file, text: learning }, score }) => ({
        score: Number(score.toFixed(4)),
        id,
        file,
        learning,
      }));
      const none = "No Learning was found.";
      showList(input, terminal, { records, document: { learnings: records }, line: shortened, none });
    });
  },
};

export const commands: readonly Command[] = [
  overHttpOrAsOperator(http.pending, pending),
  overHttpOrAsOperator(http.approve, decisionCommand(http.approve, "approve")),
  overHttpOrAsOperator(http.disapprove, decisionCommand(http.disapprove, "disapprove")),
  search,
];
