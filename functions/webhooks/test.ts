import { testWebhook as operation } from "../../lib/contract/operations/webhooks.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { systemNetwork } from "../../lib/webhooks/addresses.ts";
import { testWebhook } from "../../lib/webhooks/manage.ts";
import { webhookScopeOf } from "../../lib/webhooks/scope.ts";

export const handler = createHandler(operation, async (call) => {
  const manager = { ...call, network: systemNetwork() };
  return { json: await testWebhook(manager, webhookScopeOf(call), call.input.path.webhook_id) };
});
