import { getWebhook as operation } from "../../lib/contract/operations/webhooks.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { toWebhookRecord } from "../../lib/webhooks/record.ts";
import { readWebhook, webhookScopeOf } from "../../lib/webhooks/scope.ts";

export const handler = createHandler(operation, async (call) => {
  const webhook = await readWebhook(call.table, webhookScopeOf(call), call.input.path.webhook_id);
  return { json: toWebhookRecord(webhook, call.clock.nowMs()) };
});
