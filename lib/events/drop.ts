import { type AuditEvent, type AuditedContext, auditWritesFor } from "../audit/entry.ts";
import { organizationUuid } from "../contract/identity.ts";
import * as kinds from "../contract/items.ts";
import { type OrganizationItem, parseOrganization } from "../store/items/organization.ts";
import { type Put, type Table, transactIf } from "../store/table.ts";
import { EventRefused, type PlatformEvent, readMessage, readReferenced } from "./envelope.ts";
import type { EventBucket } from "./ports.ts";
import { redact } from "./redact-message.ts";
import { organizationNameSchema } from "./schemas.ts";
import { stopWaitingWrites } from "./waiting.ts";
import type { WaitingEvent } from "./waiting-list.ts";

type Context = AuditedContext & { readonly bucket: EventBucket };
type Message = { readonly id: string; readonly type: string | null; readonly body: string };
export type DropOutcome = {
  /** False if the event was applied or became a dead letter meanwhile. */
  readonly isDropped: boolean;
  /** False if the organization of the event is not known: then no log of an organization can show it. */
  readonly isAudited: boolean;
};

/** Removes a waiting event and writes its audit entry, in one transaction. */
export async function dropWaiting(
  context: Context,
  { row, item }: WaitingEvent,
  message: Message,
): Promise<DropOutcome> {
  const entry = await entryOf(context, message, `it waited for the ${row.label}`, {
    state: "waiting",
    waited_for: row.label,
    since: row.since,
  });
  const isDropped = await transactIf(context.table, [...stopWaitingWrites(item), ...entry]);
  return { isDropped, isAudited: entry.length > 0 };
}

/** The queue has no transactions with the table: the entry comes first, so that nothing disappears without one. */
export async function dropFailed(
  context: Context,
  { reason, failedAt, ...message }: Message & { readonly reason: string; readonly failedAt: string | null },
  remove: () => Promise<void>,
): Promise<DropOutcome> {
  const entry = await entryOf(context, message, "it had failed", {
    state: "failed",
    reason: redact(reason).text,
    failed_at: failedAt,
  });
  if (entry.length > 0) await context.table.transact(entry);
  await remove();
  return { isDropped: true, isAudited: entry.length > 0 };
}

async function entryOf(
  context: Context,
  { id, type, body }: Message,
  why: string,
  metadata: AuditEvent["metadata"],
): Promise<Put[]> {
  const organization = await organizationOf(context, body);
  if (!organization) return [];
  return auditWritesFor(context, {
    action: "event.dropped",
    resourceType: "event",
    resourceId: id,
    summary: `platform event dropped: ${type ?? "unknown type"}, ${why}`,
    tenant: organization.tenant,
    organization,
    metadata: { event_type: type, ...metadata },
  });
}

/** The organization that the event names, if the service knows it. */
async function organizationOf(
  { table, bucket }: { readonly table: Table; readonly bucket: EventBucket },
  body: string,
): Promise<OrganizationItem | undefined> {
  const event = await eventIn(bucket, body);
  const name = organizationNameSchema.safeParse(event?.data);
  const item =
    name.success && (await table.get(kinds.organization.key({ organization: organizationUuid(name.data) })));
  return item ? parseOrganization(item) : undefined;
}

async function eventIn(bucket: EventBucket, body: string): Promise<PlatformEvent | undefined> {
  try {
    const message = readMessage(body);
    if ("data" in message) return message;
    const content = await bucket.get(message.reference);
    return content && readReferenced(message, content);
  } catch (error) {
    if (error instanceof EventRefused) return undefined;
    throw error;
  }
}
