import * as kinds from "../../contract/items.ts";
import {
  type AnyKind,
  type AnyParts,
  type Finder,
  type Owner,
  partsOf,
  partsOfOwner,
} from "../../contract/kind.ts";
import { indexLimits } from "../../contract/limits.ts";
import { retention } from "../../contract/platform.ts";
import {
  instanceTenant,
  organizationTenant,
  type TenantKey,
  workspaceTenant,
} from "../../contract/tenants.ts";
import type { Connection } from "../../operator/connection.ts";
import { toTimestamp } from "../../runtime/clock.ts";
import { parseWaitingByAge } from "../../store/items/waiting.ts";
import { type Key, queryAll, type Range, type Table } from "../../store/table.ts";
import { readHead } from "../../stream/head.ts";
import { parseSpill, partKeys } from "../../stream/spill.ts";
import { shardOf } from "../../webhooks/scope.ts";
import { CheckFailed } from "./check.ts";
import { endKey, stage } from "./stage.ts";

type StageConnection = Pick<Connection, "table" | "audited">;

const organizations = [stage.cloud, stage.home];
const tenants: readonly TenantKey[] = [workspaceTenant(stage.workspace), instanceTenant(stage.instance)];
/** Organizations own keys, webhooks and lists like tenants. */
const owners: readonly TenantKey[] = [
  ...organizations.map(({ uuid }) => organizationTenant(uuid)),
  ...tenants,
];

const everyKind: readonly AnyKind[] = Object.values(kinds);
const kindsOf = (owner: Owner) => everyKind.filter((kind) => kind.owner === owner);

/** What is known of the owners in the stage. An item that names other items is removed after them, so order counts. */
const known: Readonly<
  Record<
    Exclude<Owner, "service">,
    (table: Table, eventIds: readonly string[]) => Promise<readonly AnyParts[]>
  >
> = {
  // First: waiting events would be applied as soon as a new stage has what they wait for.
  event: async (_, eventIds) => eventIds.map((id) => ({ eventId: id, messageId: id })),
  /** Includes keys that a call created. */
  key: (table) =>
    namedIn(
      table,
      kinds.keyRow,
      owners.map((tenant) => ({ tenant })),
    ),
  webhook: (table) => namedIn(table, kinds.webhook, shardsOfWebhooks),
  organization: async () => ofOrganizations,
  tenant: async () => owners.map((tenant) => ({ tenant, pool: tenant })),
};
const shardsOfWebhooks = owners.map((tenant) => ({ tenant, shard: shardOf(tenant) }));
const ofOrganizations = organizations.flatMap(({ uuid, provider_organization_id: providerId }) =>
  owners.map((tenant) => ({ organization: uuid, providerId, tenant, pool: tenant })),
);

/** What is not known of an owner: items of other kinds name it. */
const finders: Readonly<Record<Exclude<Finder, "expiry">, (table: Table) => Promise<readonly AnyParts[]>>> = {
  scans: (table) => namedIn(table, kinds.scans, ofOrganizations),
  organizationPending: (table) => namedIn(table, kinds.organizationPending, ofOrganizations),
  async spill(table) {
    const found: AnyParts[] = [];
    for (const { uuid } of organizations)
      for await (const item of queryAll(table, kinds.spill.range({ organization: uuid })))
        for (const key of partKeys(parseSpill(item, uuid))) found.push({ ...partsOf(kinds.spillPart, key) });
    return found;
  },
  async streamHead(table) {
    const heads = await Promise.all(
      tenants.map(async (tenant) => ({ tenant, ...(await readHead(table, tenant)) })),
    );
    return heads.flatMap(({ tenant, weeks }) =>
      organizations.flatMap(({ uuid }) =>
        ["c", "r", "m"].flatMap((dataset) =>
          // Removals are in no week: a stream without entries may have some.
          [{ week: 0 }, ...weeks].map(({ week }) => ({ tenant, organization: uuid, dataset, week })),
        ),
      ),
    );
  },
  async waitingByAge(table) {
    const direct = [...kindsOf("organization"), ...kindsOf("tenant")].filter(
      (kind) => !kind.foundBy && isPartitionOfOwner(kind),
    );
    const partitions = new Set(
      direct.flatMap((kind) => ofOrganizations.map((parts) => kind.range(parts).pk)),
    );
    const found: AnyParts[] = [];
    for await (const item of queryAll(table, kinds.waitingByAge.range())) {
      const { dependency, version } = parseWaitingByAge(item);
      const { since = "", eventId = "" } = partsOf(kinds.waitingByAge, item) ?? {};
      if (partitions.has(dependency.pk))
        found.push({ dependency: `${dependency.pk}/${dependency.sk}`, version, since, eventId });
    }
    return found;
  },
  shards: async () => [
    ...shardsOfWebhooks,
    ...Array.from({ length: indexLimits.staleShards }, (_, shard) =>
      organizations.map(({ uuid }) => ({ shard, organization: uuid })),
    ).flat(),
  ],
};

