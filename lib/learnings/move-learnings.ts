import * as kinds from "../contract/items.ts";
import { learningLimits } from "../contract/limits.ts";
import type { TenantKey } from "../contract/tenants.ts";
import { toTimestamp } from "../runtime/clock.ts";
import { ErrorCollector } from "../runtime/error-collector.ts";
import { required } from "../runtime/required.ts";
import { type LearningItem, parseLearning } from "../store/items/learning.ts";
import { type OrganizationItem, parseOrganization } from "../store/items/organization.ts";
import { retryOnConflict, type Store } from "../store/retry-on-conflict.ts";
import { type Item, type Key, queryAll, type TransactionWrite } from "../store/table.ts";
import { untilTime } from "../store/until-time.ts";
import { listedBehind, moveWrites, timeOfPlace } from "./record.ts";

/**
 * Moves the Learnings of an organization to the export of its current tenant. A request that began before the change
 * may still list a Learning under the old tenant: a second pass checks them after all such requests have ended.
 */
export async function moveLearnings(store: Store, { uuid, tenant }: OrganizationItem): Promise<void> {
  const dueAt = toTimestamp(store.clock.nowMs() + learningLimits.settledAfterMs);
  await store.table.write({
    put: { ...kinds.relist.key({ dueAt, organization: uuid }), organization: uuid },
  });
  await relist(store, uuid, tenant);
}

/** One run of the schedule. The next run continues what this one has no time for. */
export async function relistMoved(store: Store, endsMs = Number.POSITIVE_INFINITY): Promise<void> {
  const upTo = `${toTimestamp(store.clock.nowMs())}$`;
  const organizations = new ErrorCollector();
  for await (const item of queryAll(store.table, { pk: kinds.relist.partition(), upTo })) {
    if (store.clock.nowMs() >= endsMs) break;
    const relistOne = async (bounded: Store): Promise<void> => {
      const uuid = String(item.organization);
      await relist(
        bounded,
        uuid,
        tenantOf(await bounded.table.get(kinds.organization.key({ organization: uuid }))),
      );
      await bounded.table.write({ delete: item });
    };
    await organizations.run(() => untilTime(store, endsMs, relistOne));
  }
  organizations.end();
}

async function relist(store: Store, organization: string, tenant: TenantKey): Promise<void> {
  const strays: Array<Key & { readonly place: string }> = [];
  for await (const item of queryAll(store.table, { pk: kinds.learning.partition({ organization }) })) {
    const { pk, sk, listed } = parseLearning(item);
    if (isStray(listed, tenant)) strays.push({ pk, sk, place: listed.place });
  }
  strays.sort((one, other) => (one.place < other.place ? -1 : 1));
  // After the last old place, even if clocks differ. Each batch has its own instant, which keeps the order.
  let nowMs = Date.parse(timeOfPlace(strays.at(-1)?.place ?? ""));
  for (let first = 0; first < strays.length; first += learningLimits.movedTogetherMax) {
    const batch = strays.slice(first, first + learningLimits.movedTogetherMax);
    nowMs = await moveTogether(store, organization, batch, nowMs + 1);
  }
}

/**
 * Moves Learnings to the end of the list, in their order, so that a walk of the new tenant that is running, or finished
 * and resumed, reads them. They get a new revision, so that a writer that read the old places cannot write them.
 * Returns the instant they are listed under.
 */
async function moveTogether(
  store: Store,
  organization: string,
  keys: readonly Key[],
  notBeforeMs: number,
): Promise<number> {
  return await retryOnConflict(store, async () => {
    const [owner, ...items] = await store.table.getMany([kinds.organization.key({ organization }), ...keys]);
    const tenant = tenantOf(owner);
    const nowMs = Math.max(notBeforeMs, store.clock.nowMs());
    const writes = items.flatMap((item, placeInBatch): TransactionWrite[] => {
      const learning = item && parseLearning(item);
      if (!learning || !isStray(learning.listed, tenant)) return [];
      const listed = listedBehind({ nowMs, tenant, placeInBatch }, learning.id, learning.listed.place);
      return moveWrites(learning, { ...learning, listed, revision: store.random.uuid() });
    });
    if (writes.length > 0) await store.table.transact(writes);
    return nowMs;
  });
}

type ListedPlace = LearningItem["listed"];
const isStray = (listed: ListedPlace, tenant: TenantKey): listed is NonNullable<ListedPlace> =>
  listed !== null && listed.tenant !== tenant;

const tenantOf = (organization: Item | undefined): TenantKey =>
  parseOrganization(required(organization, "organization of the Learnings")).tenant;
