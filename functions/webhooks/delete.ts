import { deleteWebhook as operation } from "../../lib/contract/operations/webhooks.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { deleteWebhook } from "../../lib/webhooks/manage.ts";
import { webhookScopeOf } from "../../lib/webhooks/scope.ts";

export const handler = createHandler(operation, async (call) => {
  await deleteWebhook(call, webhookScopeOf(call), call.input.path.webhook_id);
  return { empty: true };
});
