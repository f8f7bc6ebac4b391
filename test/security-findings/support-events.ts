import { ingest } from "../../lib/events/ingest.ts";
import type { DeadLetter, EventDeps, QueueMessage } from "../../lib/events/ports.ts";
import { sendEvents } from "../../lib/events/send.ts";
import { systemChance } from "../../lib/runtime/chance.ts";
import type { Table } from "../../lib/store/table.ts";
import { TestClock } from "../support/clock.ts";
import type { OrganizationId } from "../support/world.ts";
import type { Telling } from "./support.ts";

/** The platform's way in: events to messages, large ones through a bucket, messages to the worker. */
export function createDelivery(table: Table) {
  const letters: DeadLetter[] = [];
  const objects = new Map<string, Uint8Array>();
  const deps: EventDeps = {
    table,
    clock: new TestClock(),
    chance: systemChance,
    log: () => undefined,
    bucket: {
      put: async (name, content) => void objects.set(name, content),
      get: async (name) => objects.get(name),
    },
    deadLetters: { send: async (sent) => void letters.push(...sent) },
  };
  const deliver = async (type: string, data: object, head: { id: string; occurred_at: string }) => {
    const messages: QueueMessage[] = [];
    const queue = { send: async (sent: readonly QueueMessage[]) => void messages.push(...sent) };
    await sendEvents(queue, deps.bucket, [{ ...head, type, data }]);
    return await ingest(deps, messages);
  };
  const deliverScan = ({ event_id, occurred_at, ...data }: Telling, organization: OrganizationId) =>
    deliver("security_scan.completed", { ...organization, ...data }, { id: event_id, occurred_at });
  return { deliver, deliverScan, letters, objects };
}
