import type * as z from "zod";
import * as kinds from "../contract/items.ts";
import { keyLimits } from "../contract/limits.ts";
import type { keyRecord } from "../contract/records-keys.ts";
import { organizationTenant, type TenantKey } from "../contract/tenants.ts";
import type { Clock } from "../runtime/clock.ts";
import type { KeyItem } from "../store/items/key.ts";
import { type OrganizationItem, readProviderIds } from "../store/items/organization.ts";
import { keyOfRow } from "../store/layout.ts";
import type { Table } from "../store/table.ts";
import { itemsPerQuery, type Partition, type PartitionPosition, walkPartitions } from "../store/walk.ts";
import { reachOf } from "./key-reach.ts";
import { toKeyRecord } from "./key-record.ts";
import { type IdOf, idInDirectory, readKeys } from "./key-rows.ts";
import { readUses } from "./last-used.ts";
import type { Principal } from "./principal.ts";
import { readStandings } from "./refused-because.ts";
import type { Scope } from "./scope.ts";

type Reader = { readonly table: Table; readonly clock: Clock };

/** Which keys a list has. */
export type KeyListing = {
  readonly partitions: ReadonlyArray<Partition & { readonly idOf: IdOf; readonly hasInstanceKeys: boolean }>;
  isListed(key: KeyItem): boolean;
  /** The organizations that were read already. */
  readonly organizations: readonly OrganizationItem[];
};

export type KeyPage = {
  readonly keys: readonly KeyItem[];
  readonly records: ReadonlyArray<z.output<typeof keyRecord>>;
  readonly next: PartitionPosition | null;
};

export async function listKeys(
  reader: Reader,
  { partitions, isListed, organizations }: KeyListing,
  page: { readonly after: PartitionPosition | null; readonly limit: number },
): Promise<KeyPage> {
  const pageItems = itemsPerQuery(page.limit);
  const { found, next } = await walkPartitions(
    reader.table,
    partitions.map((each) => ({ ...each, range: { ...each.range, pageItems } })),
    { ...page, partitionsAtOnce: keyLimits.organizationsAtOnce },
    async (items, { idOf, hasInstanceKeys }) => {
      const rows = items.filter(({ kind }) => hasInstanceKeys || kind !== "instance");
      const keys = await readKeys(reader.table, rows, idOf);
      return rows.flatMap(({ sk }, index) => {
        const key = keys[index];
        return key && isListed(key) ? [{ sk, key }] : [];
      });
    },
  );
  const keys = found.map(({ key }) => key);
  return { keys, records: await toKeyRecords(reader, keys, organizations), next };
}

/** The keys of the caller's scope: first the keys of several organizations, then organization by organization. */
export function listingOf(caller: { readonly principal: Principal; readonly scope: Scope }): KeyListing {
  const { principal, scope } = caller;
  const partition = (name: string, tenant: TenantKey) => ({
    name,
    range: kinds.keyRow.range({ tenant }),
    idOf: keyOfRow,
    // An organization's rows include instance keys, which use its roles, but are listed with the instance.
    hasInstanceKeys: name === tenantName,
  });
  const { kind } = principal.key;
  const hasTenantKeys = (kind === "workspace" || kind === "instance") && scope.selector === "all";
  return {
    partitions: [
      ...(hasTenantKeys ? [partition(tenantName, principal.tenant)] : []),
      ...scope.organizations.map(({ uuid }) => partition(uuid, organizationTenant(uuid))),
    ],
    isListed: (key) => reachOf(caller, key).list,
    organizations: principal.organizations,
  };
}

/** Sorts before every UUID. */
const tenantName = "";

/** Every key that was ever made, or those of one organization and the instance keys whose home it is. */
export const operatorListing = (organization: OrganizationItem | undefined): KeyListing => ({
  partitions: [
    {
      name: tenantName,
      range: organization
        ? kinds.keyRow.range({ tenant: organizationTenant(organization.uuid) })
        : kinds.keyDirectory.range(),
      idOf: organization ? keyOfRow : idInDirectory,
      hasInstanceKeys: true,
    },
  ],
  isListed: () => true,
  organizations: organization ? [organization] : [],
});

export async function toKeyRecords(
  { table, clock }: Reader,
  listed: readonly KeyItem[],
  organizations: readonly OrganizationItem[] = [],
) {
  const reached = listed.flatMap(({ organization, authorized }) =>
    [...(authorized ?? []), organization ?? []].flat(),
  );
  const [keys, names, standings] = await Promise.all([
    readUses(table, listed),
    readProviderIds(table, organizations, reached),
    readStandings(table, listed, clock.nowMs()),
  ]);
  const shown = (uuids: readonly string[]) =>
    uuids.map((uuid) => names.get(uuid)).filter((name) => name !== undefined);
  return keys.map((key) => {
    const uuids = key.kind === "instance" ? key.authorized : key.organization && [key.organization];
    return toKeyRecord(key, uuids ? shown(uuids) : null, clock.nowMs(), standings.get(key.id));
  });
}
