import type * as z from "zod";
import type { organizationRecord, repositoryRecord } from "../contract/records.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { parseRepository, type RepositoryItem } from "../store/items/repository.ts";
import { repositoriesRange } from "../store/layout.ts";
import { queryAll, type Table } from "../store/table.ts";

export type Listed<Entry> = {
  readonly entries: readonly Entry[];
  /** The place of the last entry, when more follow. */
  readonly next: string | null;
};

export type PageRequest = { readonly after: string | null; readonly limit: number };

/** In the order of their UUIDs, which no change of an organization ever moves. */
export function listOrganizations(
  organizations: readonly OrganizationItem[],
  { after, limit }: PageRequest,
): Listed<z.input<typeof organizationRecord>> {
  const remaining = organizations
    .filter(({ uuid }) => after === null || uuid > after)
    .toSorted((one, other) => (one.uuid < other.uuid ? -1 : 1));
  return cut(remaining.map(toOrganizationRecord), limit, ({ id }) => id);
}

const toOrganizationRecord = (organization: OrganizationItem): z.input<typeof organizationRecord> => ({
  id: organization.uuid,
  name: organization.name,
  provider: organization.provider,
  provider_organization_id: organization.provider_organization_id,
});

/** Active ones in the order of the provider's ids; inactive ones are passed over, never counted. */
export async function listRepositories(
  table: Table,
  organizationUuid: string,
  { after, limit }: PageRequest,
): Promise<Listed<z.input<typeof repositoryRecord>>> {
  const { pk, beginsWith } = repositoriesRange(organizationUuid);
  const range = after === null ? { pk, beginsWith } : { pk, after, upTo: `${beginsWith}\uffff` };
  const active: RepositoryItem[] = [];
  for await (const item of queryAll(table, { ...range, pageItems: limit + 1 })) {
    const repository = parseRepository(item);
    if (repository.active) active.push(repository);
    // One more than asked for tells whether another page follows.
    if (active.length > limit) break;
  }
  const { entries, next } = cut(active, limit, ({ sk }) => sk);
  return { entries: entries.map(toRepositoryRecord), next };
}

const toRepositoryRecord = (repository: RepositoryItem): z.input<typeof repositoryRecord> => ({
  id: repository.uuid,
  provider_repository_id: repository.repository_id,
  name: repository.name,
  full_name: repository.full_name,
  private: repository.private,
  url: repository.url,
});

function cut<Entry>(
  entries: readonly Entry[],
  limit: number,
  placeOf: (entry: Entry) => string,
): Listed<Entry> {
  const page = entries.slice(0, limit);
  const last = page.at(-1);
  return { entries: page, next: entries.length > limit && last !== undefined ? placeOf(last) : null };
}