const namesIn = (pattern: string) => Array.from(pattern.matchAll(/\{(\w+)/g), ([, name = ""]) => name);
function ownerNamesIn({ owner }: AnyKind, pattern: string): string[] {
  const ofOwner: readonly string[] = partsOfOwner[owner];
  return namesIn(pattern).filter((name) => ofOwner.includes(name));
}
/** Other partitions also hold items of other owners. */
const isPartitionOfOwner = (kind: AnyKind): boolean => ownerNamesIn(kind, kind.pk).length > 0;

/** The parts of the keys of all items of a kind. */
async function namedIn(table: Table, kind: AnyKind, each: readonly AnyParts[]): Promise<readonly AnyParts[]> {
  const keys = await keysOf(table, kind, each);
  return keys.map((key) => partsOf(kind, key)).filter((parts) => parts !== undefined);
}

/** Parts that do not name the owner are not used: their range would hold items of others. Reads each range once. */
async function keysOf(table: Table, kind: AnyKind, each: readonly AnyParts[]): Promise<readonly Key[]> {
  const needed = [...namesIn(kind.pk), ...ownerNamesIn(kind, kind.sk)];
  const usable = each.filter((parts) => needed.every((name) => name in parts));
  const together = Map.groupBy(usable, (parts) => JSON.stringify(kind.range(parts)));
  const isOneOf = (parts: AnyParts[], own: AnyParts) =>
    parts.some((some) =>
      Object.entries(own).every(([name, value]) => !(name in some) || some[name] === value),
    );
  const found = [...together.values()].map(async (parts) => {
    const keys = await keysIn(table, kind.range(parts[0] ?? {}));
    return keys.filter((key) => {
      const own = partsOf(kind, key);
      // Earlier releases wrote other sort keys: everything in a partition of the stage is of the stage.
      return own ? isOneOf(parts, own) : isPartitionOfOwner(kind);
    });
  });
  return (await Promise.all(found)).flat();
}

/**
 * Removes everything of the stage; returns how many items it removed. The next run can complete an interrupted one.
 * `eventIds` are the events of this run: their failed tries are stored under these ids.
 */
async function removeStage(connection: StageConnection, eventIds: readonly string[] = []): Promise<number> {
  const { table } = connection;
  let removed = 0;
  for (const owner of ["event", "key", "webhook", "organization", "tenant"] as const) {
    const parts = await known[owner](table, eventIds);
    if (owner === "key")
      for (const { keyId } of parts)
        if (await table.get(kinds.apiKey.key({ keyId: String(keyId) })))
          await endKey(connection, String(keyId));
    // An item that another kind names is found as long as the item that names it is there.
    for (const kind of kindsOf(owner).toSorted(
      (one, other) => Number(!one.foundBy) - Number(!other.foundBy),
    )) {
      if (kind.foundBy === "expiry") continue;
      const keys = await keysOf(table, kind, kind.foundBy ? await finders[kind.foundBy](table) : parts);
      await table.writeMany(keys.map((key) => ({ delete: key })));
      removed += keys.length;
    }
  }
  return removed;
}

const removalsMax = 3;

/** Repeats until nothing is found: a worker that was still busy may have written something in the meantime. */
export async function removeWholeStage(
  connection: StageConnection,
  eventIds: readonly string[] = [],
): Promise<void> {
  for (let removal = 0; removal < removalsMax; removal++)
    if ((await removeStage(connection, eventIds)) === 0) return;
  throw new CheckFailed(
    "Something of the test workspace was written again after its removal: events are still being applied, or verify runs " +
      "twice at the same time. Run verify again when that is over: it begins with the removal.",
  );
}

async function keysIn(table: Table, range: Range): Promise<readonly Key[]> {
  const items = await Array.fromAsync(queryAll(table, { ...range, only: ["pk", "sk"] }));
  return items.map(({ pk, sk }) => ({ pk, sk }));
}

/** What always remains and expires by itself. */
export const neverRemoved: readonly string[] = [
  "rate-limit windows, notes of refused keys, of applied events and of requests made once, until they expire",
  `one large event in the events bucket, until its lifecycle rule ends it (${retention.eventObjectDays} days)`,
];

/** A sentence about what remains: nobody deletes audit entries before their retention ends. */
export async function countAuditEntries(table: Table, sinceMs: number, nowMs: number): Promise<string> {
  const months = new Set([sinceMs, nowMs].map((atMs) => toTimestamp(atMs).slice(0, 7)));
  const partitions = owners.flatMap((tenant) => [...months].map((month) => ({ tenant, month })));
  const entries = await keysOf(table, kinds.audit, partitions);
  return `${entries.length} audit entries of ${stage.workspace}, until their retention ends`;
}
