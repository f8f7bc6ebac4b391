import * as z from "zod";
import { pageLimits, requestLimits, webhookLimits } from "../limits.ts";
import { noLegacyKey, operation } from "../operation.ts";
import {
  choice,
  idempotencyKey,
  organizationSelector,
  pageParameters,
  text,
  uuidParameter,
  visibleText,
} from "../parameters.ts";
import { pageAnswer, pageWords } from "../records.ts";
import {
  deliveryRecord,
  webhookRecord,
  webhookTestResult,
  webhookWithSecret,
  webhookWords,
} from "../records-webhooks.ts";
import { webhookTypes } from "../webhooks.ts";

const { urlCharactersMax, descriptionCharactersMax, perScopeMax, rotationGraceMs, deliveryDays } =
  webhookLimits;
const { deliveries } = pageLimits;
const repeatMinutes = requestLimits.idempotencyMs / 60_000;

const withSecrets = ["webhook", "webhookSecrets", "webhookKey"] as const;
const shared = {
  tag: "Webhooks",
  keys: noLegacyKey,
  plan: "enterprise",
  needs: "admin",
  organization: "optional",
  instanceScope: "authorized",
} as const;
const reading = {
  ...shared,
  only: "webhooks:read",
  rateLimit: { bucket: "webhooks", requestsMax: 60, windowSeconds: 60, owner: "quota" },
} as const;
const writing = {
  ...shared,
  only: "webhooks:write",
  rateLimit: { bucket: "webhooks-write", requestsMax: 10, windowSeconds: 60, owner: "quota" },
} as const;

const query = z.strictObject({ ...organizationSelector });
const pathParameters = z.strictObject({
  webhook_id: uuidParameter("must be the id of a webhook, as GET /v1/webhooks shows it").describe(
    "The webhook's id, as `GET /v1/webhooks` shows it.",
  ),
});
const fields = {
  url: visibleText(1, urlCharactersMax).describe(webhookWords.url),
  types: z
    .array(choice(webhookTypes), { error: "must be an array of types" })
    .min(1, { error: "must have at least one type" })
    .max(webhookTypes.length, { error: `must have at most ${webhookTypes.length} types` })
    .transform((types) => webhookTypes.filter((type) => types.includes(type)))
    .meta({
      override: {
        type: "array",
        items: { type: "string", enum: [...webhookTypes] },
        minItems: 1,
        maxItems: webhookTypes.length,
      },
    })
    .describe(webhookWords.types),
  description: text(0, descriptionCharactersMax).nullable().optional().describe(webhookWords.description),
};
const repeatable = {
  idempotency_key: idempotencyKey.describe(
    "A UUID of your own. The same key and the same request again, within 15 minutes, return what the first request made.",
  ),
};

export const createWebhook = operation({
  ...writing,
  id: "createWebhook",
  source: "webhooks/create",
  method: "POST",
  path: "/v1/webhooks",
  summary: "Create a webhook",
  description:
    "The service sends a signed POST (Standard Webhooks) when there is new data. A delivery carries no records: the receiver " +
    "reads what is new with its cursor, so an outage of any length leaves no gap. The response shows the secret, once. A workspace token " +
    `without \`org_id\` creates a webhook of the whole workspace. A scope has at most ${perScopeMax} webhooks. If the ` +
    `response was lost, repeat the request with the same \`idempotency_key\`: for ${repeatMinutes} minutes it returns ` +
    "the same webhook and secret.",
  query,
  body: z.strictObject({ ...fields, ...repeatable, ...organizationSelector }),
  answer: { status: 201, description: "The webhook, with its secret", schema: webhookWithSecret },
  reads: { get: [...withSecrets, "once"], getMany: withSecrets },
  writes: { put: [...withSecrets, "once"], update: withSecrets, rights: ["webhook"] },
  errors: ["WEBHOOK_LIMIT_REACHED", "WEBHOOK_EXISTS"],
});

export const listWebhooks = operation({
  ...reading,
  id: "listWebhooks",
  source: "webhooks/list",
  method: "GET",
  path: "/v1/webhooks",
  summary: "List the webhooks of the scope, without their secrets",
  description:
    "A key of one organization sees the webhooks of that organization. A workspace token sees the webhooks of the whole " +
    "workspace, or of the organization that `org_id` names.",
  query,
  answer: pageAnswer("All webhooks of the scope", { data: z.array(webhookRecord).describe(pageWords) }),
  reads: { query: ["webhook"] },
});

