import * as kinds from "../contract/items.ts";
import { securityLimits } from "../contract/limits.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import type { Item, Table } from "../store/table.ts";
import { pagesOf } from "../store/walk.ts";
import { type Ledger, ledgerKey, parseLedger, scannedRepository } from "./ledger.ts";

/** A scanned repository of an organization that the caller may see. */
export type FindingSource = { readonly organization: OrganizationItem; readonly ledger: Ledger };

/** The position of a reader: after this finding of this repository of this organization. */
export type FindingPosition = {
  readonly organization: string;
  readonly repository: string;
  readonly finding: string;
};

/** The position as one text, for cursors. None of the three parts contains a slash. */
export const positionName = ({ organization, repository, finding }: FindingPosition): string =>
  `${organization}/${repository}/${finding}`;

export function positionFrom(name: string | null): FindingPosition | null {
  if (name === null) return null;
  const [organization = "", repository = "", finding = ""] = name.split("/");
  return { organization, repository, finding };
}

export type SourceRange = {
  readonly organizations: readonly OrganizationItem[];
  /** The provider's id: several organizations may have a repository with this id. */
  readonly repositoryId: string | undefined;
  readonly after: FindingPosition | null;
  readonly signal: AbortSignal;
};

/** In an order that no scan changes: by the organizations' UUIDs, then by the digests of the repositories' ids. */
export async function* sourcesOf(table: Table, range: SourceRange): AsyncGenerator<FindingSource> {
  const { after, repositoryId } = range;
  const organizations = range.organizations
    .filter(({ uuid }) => after === null || uuid >= after.organization)
    .toSorted((one, other) => (one.uuid < other.uuid ? -1 : 1));
  const items =
    repositoryId === undefined
      ? everyLedger(table, organizations, range)
      : namedLedgers(table, organizations, repositoryId, range.signal);
  for await (const { organization, item } of items)
    yield { organization, ledger: parseLedger(item, organization.uuid) };
}

type FoundLedger = { readonly organization: OrganizationItem; readonly item: Item };

async function* namedLedgers(
  table: Table,
  organizations: readonly OrganizationItem[],
  repositoryId: string,
  signal: AbortSignal,
): AsyncGenerator<FoundLedger> {
  const keys = organizations.map(({ uuid }) => ledgerKey(scannedRepository(uuid, repositoryId)));
  const items = await table.getMany(keys, { signal });
  for (const [index, organization] of organizations.entries()) {
    const item = items[index];
    if (item) yield { organization, item };
  }
}

async function* everyLedger(
  table: Table,
  organizations: readonly OrganizationItem[],
  { after, signal }: SourceRange,
): AsyncGenerator<FoundLedger> {
  const { organizationsAtOnce, ledgersPageItems: pageItems } = securityLimits;
  const partitions = organizations.map((organization) => {
    const from = organization.uuid === after?.organization ? { from: after.repository } : {};
    return {
      organization,
      range: { pk: kinds.scans.partition({ organization: organization.uuid }), ...from, pageItems, signal },
    };
  });
  for await (const { from, items } of pagesOf(table, partitions, organizationsAtOnce))
    for (const item of items) yield { organization: from.organization, item };
}
