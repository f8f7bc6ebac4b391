import type * as z from "zod";
import { toOrganizationRecord } from "../access/describe.ts";
import { repositoryAddress } from "../contract/addresses.ts";
import * as kinds from "../contract/items.ts";
import type { organizationRecord, repositoryRecord } from "../contract/records-organizations.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { parseRepository, type RepositoryItem } from "../store/items/repository.ts";
import type { Table } from "../store/table.ts";
import { rangeAfter, walkRange } from "../store/walk.ts";

export type ListPage<Entry> = {
  readonly entries: readonly Entry[];
  /** Where the next page starts; null if there are no more entries. */
  readonly next: string | null;
};

export type ListRequest = { readonly after: string | null; readonly limit: number };

/** In the order of their UUIDs: no change of an organization changes its UUID. */
export function listOrganizations(
  organizations: readonly OrganizationItem[],
  { after, limit }: ListRequest,
): ListPage<z.input<typeof organizationRecord>> {
  const remaining = organizations
    .filter(({ uuid }) => after === null || uuid > after)
    .toSorted((one, other) => (one.uuid < other.uuid ? -1 : 1));
  const page = remaining.slice(0, limit);
  const last = page.at(-1);
  return {
    entries: page.map(toOrganizationRecord),
    next: last !== undefined && remaining.length > limit ? last.uuid : null,
  };
}

/** Active repositories in the order of the provider's ids; inactive ones are skipped and not counted. */
export async function listRepositories(
  table: Table,
  organizationUuid: string,
  { after, limit }: ListRequest,
): Promise<ListPage<z.input<typeof repositoryRecord>>> {
  const range = rangeAfter(kinds.repository.range({ organization: organizationUuid }), after);
  const { found, next } = await walkRange(table, range, limit, async (items) =>
    items.map(parseRepository).filter(({ active }) => active),
  );
  return { entries: found.map(toRepositoryRecord), next };
}

const toRepositoryRecord = (repository: RepositoryItem): z.input<typeof repositoryRecord> => ({
  id: repository.uuid,
  provider_repository_id: repository.repository_id,
  name: repository.name,
  full_name: repository.full_name,
  private: repository.private,
  // An earlier release may have stored it with a password.
  url: repositoryAddress(repository.url),
});
