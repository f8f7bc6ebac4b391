import type * as z from "zod";
import * as kinds from "../contract/items.ts";
import { webhookLimits } from "../contract/limits.ts";
import type { deliveryRecord } from "../contract/records-webhooks.ts";
import type { WebhookType } from "../contract/webhooks.ts";
import { toTimestamp } from "../runtime/clock.ts";
import { type DeliveryItem, parseDelivery, type WebhookItem } from "../store/items/webhook.ts";
import { type Put, queryAll, type Table } from "../store/table.ts";
import { ttlAfter } from "../store/ttl.ts";
import { type Attempt, isDelivered } from "./send.ts";

type Delivery = z.output<typeof deliveryRecord>;

/** The place of a ring among the deliveries: the time of its first attempt, and its id. */
export const deliveryPlace = (atMs: number, ringId: string): string => `${toTimestamp(atMs)}#${ringId}`;

/** The record of one attempt. */
export const attemptPut = (
  { id: webhookId }: Pick<WebhookItem, "id">,
  ring: {
    readonly id: string;
    readonly type: WebhookType;
    readonly place: string;
    readonly failures: number;
  },
  { status, ms, answer }: Attempt,
  atMs: number,
): Put => ({
  put: {
    ...kinds.delivery.key({ webhookId, place: ring.place, attempt: ring.failures }),
    id: ring.id,
    type: ring.type,
    at: toTimestamp(atMs),
    status,
    ms,
    answer,
    ttl: ttlAfter(atMs, webhookLimits.deliveryDays),
  },
});

/** One page of rings with their attempts, newest first. */
export async function listDeliveries(
  { table, nowMs }: { readonly table: Table; readonly nowMs: number },
  webhook: WebhookItem,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<{ readonly records: readonly Delivery[]; readonly next: string | null }> {
  const oldest = toTimestamp(nowMs - webhookLimits.deliveryDays * 24 * 3_600_000);
  // `upTo` includes its end: "\"" sorts before the "#" that every attempt of the ring at `after` has next.
  const bounds = after === null ? {} : { upTo: `${after}"` };
  const range = {
    pk: kinds.delivery.partition({ webhookId: webhook.id }),
    from: oldest,
    ...bounds,
    descending: true,
  };
  const rings = new Map<string, DeliveryItem[]>();
  for await (const item of queryAll(table, range)) {
    const place = item.sk.replace(/#\d+$/, "");
    if (!rings.has(place) && rings.size === limit) return pageOf(webhook, rings, true);
    rings.set(place, [...(rings.get(place) ?? []), parseDelivery(item)]);
  }
  return pageOf(webhook, rings, false);
}

function pageOf(webhook: WebhookItem, rings: ReadonlyMap<string, readonly DeliveryItem[]>, goesOn: boolean) {
  const records = [...rings.values()].map((attempts) => toDelivery(webhook, attempts));
  return { records, next: goesOn ? ([...rings.keys()].at(-1) ?? null) : null };
}

function toDelivery({ retries }: WebhookItem, newestFirst: readonly DeliveryItem[]): Delivery {
  const attempts = newestFirst.toReversed();
  const [first] = attempts;
  if (!first) throw new TypeError("A delivery has at least one attempt.");
  const { id, type } = first;
  const isWaiting = retries[type]?.id === id;
  return {
    id,
    type,
    attempts: attempts.map(({ at, status, ms, answer }) => ({ at, status, ms, answer })),
    state: attempts.some(isDelivered) ? "delivered" : isWaiting ? "waiting" : "replaced",
  };
}
