import { searchedPieces, searchLearnings } from "../../lib/index/search.ts";
import { decideLearning, pendingLearnings } from "../../lib/learnings/approval.ts";
import { type LearningNames, readNames } from "../../lib/learnings/present.ts";
import { shownScore } from "../../lib/learnings/search.ts";
import { findOrganizationByName, readOrganizations } from "../../lib/organizations/find.ts";
import type { LearningItem } from "../../lib/store/items/learning.ts";
import type { OrganizationItem } from "../../lib/store/items/organization.ts";
import type { Table } from "../../lib/store/table.ts";
import * as http from "../api/learnings.ts";
import type { Command } from "../command.ts";
import { withConnection } from "../connection/open.ts";
import { listOptions } from "../listing.ts";
import { overHttpOrAsOperator } from "../over-http-or-as-operator.ts";
import {
  type DecisionName,
  decisionWords,
  learningIdOf,
  notPending,
  type PendingRow,
  searchOf,
  searchOptions,
  showDecision,
  showFound,
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

const search: Command = {
  ...http.search,
  options: {
    org: { value: "ORG", help: "the organization, by provider id or UUID", required: true },
    ...searchOptions,
  },
  run: (input, terminal) => {
    const { text, repositoryId, file, resultsMax, scoreMin } = searchOf(input);
    return withConnection(input, async ({ table, vectors, embedder }) => {
      const { uuid: organization } = await findOrganizationByName(table, input.requiredText("org"));
      const found = await searchLearnings(
        { table, vectors, embedder: await embedder() },
        {
          places: [{ organization, ...(repositoryId !== undefined && { repositoryId }) }],
          pieces: searchedPieces(text, file === undefined ? [] : [file]),
          resultsMax,
          scoreMin,
        },
      );
      const learnings = found.map(({ learning }) => learning);
      const names = await readNames(table, learnings);
      const records = found.map(({ learning, score }) => ({
        score: shownScore(score),
        id: learning.id,
        repository: names.repository(organization, learning.repository_id).fullName,
        file: learning.file,
        learning: learning.text,
      }));
      showFound(input, terminal, records);
    });
  },
};

export const commands: readonly Command[] = [
  overHttpOrAsOperator(http.pending, pending),
  overHttpOrAsOperator(http.approve, decisionCommand(http.approve, "approve")),
  overHttpOrAsOperator(http.disapprove, decisionCommand(http.disapprove, "disapprove")),
  overHttpOrAsOperator(http.search, search),
];
