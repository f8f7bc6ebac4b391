import { updateWebhook as operation } from "../../lib/contract/operations/webhooks.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { systemNetwork } from "../../lib/webhooks/addresses.ts";
import { updateWebhook } from "../../lib/webhooks/manage.ts";
import { toWebhookRecord } from "../../lib/webhooks/record.ts";
import { requireTypes, webhookScopeOf } from "../../lib/webhooks/scope.ts";

export const handler = createHandler(
  operation,
  async (call) => {
    const { body, path } = call.input;
    const manager = { ...call, network: systemNetwork() };
    const webhook = await updateWebhook(manager, webhookScopeOf(call), path.webhook_id, body);
    return { json: toWebhookRecord(webhook, call.clock.nowMs()) };
  },
  { permit: (call) => requireTypes(webhookScopeOf(call), call.input.body.types ?? []) },
);
