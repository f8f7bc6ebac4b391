import { v5 } from "uuid";
import { identityNamespace } from "../contract/identity.ts";
import * as kinds from "../contract/items.ts";
import { eventLimits } from "../contract/limits.ts";
import { toTimestamp } from "../runtime/clock.ts";
import { CorruptItem, parsedOrDamage } from "../store/items/parse.ts";
import { versionOf } from "../store/items/version.ts";
import { parseWaiting, type WaitingItem } from "../store/items/waiting.ts";
import { waitingKey, waitingPartition } from "../store/layout.ts";
import {
  type Item,
  type Key,
  queryPages,
  type Table,
  type TransactionWrite,
  transactIf,
} from "../store/table.ts";
import { deadLetter } from "./dead-letter.ts";
import type { PlatformEvent } from "./envelope.ts";
import type { Dependency } from "./event-types.ts";
import type { EventDeps, QueueMessage } from "./ports.ts";

/** A waiting message, in the form of a queue message. */
export type WaitingMessage = QueueMessage & { readonly item: WaitingItem };

/**
 * Stores the message, redacted, until its dependency exists. Redacting twice changes nothing, so the event is applied
 * as if it had never waited. A message that is stored twice waits once, from the first time.
 */
export async function keepWaiting(
  { table, clock }: EventDeps,
  message: QueueMessage,
  event: Pick<PlatformEvent, "id" | "occurred_at">,
  dependency: Dependency,
): Promise<void> {
  const version = versionOf(event);
  const since = toTimestamp(clock.nowMs());
  const { id, group } = message;
  const { redactMessage } = await import("./redact-message.ts");
  const body = redactMessage(message.body);
  const { key, label } = dependency;
  await transactIf(table, [
    {
      put: { ...waitingKey(key, version), id, group, body, event_id: event.id, since },
      when: { absent: "pk" },
    },
    {
      put: {
        ...kinds.waitingByAge.key({ since, eventId: event.id }),
        since,
        dependency: key,
        label,
        version,
      },
    },
  ]);
}

/** In the order of `occurred_at`; a few at a time, because each may be large. Damaged items are set aside. */
export async function* waitingPages(deps: EventDeps, dependency: Key): AsyncGenerator<WaitingMessage[]> {
  const range = { pk: waitingPartition(dependency), pageItems: eventLimits.waitingPageItems };
  for await (const found of queryPages(deps.table, range)) {
    const items: WaitingItem[] = [];
    for (const item of found) items.push(...(await readWaiting(deps, item)));
    if (items.length > 0)
      yield items.map((item) => ({ id: item.id, group: item.group, body: item.body, item }));
  }
}

/** A damaged item becomes a dead letter at once, so that it does not block other events. */
export async function readWaiting(deps: EventDeps, item: Item): Promise<WaitingItem[]> {
  const waiting = parsedOrDamage(parseWaiting, item);
  if (!(waiting instanceof CorruptItem)) return [waiting];
  await deadLetter(deps, messageOfDamaged(item), waiting.message);
  await removeDamaged(deps.table, item);
  return [];
}

/** The remains of the message, in a form that a queue accepts: SQS accepts 128 plain characters as an id. */
function messageOfDamaged({ pk, sk, id, group, body }: Item): QueueMessage {
  const derived = v5(JSON.stringify([pk, sk]), identityNamespace);
  const plain = (value: unknown, otherwise: string) =>
    typeof value === "string" && /^[!-~]{1,128}$/.test(value) ? value : otherwise;
  return {
    id: plain(id, derived),
    group: plain(group, `damaged.${derived}`),
    body: typeof body === "string" && body !== "" ? body : JSON.stringify({ waiting: { pk, sk } }),
  };
}

/** The row by age may stay behind; the scheduled worker removes an old row without an item. */
async function removeDamaged(table: Table, { pk, sk, since, event_id }: Item): Promise<void> {
  const when = since === undefined ? { absent: "since" } : { equals: ["since", since] as const };
  const hasRow = typeof since === "string" && typeof event_id === "string";
  await transactIf(table, [
    { delete: { pk, sk }, when },
    ...(hasRow ? [{ delete: kinds.waitingByAge.key({ since, eventId: event_id }) }] : []),
  ]);
}

export async function stopWaiting(table: Table, item: WaitingItem): Promise<void> {
  await transactIf(table, stopWaitingWrites(item));
}

export const stopWaitingWrites = ({ pk, sk, since, event_id }: WaitingItem): TransactionWrite[] => [
  // The same event may have started to wait again since it was read; that new item must stay.
  { delete: { pk, sk }, when: { equals: ["since", since] } },
  { delete: kinds.waitingByAge.key({ since, eventId: event_id }) },
];