export const getWebhook = operation({
  ...reading,
  id: "getWebhook",
  source: "webhooks/get",
  method: "GET",
  path: "/v1/webhooks/{webhook_id}",
  summary: "Read a webhook",
  description: "Without its secret.",
  pathParameters,
  query,
  answer: { status: 200, description: "The webhook", schema: webhookRecord },
  reads: { get: ["webhook"] },
  errors: ["WEBHOOK_NOT_FOUND"],
});

export const updateWebhook = operation({
  ...writing,
  id: "updateWebhook",
  source: "webhooks/update",
  method: "PATCH",
  path: "/v1/webhooks/{webhook_id}",
  summary: "Change a webhook, or switch it on or off",
  description:
    "Fields that are not sent stay as they are. A webhook that is switched on gets one delivery of every type but " +
    "webhook.disabled, because its receiver may have missed some.",
  pathParameters,
  query,
  body: z.strictObject({
    url: fields.url.optional(),
    types: fields.types.optional(),
    description: fields.description,
    active: z.boolean({ error: "must be true or false" }).optional().describe(webhookWords.active),
    ...organizationSelector,
  }),
  answer: { status: 200, description: "The webhook", schema: webhookRecord },
  reads: { get: ["webhook"] },
  writes: { update: ["webhook"] },
  errors: ["WEBHOOK_NOT_FOUND"],
});

export const deleteWebhook = operation({
  ...writing,
  id: "deleteWebhook",
  source: "webhooks/delete",
  method: "DELETE",
  path: "/v1/webhooks/{webhook_id}",
  summary: "Delete a webhook",
  description: "The service sends no further deliveries. A delivery that is being sent may still arrive.",
  pathParameters,
  query,
  answer: { status: 204, description: "The webhook is deleted" },
  reads: { get: ["webhook"] },
  writes: { update: ["webhook", "webhookSecrets"], delete: ["webhook", "webhookSecrets"] },
  errors: ["WEBHOOK_NOT_FOUND"],
});

export const rotateWebhook = operation({
  ...writing,
  id: "rotateWebhook",
  source: "webhooks/rotate",
  method: "POST",
  path: "/v1/webhooks/{webhook_id}/rotate",
  summary: "Replace the secret of a webhook",
  description:
    `The response shows the new secret, once. Both secrets sign every delivery for ${rotationGraceMs / 3_600_000} hours; then ` +
    "only the new one. If the response was lost, repeat the request with the same `idempotency_key`: for " +
    `${repeatMinutes} minutes it returns the same secret.`,
  pathParameters,
  query,
  body: query.extend(repeatable),
  bodyOptional: true,
  answer: { status: 201, description: "The webhook, with its new secret", schema: webhookWithSecret },
  reads: { get: ["once"], getMany: withSecrets },
  writes: { put: ["webhookSecrets", "once"] },
  errors: ["WEBHOOK_NOT_FOUND"],
});

export const testWebhook = operation({
  ...writing,
  id: "testWebhook",
  source: "webhooks/test",
  method: "POST",
  path: "/v1/webhooks/{webhook_id}/test",
  summary: "Send a delivery of type ping now",
  description:
    "Returns what came back. Works also with a webhook that is not active. After a 2xx the service sends every delivery that " +
    "waits within a minute.",
  pathParameters,
  query,
  body: query,
  bodyOptional: true,
  answer: { status: 200, description: "What the receiver returned", schema: webhookTestResult },
  reads: { getMany: withSecrets },
  writes: { put: ["delivery"], update: ["webhook"], alone: true },
  errors: ["WEBHOOK_NOT_FOUND"],
});

export const listWebhookDeliveries = operation({
  ...reading,
  id: "listWebhookDeliveries",
  source: "webhooks/deliveries",
  method: "GET",
  path: "/v1/webhooks/{webhook_id}/deliveries",
  summary: "List what was sent to a webhook",
  description: `The deliveries and tests of the last ${deliveryDays} days with their attempts, the newest attempt first.`,
  pathParameters,
  query: query.extend(pageParameters(deliveries)),
  answer: pageAnswer("One page of deliveries", { data: z.array(deliveryRecord).describe(pageWords) }),
  paging: { bindsPageSize: false, resumable: false, defaultSize: deliveries.default },
  reads: { get: ["webhook", "delivery"], query: ["webhook", "delivery"] },
  errors: ["WEBHOOK_NOT_FOUND"],
});

/** In the order of the reference. */
export const webhookOperations = [
  createWebhook,
  listWebhooks,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhook,
  testWebhook,
  listWebhookDeliveries,
] as const;
