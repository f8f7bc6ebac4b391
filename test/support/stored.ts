import * as kinds from "../../lib/contract/items.ts";
import { type LearningItem, parseLearning } from "../../lib/store/items/learning.ts";
import { type OrganizationItem, parseOrganization } from "../../lib/store/items/organization.ts";
import type { Table } from "../../lib/store/table.ts";

export async function organizationOf(table: Table, uuid: string): Promise<OrganizationItem> {
  const stored = await table.get(kinds.organization.key({ organization: uuid }));
  if (!stored) throw new Error(`There is no organization ${uuid}.`);
  return parseOrganization(stored);
}

export async function learningOf(
  table: Table,
  organization: string,
  id: string,
): Promise<LearningItem | undefined> {
  const stored = await table.get(kinds.learning.key({ organization, learningId: id }));
  return stored && parseLearning(stored);
}

/** All Learnings of an organization, in the order of their ids. */
export async function learningsOf(table: Table, organization: string): Promise<LearningItem[]> {
  const { items } = await table.queryPage({ pk: kinds.learning.partition({ organization }) });
  return items.map(parseLearning);
}
