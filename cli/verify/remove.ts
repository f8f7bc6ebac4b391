import * as kinds from "../../lib/contract/items.ts";
import { isOf } from "../../lib/contract/kind.ts";
import { indexLimits } from "../../lib/contract/limits.ts";
import { retention } from "../../lib/contract/platform.ts";
import {
  instanceTenant,
  isWorkspaceTenant,
  organizationTenant,
  type TenantKey,
  workspaceTenant,
} from "../../lib/contract/tenants.ts";
import { toTimestamp } from "../../lib/runtime/clock.ts";
import { parseWaitingByAge } from "../../lib/store/items/waiting.ts";
import { keyOfRow, streamPartition, streamRemovalPartition, waitingKey } from "../../lib/store/layout.ts";
import { type Key, queryAll, type Table } from "../../lib/store/table.ts";
import { readHead } from "../../lib/stream/head.ts";
import { parseSpill, partKeys } from "../../lib/stream/spill.ts";
import { shardOf } from "../../lib/webhooks/scope.ts";
import type { Connection } from "../connection/connection.ts";
import { CheckFailed } from "./check.ts";
import { endKey, stage } from "./stage.ts";

const organizations = [stage.cloud, stage.home];
const tenants: readonly TenantKey[] = [workspaceTenant(stage.workspace), instanceTenant(stage.instance)];

/**
 * Removes everything of the stage; returns how many items it removed. An item that names other items is deleted after
 * them, so that the next run can complete an interrupted one. `eventIds` are the events of this run: their failed tries
 * are stored under these ids.
 */
async function removeStage(connection: Connection, eventIds: readonly string[] = []): Promise<number> {
  const { table } = connection;
  let removed = 0;
  const remove = async (keys: readonly Key[]) => {
    await table.writeMany(keys.map((key) => ({ delete: key })));
    removed += keys.length;
  };
  const removeWhatIsThere = async (keys: readonly Key[]) => {
    const items = await table.getMany(keys);
    await remove(keys.filter((_, index) => items[index] !== undefined));
  };
  // First: waiting events would be applied as soon as a new stage has what they wait for.
  await remove(await waitingEvents(table));
  await removeWhatIsThere(eventIds.map((messageId) => kinds.tries.key({ messageId })));
  for (const id of await keyIds(table)) {
    if (await table.get(kinds.apiKey.key({ keyId: id }))) await endKey(connection, id);
    await remove([
      kinds.apiKey.key({ keyId: id }),
      kinds.keyUse.key({ keyId: id }),
      kinds.keyDirectory.key({ keyId: id }),
    ]);
  }
  for (const pk of await namedPartitions(table)) await remove(await keysIn(table, pk));
  for (const owner of owners()) await removeWebhooks(table, owner, remove);
  for (const rows of [await staleMarkers(table), await pendingRows(table), await relistRows(table)])
    await remove(rows);
  for (const { uuid, provider_organization_id } of organizations) {
    for (const pk of partitionsOf(uuid)) await remove(await keysIn(table, pk));
    const listed = kinds.organizationDirectory.key({
      providerId: provider_organization_id,
      organization: uuid,
    });
    await removeWhatIsThere([
      listed,
      kinds.moving.key({ organization: uuid }),
      kinds.movingLog.key({ organization: uuid }),
    ]);
  }
  for (const tenant of tenants) {
    await removeWhatIsThere([kinds.streamHead.key({ tenant })]);
    for (const pk of partitionsOfTenant(tenant)) await remove(await keysIn(table, pk));
  }
  return removed;
}

const owners = (): readonly TenantKey[] => [
  ...organizations.map(({ uuid }) => organizationTenant(uuid)),
  ...tenants,
];

async function removeWebhooks(
  table: Table,
  owner: TenantKey,
  remove: (keys: readonly Key[]) => Promise<void>,
): Promise<void> {
  const { pk, beginsWith = "" } = kinds.webhook.range({ shard: shardOf(owner), tenant: owner });
  const found = await keysIn(table, pk, beginsWith);
  for (const key of found.filter((each) => !isOf(kinds.webhookCount, each))) {
    const id = key.sk.slice(beginsWith.length);
    await remove(await keysIn(table, kinds.delivery.partition({ webhookId: id })));
    await remove(await keysIn(table, kinds.webhookSecrets.key({ webhookId: id }).pk));
  }
  await remove(found);
}

const removalsMax = 3;

/** Repeats until nothing is found: a worker that was still busy may have written something in the meantime. */
export async function removeWholeStage(
  connection: Connection,
  eventIds: readonly string[] = [],
): Promise<void> {
  for (let removal = 0; removal < removalsMax; removal++)
    if ((await removeStage(connection, eventIds)) === 0) return;
  throw new CheckFailed(
    "Something of the test workspace was written again after its removal: events are still being applied, or verify runs " +
      "twice at the same time. Run verify again when that is over: it begins with the removal.",
  );
}

/** Events of the stage that wait for something, with their rows in the list of all waiting events. */
async function waitingEvents(table: Table): Promise<readonly Key[]> {
  const partitions = [
    ...organizations.flatMap(({ uuid }) => partitionsOf(uuid)),
    ...tenants.flatMap(partitionsOfTenant),
  ];
  const found: Key[] = [];
  for await (const item of queryAll(table, kinds.waitingByAge.range())) {
    const { pk, sk, dependency, version } = parseWaitingByAge(item);
    if (partitions.includes(dependency.pk)) found.push(waitingKey(dependency, version), { pk, sk });
  }
  return found;
}

