import { listWebhookDeliveries as operation } from "../../lib/contract/operations/webhooks.ts";
import { createHandler } from "../../lib/http/create-handler.ts";
import { positionText } from "../../lib/http/cursors.ts";
import { listDeliveries } from "../../lib/webhooks/deliveries.ts";
import { readWebhook, webhookScopeOf } from "../../lib/webhooks/scope.ts";

export const handler = createHandler(operation, async (call) => {
  const { paging, table } = call;
  const scope = webhookScopeOf(call);
  const webhook = await readWebhook(table, scope, call.input.path.webhook_id);
  const page = { after: positionText(paging), limit: paging.pageSize, only: scope.only };
  const { records, next } = await listDeliveries({ table, nowMs: call.clock.nowMs() }, webhook, page);
  return { json: { data: records, next_cursor: next === null ? null : paging.next(next) } };
});
