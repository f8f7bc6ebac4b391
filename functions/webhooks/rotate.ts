import { rotateWebhook as operation } from "../../lib/contract/operations/webhooks.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { rotateWebhook } from "../../lib/webhooks/manage.ts";
import { toWebhookRecord } from "../../lib/webhooks/record.ts";
import { webhookScopeOf } from "../../lib/webhooks/scope.ts";

export const handler = createHandler(operation, async (call) => {
  const { path, body } = call.input;
  const scope = webhookScopeOf(call);
  const { webhook, secret } = await rotateWebhook(call, scope, path.webhook_id, body.idempotency_key);
  return { json: { secret, ...toWebhookRecord(webhook, call.clock.nowMs()) } };
});
