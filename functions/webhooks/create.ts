import { createWebhook as operation } from "../../lib/contract/operations/webhooks.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { systemNetwork } from "../../lib/webhooks/addresses.ts";
import { createWebhook } from "../../lib/webhooks/manage.ts";
import { toWebhookRecord } from "../../lib/webhooks/record.ts";
import { requireTypes, webhookScopeOf } from "../../lib/webhooks/scope.ts";

export const handler = createHandler(
  operation,
  async (call) => {
    const { url, types, description = null, idempotency_key } = call.input.body;
    const manager = { ...call, network: systemNetwork() };
    const fields = { url, types, description };
    const { webhook, secret } = await createWebhook(manager, webhookScopeOf(call), fields, idempotency_key);
    return { json: { secret, ...toWebhookRecord(webhook, call.clock.nowMs()) } };
  },
  { permit: (call) => requireTypes(webhookScopeOf(call), call.input.body.types) },
);
