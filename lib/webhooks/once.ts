import { createHash } from "node:crypto";
import type { AuditedContext } from "../audit/entry.ts";
import * as kinds from "../contract/items.ts";
import { requestLimits } from "../contract/limits.ts";
import { type OnceItem, parseOnce, type WebhookSecretsItem } from "../store/items/webhook.ts";
import type { Key, Put, Table } from "../store/table.ts";
import { ttlAfter } from "../store/ttl.ts";
import { newestNonce } from "./secrets.ts";

/** A request that makes a secret. A caller whose answer was lost repeats it with the same idempotency key. */
export type OnceRequest = { readonly key: Key; readonly digest: string };

/**
 * `operation` names the operation and what it acts on. Without an idempotency key of the caller the request has one of
 * its own, so that its own retries repeat it too.
 */
export const onceRequest = (
  { actor, random }: AuditedContext,
  operation: string,
  idempotencyKey: string = random.uuid(),
  request: object = {},
): OnceRequest => ({
  key: kinds.once.key({
    keyId: actor.keyId ?? "operator",
    request: operation,
    value: idempotencyKey,
  }),
  digest: createHash("sha256").update(JSON.stringify(request)).digest("base64url"),
});

/** What a request with the same key of the caller made, at any time. */
export async function readOnce(table: Table, { key }: OnceRequest): Promise<OnceItem | undefined> {
  const item = await table.get(key);
  return item && parseOnce(item);
}

/** Later the same idempotency key is a new one. */
export const isRepeatable = ({ at_ms }: OnceItem, nowMs: number): boolean =>
  at_ms > nowMs - requestLimits.idempotencyMs;

/** Belongs to the transaction that makes the secret. Its condition fails if the same request was faster. */
export const onceWrite = (
  { key, digest }: OnceRequest,
  before: OnceItem | undefined,
  made: { readonly webhookId: string; readonly secrets: WebhookSecretsItem; readonly nowMs: number },
): Put => ({
  put: {
    ...key,
    at_ms: made.nowMs,
    request: digest,
    webhook_id: made.webhookId,
    nonce: newestNonce(made.secrets),
    ttl: ttlAfter(made.nowMs, 1),
  },
  when: before ? { equals: ["at_ms", before.at_ms] } : { absent: "pk" },
});
