import type * as z from "zod";
import { msPerDay } from "../contract/days.ts";
import * as kinds from "../contract/items.ts";
import { webhookLimits } from "../contract/limits.ts";
import { isWithinOnly } from "../contract/only.ts";
import type { deliveryRecord } from "../contract/records-webhooks.ts";
import { onlyOfType } from "../contract/webhooks.ts";
import { toTimestamp } from "../runtime/clock.ts";
import { unlessDamaged } from "../store/items/unless-damaged.ts";
import { type DeliveryItem, parseDelivery, type WebhookItem } from "../store/items/webhook.ts";
import {
  type Delete,
  type Key,
  type Put,
  queryAll,
  queryUpTo,
  type Table,
  transactIf,
} from "../store/table.ts";
import { ttlAfter } from "../store/ttl.ts";
import type { WebhookScope } from "./scope.ts";
import { type Attempt, isDelivered, isGone } from "./send.ts";
import type { Ring, SignedMessage } from "./sign.ts";

type Delivery = z.output<typeof deliveryRecord>;

export type RingAttempt = {
  readonly ring: Pick<Ring, "id" | "type">;
  /** Of the attempt before, if it was for the same ring. */
  readonly before?: { readonly place: string; readonly failures: number } | undefined;
  readonly message: SignedMessage;
  readonly attempt: Attempt;
  readonly atMs: number;
};

/** Where the deliveries list it. */
export const placeOf = ({ ring, atMs }: Pick<RingAttempt, "ring" | "atMs">): string =>
  `${toTimestamp(atMs)}#${ring.id}`;

/** The attempts of a ring, with those before it: one item, at the time of the last. */
export function attemptPut(
  { id: webhookId }: Pick<WebhookItem, "id">,
  sent: RingAttempt,
  old?: DeliveryItem,
) {
  const { ring, before, message, attempt, atMs } = sent;
  const { "webhook-signature": _, ...headers } = message.headers;
  const put = {
    ...kinds.delivery.key({ webhookId, place: placeOf(sent), attempt: before?.failures ?? 0 }),
    id: ring.id,
    type: ring.type,
    at: toTimestamp(atMs),
    ...attempt,
    earlier: old ? earlierOf([old]) : [],
    request: { headers, body: message.body },
    ttl: ttlAfter(atMs, webhookLimits.deliveryDays),
  };
  return { put };
}

/** The writes that list an attempt in place of the attempts before, for the transaction that records its result. */
export async function attemptWrites(
  table: Table,
  webhook: WebhookItem,
  sent: RingAttempt,
): Promise<Array<Put | Delete>> {
  const old = sent.before && (await readAttempts(table, webhook, sent.before.place));
  return [attemptPut(webhook, sent, old), ...(old ? [{ delete: keyOf(old) }] : [])];
}

/** The last release wrote an item for each attempt, all with one place: these become one first. */
async function readAttempts(
  table: Table,
  { id: webhookId }: Pick<WebhookItem, "id">,
  place: string,
): Promise<DeliveryItem | undefined> {
  const range = kinds.delivery.range({ webhookId, place });
  // A damaged item must not keep the result of an attempt from being recorded.
  const items = (await Array.fromAsync(queryAll(table, range))).flatMap(
    (item) => unlessDamaged(parseDelivery, item, "ringWebhooks") ?? [],
  );
  const last = items.pop();
  if (!last || items.length === 0) return last;
  const merged = { ...last, earlier: earlierOf(items) };
  const isMerged = await transactIf(table, [
    { put: merged, when: { present: "pk" } },
    ...items.map((item) => ({ delete: keyOf(item) })),
  ]);
  return isMerged ? merged : await readAttempts(table, { id: webhookId }, place);
}

const keyOf = ({ pk, sk }: DeliveryItem): Key => ({ pk, sk });

/** Of attempts that another one follows. */
const earlierOf = (items: readonly DeliveryItem[]) =>
  items.flatMap(attemptsOf).slice(1 - webhookLimits.attemptsShown);

const attemptsOf = ({ earlier = [], at, status, ms, answer }: DeliveryItem) => [
  ...earlier,
  { at, status, ms, answer },
];

type DeliveriesPage = {
  readonly after: string | null;
  readonly limit: number;
  /** Of a narrow key, which sees no body of a type that it may not read. */
  readonly only?: WebhookScope["only"];
};

/** One page of rings with their attempts, those with the newest attempt first. */
export async function listDeliveries(
  { table, nowMs }: { readonly table: Table; readonly nowMs: number },
  webhook: WebhookItem,
  { after, limit, only }: DeliveriesPage,
): Promise<{ readonly records: readonly Delivery[]; readonly next: string | null }> {
  const range = {
    pk: kinds.delivery.partition({ webhookId: webhook.id }),
    from: toTimestamp(nowMs - webhookLimits.deliveryDays * msPerDay),
    ...(after !== null && { upTo: after }),
    descending: true,
  };
  const items: DeliveryItem[] = [];
  // One more than the page, and the last of the page before.
  for await (const item of queryUpTo(table, range, limit + 2)) {
    if (item.sk === after) continue;
    if (items.length === limit) return { records: items.map(toDelivery), next: items.at(-1)?.sk ?? null };
    items.push(parseDelivery(item));
  }
  return { records: items.map(toDelivery), next: null };

  function toDelivery(item: DeliveryItem): Delivery {
    const { id, type, request: sent = null } = item;
    const request =
      sent && type !== "ping" && !isWithinOnly(only, onlyOfType(type)) ? { ...sent, body: null } : sent;
    if (isGone(item)) return { id, type, attempts: attemptsOf(item), state: "ended", request };
    const isWaiting = webhook.disabled_reason === null && webhook.retries[type]?.id === id;
    const state = isDelivered(item) ? "delivered" : isWaiting ? "waiting" : "replaced";
    return { id, type, attempts: attemptsOf(item), state, request };
  }
}
