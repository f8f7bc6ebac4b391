import { rotateWebhook as operation } from "../../lib/contract/operations/webhooks.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { rotateWebhook } from "../../lib/webhooks/manage.ts";
import { toWebhookRecord } from "../../lib/webhooks/record.ts";
import { webhookScopeOf } from "../../lib/webhooks/scope.ts";

export const handler = createHandler(operation, async (call) => {
  const { webhook, secret } = await rotateWebhook(call, webhookScopeOf(call), call.input.path.webhook_id);
  return { json: { secret, ...toWebhookRecord(webhook) } };
});
