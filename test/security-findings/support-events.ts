import { ingest } from "../../lib/events/ingest.ts";
import type { Table } from "../../lib/store/table.ts";
import { createIngestHarness, toMessages } from "../events/support.ts";
import type { OrganizationId } from "../support/world.ts";
import type { Telling } from "./support.ts";

/** The platform's delivery path: events become messages, large events go through a bucket, the worker gets messages. */
export function createDelivery(table: Table) {
  const desk = createIngestHarness(table);
  const deliver = async (type: string, data: object, head: { id: string; occurred_at: string }) =>
    await ingest(desk, await toMessages(desk, [{ ...head, type, data }]));
  const deliverScan = ({ event_id, occurred_at, ...data }: Telling, organization: OrganizationId) =>
    deliver("security_scan.completed", { ...organization, ...data }, { id: event_id, occurred_at });
  return { deliver, deliverScan, letters: desk.letters, objects: desk.objects };
}
