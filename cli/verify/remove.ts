import { indexLimits, keyLimits } from "../../lib/contract/limits.ts";
import { toTimestamp } from "../../lib/runtime/clock.ts";
import {
  auditPartition,
  findingsPartition,
  instanceTenant,
  keyDirectoryKey,
  keyKey,
  keyOfRow,
  keyRowsPrefix,
  learningListPartition,
  learningPartition,
  learningRemovalsPartition,
  organizationDirectoryKey,
  organizationKey,
  organizationPendingPartition,
  pendingPartition,
  pointerPartition,
  pullRequestLearningsKey,
  scansPartition,
  spillPartition,
  spillPartKey,
  stalePartition,
  streamHeadKey,
  streamPartition,
  type TenantKey,
  tenantKey,
  textKey,
  vectorPartition,
  workspaceTenant,
} from "../../lib/store/layout.ts";
import { type Key, queryAll, type Table } from "../../lib/store/table.ts";
import { readHead } from "../../lib/stream/head.ts";
import type { Connection } from "../connection/connection.ts";
import { endKey, stage } from "./stage.ts";

const organizations = [stage.cloud, stage.home];
const tenants: readonly TenantKey[] = [workspaceTenant(stage.workspace), instanceTenant(stage.instance)];

/**
 * Removes everything of the stage; answers how many items that were. Whatever names other items goes after them, so that
 * a run that was cut off is made good by the next one.
 */
export async function removeStage(connection: Connection): Promise<number> {
  const { table } = connection;
  let removed = 0;
  const remove = async (keys: readonly Key[]) => {
    await table.writeMany(keys.map((key) => ({ delete: key })));
    removed += keys.length;
  };
  for (const id of await keyIds(table)) {
    if (await table.get(keyKey(id))) await endKey(connection, id);
    await remove([keyKey(id), keyDirectoryKey(id)]);
  }
  for (const pk of await namedPartitions(table)) await remove(await keysIn(table, pk));
  await remove(await staleMarkers(table));
  await remove(await pendingRows(table));
  for (const { uuid, provider_organization_id } of organizations) {
    for (const pk of partitionsOf(uuid)) await remove(await keysIn(table, pk));
    const row = organizationDirectoryKey(provider_organization_id, uuid);
    if (await table.get(row)) await remove([row]);
  }
  for (const tenant of tenants) {
    const { pk } = tenantKey(tenant);
    const listed = [learningListPartition(tenant), learningRemovalsPartition(tenant)];
    const head = streamHeadKey(tenant);
    if (await table.get(head)) await remove([head]);
    for (const partition of [...listed, pk]) await remove(await keysIn(table, partition));
  }
  return removed;
}

/** Also of keys that a call made, such as the successor of a rotated one. */
async function keyIds(table: Table): Promise<readonly string[]> {
  const partitions = [
    ...organizations.map(({ uuid }) => organizationKey(uuid).pk),
    ...tenants.map((tenant) => tenantKey(tenant).pk),
  ];
  const rows = await Promise.all(
    partitions.map((pk) => Array.fromAsync(queryAll(table, { pk, beginsWith: keyRowsPrefix }))),
  );
  return [...new Set(rows.flat().map(({ sk }) => keyOfRow(sk)))];
}

/** Partitions whose names stand in other items: entries of a stream, parts of large entries, findings. */
async function namedPartitions(table: Table): Promise<readonly string[]> {
  const found: string[] = [];
  for (const tenant of tenants) {
    const { weeks } = await readHead(table, tenant);
    for (const { week } of weeks)
      for (const organization of [undefined, ...organizations.map(({ uuid }) => uuid)])
        for (const dataset of ["c", "r", "m"] as const)
          found.push(streamPartition({ tenant, organization, dataset, week }));
  }
  for (const { uuid } of organizations) {
    for (const { sk } of await keysIn(table, spillPartition(uuid))) found.push(spillPartKey(sk, 0).pk);
    for (const { sk } of await keysIn(table, scansPartition(uuid))) found.push(findingsPartition(uuid, sk));
  }
  return found;
}

/** Learnings that wait for approval, in the list of all organizations. */
async function pendingRows(table: Table): Promise<readonly Key[]> {
  const own = await Promise.all(
    organizations.map(({ uuid }) => keysIn(table, organizationPendingPartition(uuid))),
  );
  return own.flat().map(({ sk }) => ({ pk: pendingPartition, sk }));
}

/** Learnings that the index does not follow yet. */
async function staleMarkers(table: Table): Promise<readonly Key[]> {
  const shards = Array.from({ length: indexLimits.staleShards }, (_, shard) => stalePartition(shard));
  const found = await Promise.all(
    shards.flatMap((pk) => organizations.map(({ uuid }) => keysIn(table, pk, `${uuid}#`))),
  );
  return found.flat();
}

const partitionsOf = (uuid: string): readonly string[] => [
  ...[pointerPartition(uuid), spillPartition(uuid), scansPartition(uuid)],
  ...[learningPartition(uuid), textKey(uuid, "").pk, vectorPartition(uuid)],
  ...[pullRequestLearningsKey(uuid, "").pk, learningListPartition(`o#${uuid}`)],
  ...[learningRemovalsPartition(`o#${uuid}`), organizationPendingPartition(uuid)],
  organizationKey(uuid).pk,
];

async function keysIn(table: Table, pk: string, beginsWith?: string): Promise<readonly Key[]> {
  const range = { pk, only: ["pk", "sk"], ...(beginsWith !== undefined && { beginsWith }) };
  const items = await Array.fromAsync(queryAll(table, range));
  return items.map(({ pk: own, sk }) => ({ pk: own, sk }));
}

/** What stays, in words: nobody deletes audit entries, and the rest ends by itself. */
export async function whatStays(table: Table, nowMs: number): Promise<readonly string[]> {
  const month = toTimestamp(nowMs).slice(0, 7);
  const owners: readonly TenantKey[] = [
    ...tenants,
    ...organizations.map(({ uuid }): TenantKey => `o#${uuid}`),
  ];
  const entries = await Promise.all(owners.map((owner) => keysIn(table, auditPartition(owner, month))));
  return [
    `${entries.flat().length} audit entries of ${stage.workspace}, until their retention ends`,
    "rate-limit windows, notes of refused keys and of applied events, until they expire",
    `one large event in the events bucket, until its lifecycle rule ends it (keys were made for ${keyLimits.tokenExpiryDaysMin} day)`,
  ];
}
