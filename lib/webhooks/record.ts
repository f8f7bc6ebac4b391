import type * as z from "zod";
import { type AuditEvent, type AuditedContext, auditWritesFor } from "../audit/entry.ts";
import type { AuditAction } from "../contract/audit.ts";
import type { webhookRecord } from "../contract/records-webhooks.ts";
import type { WebhookItem } from "../store/items/webhook.ts";
import type { AttributeValue, Put } from "../store/table.ts";
import { nextAttemptAt } from "./retries.ts";
import type { WebhookScope } from "./scope.ts";

export const toWebhookRecord = (webhook: WebhookItem, nowMs: number): z.output<typeof webhookRecord> => ({
  id: webhook.id,
  url: webhook.url,
  types: webhook.types,
  description: webhook.description,
  active: webhook.disabled_reason === null,
  created_at: webhook.created_at,
  last_success_at: webhook.last_success_at,
  last_failure_at: webhook.last_failure_at,
  disabled_reason: webhook.disabled_reason,
  next_attempt_at: nextAttemptAt(webhook, nowMs),
});

/** Fields that a request can change, as the audit log shows them: a query may hold a secret, so URLs come without. */
const recordedFields = (webhook: WebhookItem) => ({
  url: urlWithoutQuery(webhook.url),
  types: webhook.types,
  description: webhook.description,
  active: webhook.disabled_reason === null,
});

function urlWithoutQuery(text: string): string {
  const url = new URL(text);
  return `${url.origin}${url.pathname}`;
}

type Change = { readonly before?: WebhookItem; readonly after?: WebhookItem };

/** What changed, before and after. */
function changesOf({ before, after }: Change): { readonly [name: string]: AttributeValue } {
  const old = before && recordedFields(before);
  const fresh = after && recordedFields(after);
  if (!old || !fresh) return { ...(old && { before: old }), ...(fresh && { after: fresh }) };
  const names = (["url", "types", "description", "active"] as const).filter(
    (name) => JSON.stringify(old[name]) !== JSON.stringify(fresh[name]),
  );
  const pick = (fields: typeof old) => Object.fromEntries(names.map((name) => [name, fields[name]]));
  return { before: pick(old), after: pick(fresh) };
}

export type WebhookAction = Extract<AuditAction, `webhook.${string}`>;

export const webhookEvent = (
  { tenant, organization }: Pick<WebhookScope, "tenant" | "organization">,
  action: WebhookAction,
  { id, url }: WebhookItem,
  metadata: AuditEvent["metadata"],
): AuditEvent => ({
  action,
  resourceType: "webhook",
  resourceId: id,
  summary: `${action.replace(".", " ")}: ${urlWithoutQuery(url)}`,
  tenant,
  organization,
  metadata,
});

export const webhookEntry = (
  context: AuditedContext,
  scope: WebhookScope,
  action: WebhookAction,
  webhook: WebhookItem,
  change: Change,
): Put[] => auditWritesFor(context, webhookEvent(scope, action, webhook, changesOf(change)));
