import { learningLimits } from "../contract/limits.ts";
import { toTimestamp } from "../runtime/clock.ts";
import { decideAnew, type Store } from "../store/decide.ts";
import { type LearningItem, parseLearning } from "../store/items/learning.ts";
import { type OrganizationItem, parseOrganization } from "../store/items/organization.ts";
import {
  learningPartition,
  organizationKey,
  relistKey,
  relistPartition,
  type TenantKey,
} from "../store/layout.ts";
import { type Item, queryAll, type TransactionWrite } from "../store/table.ts";
import { replaceWrites } from "./record.ts";

/**
 * Takes the Learnings of an organization to the export of the tenant it is in now. A request that began before
 * the change may still list one with the old tenant: they are looked through once more when all such have ended.
 */
export async function moveLearnings(store: Store, organization: OrganizationItem): Promise<void> {
  const dueAt = toTimestamp(store.clock.nowMs() + learningLimits.settledAfterMs);
  await store.table.write({
    put: { ...relistKey(dueAt, organization.uuid), organization: organization.uuid },
  });
  await relist(store, organization.uuid);
}

/** One run of the schedule. */
export async function relistMoved(store: Store): Promise<void> {
  const upTo = `${toTimestamp(store.clock.nowMs())}$`;
  for await (const item of queryAll(store.table, { pk: relistPartition, upTo })) {
    if (typeof item.organization === "string") await relist(store, item.organization);
    await store.table.write({ delete: item });
  }
}

async function relist(store: Store, organization: string): Promise<void> {
  let strays: Item[] = [];
  for await (const item of queryAll(store.table, { pk: learningPartition(organization) })) {
    // Only those that may be in the wrong place; where they belong is looked up when they are moved.
    if (parseLearning(item).listed) strays.push(item);
    if (strays.length < learningLimits.movedTogetherMax) continue;
    await moveTogether(store, organization, strays);
    strays = [];
  }
  if (strays.length > 0) await moveTogether(store, organization, strays);
}

async function moveTogether(store: Store, organization: string, keys: readonly Item[]): Promise<void> {
  await decideAnew(store, async () => {
    const [owner, ...items] = await store.table.getMany([organizationKey(organization), ...keys]);
    if (!owner) return;
    const { tenant } = parseOrganization(owner);
    const writes = items
      .filter((item) => item !== undefined)
      .map(parseLearning)
      .filter(({ listed }) => listed !== null && listed.tenant !== tenant)
      .flatMap((learning) => moveWrites(learning, tenant, store.chance.uuid()));
    if (writes.length > 0) await store.table.transact(writes);
  });
}

/**
 * The place in the order stays: whoever walks the new tenant begins a new walk to see the organization at all. A new
 * revision, so that whoever read the old places does not write by them.
 */
const moveWrites = (learning: LearningItem, tenant: TenantKey, revision: string): TransactionWrite[] =>
  replaceWrites(learning, {
    ...learning,
    revision,
    listed: learning.listed && { ...learning.listed, tenant },
  });