/** Organizations whose Learnings must be listed again. */
const relistRows = async (table: Table): Promise<readonly Key[]> =>
  (await keysIn(table, kinds.relist.partition())).filter(({ sk }) =>
    organizations.some(({ uuid }) => sk.endsWith(`#${uuid}`)),
  );

/** Includes keys that a call created, such as the successor of a rotated key. */
async function keyIds(table: Table): Promise<readonly string[]> {
  const rows = await Promise.all(owners().map((owner) => keysIn(table, keyRowsOf(owner))));
  return [...new Set(rows.flat().map(({ sk }) => keyOfRow(sk)))];
}

/** Partitions that are named in other items: entries and removals of a stream, parts of large entries, findings. */
async function namedPartitions(table: Table): Promise<readonly string[]> {
  const found: string[] = [];
  for (const tenant of tenants) {
    const { weeks } = await readHead(table, tenant);
    for (const organization of [undefined, ...organizations.map(({ uuid }) => uuid)])
      for (const dataset of ["c", "r", "m"] as const) {
        found.push(streamRemovalPartition({ tenant, organization, dataset }));
        for (const { week } of weeks) found.push(streamPartition({ tenant, organization, dataset, week }));
      }
  }
  for (const { uuid } of organizations) {
    for await (const item of queryAll(table, { pk: kinds.spill.partition({ organization: uuid }) }))
      for (const { pk } of partKeys(parseSpill(item, uuid))) found.push(pk);
    for (const { sk } of await keysIn(table, kinds.scans.partition({ organization: uuid })))
      found.push(kinds.findings.partition({ organization: uuid, digest: sk }));
  }
  return found;
}

/** Learnings that wait for approval, in the list of all organizations. */
async function pendingRows(table: Table): Promise<readonly Key[]> {
  const own = await Promise.all(
    organizations.map(({ uuid }) =>
      keysIn(table, kinds.organizationPending.partition({ organization: uuid })),
    ),
  );
  return own.flat().map(({ sk }) => ({ pk: kinds.pending.partition(), sk }));
}

/** Learnings that the index has not followed yet. */
async function staleMarkers(table: Table): Promise<readonly Key[]> {
  const shards = Array.from({ length: indexLimits.staleShards }, (_, shard) =>
    kinds.stale.partition({ shard }),
  );
  const found = await Promise.all(
    shards.flatMap((pk) => organizations.map(({ uuid }) => keysIn(table, pk, `${uuid}#`))),
  );
  return found.flat();
}

const partitionsOf = (uuid: string): readonly string[] => [
  ...[
    kinds.pointer.partition({ organization: uuid }),
    kinds.spill.partition({ organization: uuid }),
    kinds.scans.partition({ organization: uuid }),
  ],
  ...[
    kinds.learning.partition({ organization: uuid }),
    kinds.text.key({ organization: uuid, digest: "" }).pk,
    kinds.vector.partition({ organization: uuid }),
  ],
  ...[
    kinds.pullRequestLearnings.key({ organization: uuid, digest: "" }).pk,
    kinds.listedLearning.partition({ tenant: `o#${uuid}` }),
  ],
  ...[
    kinds.learningRemoval.partition({ tenant: `o#${uuid}` }),
    kinds.organizationPending.partition({ organization: uuid }),
  ],
  ...[
    kinds.person.range({ pool: `o#${uuid}` }).pk,
    kinds.member.range({ organization: uuid }).pk,
    kinds.role.range({ organization: uuid }).pk,
    kinds.people.key({ organization: uuid }).pk,
  ],
  kinds.team.range({ organization: uuid }).pk,
  ...[keyRowsOf(organizationTenant(uuid)), kinds.organization.key({ organization: uuid }).pk],
];

const partitionsOfTenant = (tenant: TenantKey): readonly string[] => [
  kinds.news.partition({ tenant }),
  ...[kinds.listedLearning.partition({ tenant }), kinds.learningRemoval.partition({ tenant })],
  ...(isWorkspaceTenant(tenant) ? [kinds.person.range({ pool: tenant }).pk] : []),
  ...[kinds.tenantOrganization.range({ tenant }).pk, keyRowsOf(tenant), kinds.tenant.key({ tenant }).pk],
];

const keyRowsOf = (owner: TenantKey): string => kinds.keyRow.key({ tenant: owner, keyId: "" }).pk;

async function keysIn(table: Table, pk: string, beginsWith?: string): Promise<readonly Key[]> {
  const range = { pk, only: ["pk", "sk"], ...(beginsWith !== undefined && { beginsWith }) };
  const items = await Array.fromAsync(queryAll(table, range));
  return items.map(({ pk: own, sk }) => ({ pk: own, sk }));
}

/** What always remains and expires by itself. */
export const neverRemoved: readonly string[] = [
  "rate-limit windows, notes of refused keys, of applied events and of failed tries, until they expire",
  `one large event in the events bucket, until its lifecycle rule ends it (${retention.eventObjectDays} days)`,
];

/** A sentence about what remains: nobody deletes audit entries before their retention ends. */
export async function countAuditEntries(table: Table, sinceMs: number, nowMs: number): Promise<string> {
  const months = new Set([sinceMs, nowMs].map((atMs) => toTimestamp(atMs).slice(0, 7)));
  const partitions = owners().flatMap((owner) =>
    [...months].map((month) => kinds.audit.partition({ tenant: owner, month })),
  );
  const entries = await Promise.all(partitions.map((pk) => keysIn(table, pk)));
  return `${entries.flat().length} audit entries of ${stage.workspace}, until their retention ends`;
}
