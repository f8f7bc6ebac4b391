import { listWebhooks as operation } from "../../lib/contract/operations/webhooks.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { toWebhookRecord } from "../../lib/webhooks/record.ts";
import { readWebhooks, webhookScopeOf } from "../../lib/webhooks/scope.ts";

export const handler = createHandler(operation, async (call) => {
  const webhooks = await readWebhooks(call.table, webhookScopeOf(call));
  const nowMs = call.clock.nowMs();
  return { json: { data: webhooks.map((webhook) => toWebhookRecord(webhook, nowMs)), next_cursor: null } };
});
