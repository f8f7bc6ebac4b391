import type * as z from "zod";
import * as kinds from "../contract/items.ts";
import { keyLimits } from "../contract/limits.ts";
import type { keyRecord } from "../contract/records-keys.ts";
import { organizationTenant, type TenantKey } from "../contract/tenants.ts";
import type { Clock } from "../runtime/clock.ts";
import { type KeyItem, parseKey } from "../store/items/key.ts";
import { parseOrganization } from "../store/items/organization.ts";
import { keyOfRow } from "../store/layout.ts";
import type { Table } from "../store/table.ts";
import { itemsPerQuery, type PartitionPosition, walkPartitions } from "../store/walk.ts";
import { reachOf } from "./key-reach.ts";
import { toKeyRecord } from "./key-record.ts";
import { readUses } from "./last-used.ts";
import type { Principal } from "./principal.ts";
import { readRefusals } from "./refused-because.ts";
import type { Scope } from "./scope.ts";

type Reader = {
  readonly table: Table;
  readonly clock: Clock;
  readonly principal: Principal;
  readonly scope: Scope;
};

export type KeyPage = {
  readonly records: ReadonlyArray<z.output<typeof keyRecord>>;
  readonly next: PartitionPosition | null;
};

/** Lists the keys of the caller's scope: first the keys of several organizations, then organization by organization. */
export async function listKeysOfScope(
  reader: Reader,
  page: { readonly after: PartitionPosition | null; readonly limit: number },
): Promise<KeyPage> {
  const { found, next } = await walkPartitions(
    reader.table,
    keyPartitionsOf(reader, itemsPerQuery(page.limit)),
    { ...page, partitionsAtOnce: keyLimits.organizationsAtOnce },
    async (items, { isTenant }) => {
      // An organization's rows include instance keys, which use its roles, but are listed with the instance.
      const rows = items.filter(({ kind }) => isTenant || kind !== "instance");
      const keys = await reader.table.getMany(rows.map((row) => kinds.apiKey.key({ keyId: keyOfRow(row) })));
      return rows.flatMap(({ sk }, index) => {
        const item = keys[index];
        const key = item && parseKey(item);
        return key && reachOf(reader, key).list ? [{ sk, key }] : [];
      });
    },
  );
  const keys = found.map(({ key }) => key);
  return { records: await toRecords(reader, keys), next };
}

function keyPartitionsOf({ principal, scope }: Reader, pageItems: number) {
  const partition = (name: string, tenant: TenantKey) => ({
    name,
    range: { ...kinds.keyRow.range({ tenant }), pageItems },
    isTenant: name === tenantName,
  });
  const { kind } = principal.key;
  const hasTenantKeys = (kind === "workspace" || kind === "instance") && scope.selector === "all";
  return [
    ...(hasTenantKeys ? [partition(tenantName, principal.tenant)] : []),
    ...scope.organizations.map(({ uuid }) => partition(uuid, organizationTenant(uuid))),
  ];
}

/** Sorts before every UUID. */
const tenantName = "";

async function toRecords({ table, clock, principal }: Reader, listed: readonly KeyItem[]) {
  const [keys, names, refusals] = await Promise.all([
    readUses(table, listed),
    providerIds(table, principal, listed),
    readRefusals(table, listed, clock.nowMs()),
  ]);
  const shown = (uuids: readonly string[]) =>
    uuids.map((uuid) => names.get(uuid)).filter((name) => name !== undefined);
  return keys.map((key) => {
    const uuids = key.kind === "instance" ? key.authorized : key.organization && [key.organization];
    return toKeyRecord(key, uuids ? shown(uuids) : null, clock.nowMs(), refusals.get(key.id));
  });
}

/** Authentication has read most of these organizations. Only the others are read here. */
async function providerIds(table: Table, { organizations }: Principal, keys: readonly KeyItem[]) {
  const names = new Map(organizations.map((each) => [each.uuid, each.provider_organization_id]));
  const wanted = new Set(
    keys.flatMap(({ organization, authorized }) => [...(authorized ?? []), organization ?? []].flat()),
  );
  const unknown = [...wanted].filter((uuid) => !names.has(uuid));
  const read = (
    await table.getMany(unknown.map((organization) => kinds.organization.key({ organization })))
  ).filter((item) => item !== undefined);
  for (const { uuid, provider_organization_id } of read.map(parseOrganization))
    names.set(uuid, provider_organization_id);
  return names;
}
