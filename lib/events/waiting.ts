import { eventLimits } from "../contract/limits.ts";
import { toTimestamp } from "../runtime/clock.ts";
import { versionOf } from "../store/items/version.ts";
import { parseWaiting, type WaitingItem } from "../store/items/waiting.ts";
import { waitingByAgeKey, waitingKey, waitingPartition } from "../store/layout.ts";
import { type Key, type Table, TransactionRefused } from "../store/table.ts";
import type { PlatformEvent } from "./envelope.ts";
import type { Dependency } from "./event-types.ts";
import type { EventDeps, QueueMessage } from "./ports.ts";

/** A message that waits, as a message again. */
export type WaitingMessage = QueueMessage & { readonly item: WaitingItem };

/**
 * Keeps the message, redacted, until its dependency is known. Redaction changes nothing the second time, so the event
 * is applied as if it had never waited. Kept twice, it waits once, from the first time.
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
  try {
    await table.transact([
      {
        put: { ...waitingKey(key, version), id, group, body, event_id: event.id, since },
        when: { absent: "pk" },
      },
      { put: { ...waitingByAgeKey(since, event.id), since, dependency: key, label, version } },
    ]);
  } catch (error) {
    if (!(error instanceof TransactionRefused)) throw error;
  }
}

/** In the order in which things occurred; a few at a time, since each may be large. */
export async function* waitingPages(table: Table, dependency: Key): AsyncGenerator<WaitingMessage[]> {
  const range = { pk: waitingPartition(dependency), pageItems: eventLimits.waitingPageItems };
  let resume: Key | undefined;
  do {
    const page = await table.queryPage(range, resume);
    const items = page.items.map(parseWaiting);
    if (items.length > 0)
      yield items.map((item) => ({ id: item.id, group: item.group, body: item.body, item }));
    resume = page.resume;
  } while (resume);
}

export async function stopWaiting(table: Table, { pk, sk, since, event_id }: WaitingItem): Promise<void> {
  try {
    await table.transact([
      // The same event may wait anew since we read it; that one is not ours to remove.
      { delete: { pk, sk }, when: { equals: ["since", since] } },
      { delete: waitingByAgeKey(since, event_id) },
    ]);
  } catch (error) {
    if (!(error instanceof TransactionRefused)) throw error;
  }
}
