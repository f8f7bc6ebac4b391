import { ingest } from "../../lib/events/ingest.ts";
import type { Table } from "../../lib/store/table.ts";
import { createIngestHarness, toMessages } from "../events/support.ts";
import type { OrganizationId } from "../support/world.ts";
import type { ScanData } from "./support.ts";

/** The platform's delivery path: events become messages, large events go through a bucket, the worker gets messages. */
export function createDelivery(table: Table) {
  const harness = createIngestHarness(table);
  const deliver = async (type: string, data: object, head: { id: string; occurred_at: string }) =>
    await ingest(harness, await toMessages(harness, [{ ...head, type, data }]));
  const deliverScan = ({ event_id, occurred_at, ...data }: ScanData, organization: OrganizationId) =>
    deliver("security_scan.completed", { ...organization, ...data }, { id: event_id, occurred_at });
  return { deliver, deliverScan, letters: harness.letters, objects: harness.objects };
}
