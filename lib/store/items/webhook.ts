import * as z from "zod";
import { disabledReasons, webhookTypes } from "../../contract/webhooks.ts";
import { itemSchema, parseItem, tenantKeySchema } from "./parse.ts";

const webhookItem = itemSchema({
  id: z.string(),
  /** The organization (`o#…`), or the whole workspace or instance. */
  owner: tenantKeySchema,
  /** The organizations (UUIDs) of the instance key that created it; null means all of the owner. */
  authorized: z.array(z.string()).nullable(),
  url: z.string(),
  types: z.array(z.enum(webhookTypes)),
  description: z.string().nullable(),
  created_at: z.string(),
  /** Null while it is active. */
  disabled_reason: z.enum(disabledReasons).nullable(),
  /** Grows when it is switched on or gets another URL: the result of an attempt from before is not recorded. */
  generation: z.number(),
  /** By type: what the last delivered ring was about. A type without a mark rings. */
  rung: z.record(z.string(), z.string()),
  /** By type: the attempts of a ring that is not delivered yet. */
  retries: z.record(
    z.string(),
    z
      .object({
        failures: z.number(),
        /** The first of these failures; absent if the last release wrote it. */
        since_ms: z.number().optional(),
        due_ms: z.number(),
        /** A success made it due since its type was last delivered. */
        woken: z.boolean().optional(),
        id: z.string(),
        /** Its place among the deliveries. */
        place: z.string(),
        mark: z.string(),
      })
      // Writers compare the retries that they read with those that are stored: no field may get lost.
      .catchall(z.union([z.string(), z.number(), z.boolean()]).optional()),
  ),
  /** By type: when its last attempt began. */
  tried_ms: z.record(z.string(), z.number()).optional(),
  /** Types with news for which the last run had no time. */
  postponed: z.array(z.enum(webhookTypes)).optional(),
  last_success_at: z.string().nullable(),
  last_failure_at: z.string().nullable(),
  /** The last release needs it. */
  failing_since_ms: z.number().nullable().optional(),
});

export type WebhookItem = z.output<typeof webhookItem>;
export const parseWebhook = parseItem("webhook", webhookItem);

const webhookSecretsItem = itemSchema({
  /** Newest first; an older one signs until its time is over. */
  secrets: z.array(z.object({ sealed: z.string(), until_ms: z.number().nullable() })),
});
export type WebhookSecretsItem = z.output<typeof webhookSecretsItem>;
export const parseWebhookSecrets = parseItem("secrets of a webhook", webhookSecretsItem);

/** What a request with an idempotency key made, for a caller who repeats the request. */
const onceItem = itemSchema({
  at_ms: z.number(),
  /** Digest of the request. */
  request: z.string(),
  webhook_id: z.string(),
  /** Of the secret, among the secrets of the webhook. */
  nonce: z.string(),
  ttl: z.number(),
});
export type OnceItem = z.output<typeof onceItem>;
export const parseOnce = parseItem("request made once", onceItem);

const attempt = { at: z.string(), status: z.number().nullable(), ms: z.number(), answer: z.string() };
const deliveryItem = itemSchema({
  id: z.string(),
  type: z.enum([...webhookTypes, "ping"]),
  ...attempt,
  /** The attempts before, oldest first. */
  earlier: z.array(z.object(attempt)).optional(),
  /** Of the last attempt, without the signature; absent if the last release sent it. */
  request: z.object({ headers: z.record(z.string(), z.string()), body: z.string() }).optional(),
  ttl: z.number(),
});
export type DeliveryItem = z.output<typeof deliveryItem>;
export const parseDelivery = parseItem("attempt of a delivery", deliveryItem);

const newsItem = itemSchema({
  type: z.enum(webhookTypes),
  /** The tenant that has a copy of it; absent in a note of the last release, which has no copy under its organization. */
  tenant: tenantKeySchema.optional(),
  /** UUID of the organization; null in a note about a tenant. */
  organization: z.string().nullable(),
  /** The organizations (UUIDs) that a key or a webhook of the tenant reaches; absent: all. */
  authorized: z.array(z.string()).optional(),
  /** Of the Learning, the repository, the key or the webhook. */
  id: z.string(),
  /** Of a key. */
  expires_at: z.string().optional(),
  ttl: z.number(),
});
export type NewsItem = z.output<typeof newsItem>;
export const parseNews = parseItem("news for webhooks", newsItem);
