import type * as z from "zod";
import * as kinds from "../contract/items.ts";
import type { learningRecord } from "../contract/records-learnings.ts";
import type { LearningItem } from "../store/items/learning.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { parseMember } from "../store/items/people.ts";
import { parseRepository } from "../store/items/repository.ts";
import { type Item, identityOf, type Key, type Table } from "../store/table.ts";

export type LearningRecord = z.input<typeof learningRecord>;

/** Names that the record shows but the Learning does not store: they change independently of it. */
export type LearningNames = {
  repository(
    organization: string,
    repositoryId: string,
  ): { readonly name: string; readonly fullName: string };
  username(organization: string, userId: string): string | null;
};

type NamedLearning = Pick<LearningItem, "organization" | "repository_id" | "author_id">;

export const nameKeys = ({ organization, repository_id, author_id }: NamedLearning): Key[] => [
  kinds.repository.key({ organization, repositoryId: repository_id }),
  kinds.member.key({ organization, userId: author_id }),
];

/** One round of reads for a whole page, each repository and author once. */
export async function readNames(table: Table, learnings: readonly NamedLearning[]): Promise<LearningNames> {
  const keys = [
    ...new Map(learnings.flatMap(nameKeys).map((key) => [identityOf(key), key] as const)).values(),
  ];
  return namesFrom(await table.getMany(keys));
}

export function namesFrom(items: ReadonlyArray<Item | undefined>): LearningNames {
  const known = new Map(items.flatMap((item) => (item ? [[identityOf(item), item] as const] : [])));
  return {
    repository(organization, repositoryId) {
      const item = known.get(identityOf(kinds.repository.key({ organization, repositoryId })));
      if (!item) return { name: repositoryId, fullName: repositoryId };
      const { name, full_name: fullName } = parseRepository(item);
      return { name, fullName };
    },
    username(organization, userId) {
      const item = known.get(identityOf(kinds.member.key({ organization, userId })));
      return item ? parseMember(item).username : null;
    },
  };
}

export function toLearningRecord(
  learning: LearningItem,
  organization: Pick<OrganizationItem, "provider" | "provider_organization_id" | "name">,
  names: LearningNames,
): LearningRecord {
  const repository = names.repository(learning.organization, learning.repository_id);
  return {
    id: learning.id,
    learning: learning.text,
    organization_id: organization.provider_organization_id,
    organization_name: organization.name,
    repository_id: learning.repository_id,
    repository_name: repository.fullName,
    author_id: learning.author_id,
    author_username: names.username(learning.organization, learning.author_id),
    file: learning.file,
    source_url: learning.source_url,
    usage_count: learning.usage_count,
    last_used_at: learning.last_used_at,
    created_at: learning.created_at,
    updated_at: learning.updated_at,
    provider: organization.provider,
    repository_short_name: repository.name,
  };
}
