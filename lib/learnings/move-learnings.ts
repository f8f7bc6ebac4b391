import { learningLimits } from "../contract/limits.ts";
import { certain } from "../runtime/certain.ts";
import { toTimestamp } from "../runtime/clock.ts";
import { EachByItself } from "../runtime/each-by-itself.ts";
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
import { listedAt, replaceWrites } from "./record.ts";

/**
 * Takes the Learnings of an organization to the export of the tenant it is in now. A request that began before
 * the change may still list one with the old tenant: they are looked through once more when all such have ended.
 */
export async function moveLearnings(store: Store, organization: OrganizationItem): Promise<void> {
  const dueAt = toTimestamp(store.clock.nowMs() + learningLimits.settledAfterMs);
  await store.table.write({
    put: { ...relistKey(dueAt, organization.uuid), organization: organization.uuid },
  });
  await relist(store, organization.uuid, keepPlace);
}

/** One run of the schedule. */
export async function relistMoved(store: Store): Promise<void> {
  const upTo = `${toTimestamp(store.clock.nowMs())}$`;
  const organizations = new EachByItself();
  for await (const item of queryAll(store.table, { pk: relistPartition, upTo })) {
    await organizations.run(async () => {
      await relist(store, String(item.organization), toTheEnd);
      await store.table.write({ delete: item });
    });
  }
  organizations.end();
}

type Relisting = (listed: Listed, tenant: TenantKey, nowMs: number, id: string) => Listed;
type Listed = NonNullable<LearningItem["listed"]>;

/** Whoever walks the new tenant begins a new walk to see the organization at all. */
const keepPlace: Relisting = ({ place }, tenant) => ({ tenant, place });

/** By now such walks may have been finished: one that is resumed must still come by. */
const toTheEnd: Relisting = ({ place }, tenant, nowMs, id) =>
  listedAt({ nowMs, tenant, placeInBatch: 0 }, id, place);

async function relist(store: Store, organization: string, relisting: Relisting): Promise<void> {
  let strays: Item[] = [];
  for await (const item of queryAll(store.table, { pk: learningPartition(organization) })) {
    // Only those that may be in the wrong place; where they belong is looked up when they are moved.
    if (parseLearning(item).listed) strays.push(item);
    if (strays.length < learningLimits.movedTogetherMax) continue;
    await moveTogether(store, organization, strays, relisting);
    strays = [];
  }
  if (strays.length > 0) await moveTogether(store, organization, strays, relisting);
}

async function moveTogether(
  store: Store,
  organization: string,
  keys: readonly Item[],
  relisting: Relisting,
): Promise<void> {
  await decideAnew(store, async () => {
    const [owner, ...items] = await store.table.getMany([organizationKey(organization), ...keys]);
    const { tenant } = parseOrganization(certain(owner, "organization of the Learnings"));
    const nowMs = store.clock.nowMs();
    const writes = items
      .filter((item) => item !== undefined)
      .map(parseLearning)
      .flatMap((learning): TransactionWrite[] => {
        const { listed, id } = learning;
        if (listed === null || listed.tenant === tenant) return [];
        // A new revision, so that whoever read the old places does not write by them.
        const after = {
          ...learning,
          revision: store.chance.uuid(),
          listed: relisting(listed, tenant, nowMs, id),
        };
        return replaceWrites(learning, after);
      });
    if (writes.length > 0) await store.table.transact(writes);
  });
}
