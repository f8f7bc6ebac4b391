import type { AuditedContext } from "../audit/entry.ts";
import { ApiError } from "../contract/api-error.ts";
import * as kinds from "../contract/items.ts";
import { webhookLimits } from "../contract/limits.ts";
import type { WebhookType } from "../contract/webhooks.ts";
import { toTimestamp } from "../runtime/clock.ts";
import { required } from "../runtime/required.ts";
import { type OnceItem, parseWebhookSecrets, type WebhookItem } from "../store/items/webhook.ts";
import { retryOnConflict } from "../store/retry-on-conflict.ts";
import { type Table, TransactionRefused } from "../store/table.ts";
import { AddressRefused, checkReceiver, type Network } from "./addresses.ts";
import { attemptPut } from "./deliveries.ts";
import { isRepeatable, type OnceRequest, onceRequest, onceWrite, readOnce } from "./once.ts";
import { webhookEntry } from "./record.ts";
import { retriesOf, wokenRetries } from "./retries.ts";
import {
  keyOfWebhook,
  readWebhook,
  requireReach,
  requireTypes,
  shardOf,
  type WebhookScope,
} from "./scope.ts";
import {
  newSecret,
  readOrMakeSealingKey,
  sealingKeyOf,
  secretOfNonce,
  validSecrets,
  withNewSecret,
} from "./secrets.ts";
import { type Attempt, isDelivered, send } from "./send.ts";
import { signRing } from "./sign.ts";

export type WebhookFields = {
  readonly url: string;
  readonly types: readonly WebhookType[];
  readonly description: string | null;
};

/** A caller over HTTP. Name servers are asked only after the rate limiter has admitted the call. */
export type Manager = AuditedContext & {
  readonly network: Network;
  readonly admitted: Promise<unknown>;
};

/** A webhook that was just created or rotated. */
export type WebhookWithSecret = { readonly webhook: WebhookItem; readonly secret: string };

export async function createWebhook(
  manager: Manager,
  scope: WebhookScope,
  fields: WebhookFields,
  idempotencyKey?: string,
): Promise<WebhookWithSecret> {
  const { table, random, clock } = manager;
  const { url, types, description } = fields;
  const request = { owner: scope.owner, url, types, description };
  const once = onceRequest(manager, "createWebhook", idempotencyKey, request);
  return await retryOnConflict(manager, async () => {
    const [before, key] = await Promise.all([readOnce(table, once), readOrMakeSealingKey(table, random)]);
    if (before && isRepeatable(before, clock.nowMs()))
      return await madeBefore(table, scope, { before, once, key });
    await requireAllowed(manager, url);
    const nowMs = clock.nowMs();
    const id = random.uuid();
    const secret = newSecret(random);
    const secrets = withNewSecret({ key, random, nowMs }, id, secret);
    const webhook: WebhookItem = {
      ...keyOfWebhook(scope, id),
      id,
      owner: scope.owner,
      authorized: scope.authorized && [...scope.authorized],
      url,
      types: [...types],
      description,
      created_at: toTimestamp(nowMs),
      disabled_reason: null,
      generation: 1,
      rung: freshMarks(nowMs),
      retries: {},
      last_success_at: null,
      last_failure_at: null,
      failing_since_ms: null,
    };
    const { perScopeMax } = webhookLimits;
    try {
      await table.transact([
        onceWrite(once, before, { webhookId: id, secrets, nowMs }),
        {
          update: kinds.webhookCount.key({ shard: shardOf(scope.owner), tenant: scope.owner }),
          change: { add: [["count", 1]] },
          when: { any: [{ absent: "count" }, { below: ["count", perScopeMax] }] },
        },
        { put: webhook },
        { put: secrets },
        ...webhookEntry(manager, scope, "webhook.created", webhook, { after: webhook }),
      ]);
    } catch (error) {
      const [isRepeated, isFull] =
        error instanceof TransactionRefused ? error.refusals.map(({ refused }) => refused) : [];
      if (isRepeated || !isFull) throw error;
      throw new ApiError(
        "WEBHOOK_LIMIT_REACHED",
        `This scope has ${perScopeMax} webhooks, which is the maximum. Delete one first.`,
      );
    }
    return { webhook, secret };
  });
}

/** The webhook as it is now, with the secret of the request that made it. */
async function madeBefore(
  table: Table,
  scope: WebhookScope,
  { before, once, key }: { readonly before: OnceItem; readonly once: OnceRequest; readonly key: Uint8Array },
): Promise<WebhookWithSecret> {
  if (before.request !== once.digest) throw keyTaken("your key sent it with another request a moment ago");
  const { webhook_id: id, nonce } = before;
  const [item, secrets] = await table.getMany([
    keyOfWebhook(scope, id),
    kinds.webhookSecrets.key({ webhookId: id }),
  ]);
  const secret = secrets && secretOfNonce(key, id, parseWebhookSecrets(secrets), nonce);
  if (!item || !secret) throw keyTaken(`webhook ${id}, which it made, was deleted or rotated since`);
  return { webhook: requireReach(scope, item), secret };
}

const keyTaken = (why: string) =>
  new ApiError("WEBHOOK_EXISTS", `idempotency_key: ${why}. Send another idempotency_key.`);

/** A new webhook rings once for every dataset, so that its receiver begins; it is told of no keys or scans of before. */
const freshMarks = (nowMs: number): WebhookItem["rung"] =>
  Object.fromEntries(
    (["learning.pending", "security.scan_completed", "key.expiring", "webhook.disabled"] as const).map(
      (type) => [type, toTimestamp(nowMs)],
    ),
  );

async function requireAllowed({ network, admitted }: Manager, url: string): Promise<void> {
  await admitted;
  try {
    await checkReceiver(url, network);
  } catch (error) {
    if (error instanceof AddressRefused) throw new ApiError("INVALID_REQUEST", `url: ${error.message}.`);
    throw error;
  }
}

export type WebhookChanges = { readonly [Name in keyof WebhookFields]?: WebhookFields[Name] | undefined } & {
  readonly active?: boolean | undefined;
};

export async function updateWebhook(
  manager: Manager,
  scope: WebhookScope,
  id: string,
  { active, url, types, description }: WebhookChanges,
): Promise<WebhookItem> {
  return await retryOnConflict(manager, async (attempt) => {
    const before = await readWebhook(manager.table, scope, id);
    requireTypes(scope, [...before.types, ...(types ?? [])]);
    if (url !== undefined && attempt === 0) await requireAllowed(manager, url);
    const isActive = before.disabled_reason === null;
    const isNew = (active === true && !isActive) || (url !== undefined && url !== before.url);
    const after: WebhookItem = {
      ...before,
      ...(url !== undefined && { url }),
      ...(types !== undefined && { types: [...types] }),
      ...(description !== undefined && { description }),
      ...(active === true && { disabled_reason: null }),
      ...(active === false && isActive && { disabled_reason: "switched_off" }),
      // Whoever was not listening may have missed rings: every type rings, as if it never had. `listWebhooks` shows
      // which webhooks are disabled: to whoever switches one on, it is no news.
      ...(isNew && {
        generation: before.generation + 1,
        rung: { "webhook.disabled": toTimestamp(manager.clock.nowMs()) },
      }),
      retries: isNew ? {} : retriesOf(types ?? before.types, before.retries),
    };
    if (JSON.stringify(before) === JSON.stringify(after)) return before;
    // The entry records what was there before. The worker changes other attributes meanwhile.
    const written = isNew ? ([...changeable, "generation", "rung"] as const) : changeable;
    const read = [...changeable, "generation"] as const;
    await manager.table.transact([
      {
        update: keyOfWebhook(scope, id),
        change: { set: written.map((name) => [name, after[name]] as const) },
        when: { all: read.map((name) => ({ equals: [name, before[name]] as const })) },
      },
      ...webhookEntry(manager, scope, "webhook.updated", after, { before, after }),
    ]);
    return after;
  });
}

const changeable = ["url", "types", "description", "disabled_reason", "retries"] as const;

export async function deleteWebhook(manager: AuditedContext, scope: WebhookScope, id: string): Promise<void> {
  await retryOnConflict(manager, async () => {
    const webhook = await readWebhook(manager.table, scope, id);
    requireTypes(scope, webhook.types);
    await manager.table.transact([
      { delete: keyOfWebhook(scope, id), when: { equals: ["generation", webhook.generation] } },
      { delete: kinds.webhookSecrets.key({ webhookId: id }) },
      {
        update: kinds.webhookCount.key({ shard: shardOf(scope.owner), tenant: scope.owner }),
        change: { add: [["count", -1]] },
      },
      ...webhookEntry(manager, scope, "webhook.deleted", webhook, { before: webhook }),
    ]);
  });
}

export async function rotateWebhook(
  manager: AuditedContext,
  scope: WebhookScope,
  id: string,
  idempotencyKey?: string,
): Promise<WebhookWithSecret> {
  const { table, random, clock } = manager;
  const once = onceRequest(manager, `rotateWebhook/${id}`, idempotencyKey);
  return await retryOnConflict(manager, async () => {
    const [before, { webhook, key, secrets }] = await Promise.all([
      readOnce(table, once),
      readWithSecrets(manager, scope, id),
    ]);
    const nowMs = clock.nowMs();
    const isRepeat = before && isRepeatable(before, nowMs);
    const known = isRepeat && secretOfNonce(key, id, secrets, before.nonce);
    if (known) return { webhook, secret: known };
    const secret = newSecret(random);
    const after = withNewSecret({ key, random, nowMs }, id, secret, secrets.secrets);
    await table.transact([
      // Neither rotated by somebody else nor deleted meanwhile: the secrets end with their webhook.
      { put: after, when: { equals: ["secrets", secrets.secrets] } },
      onceWrite(once, before, { webhookId: id, secrets: after, nowMs }),
      ...webhookEntry(manager, scope, "webhook.rotated", webhook, {}),
    ]);
    return { webhook, secret };
  });
}

/** Sends a ring of type `ping` now. One that the receiver takes is a success, and makes every ring that waits due. */
export async function testWebhook(manager: Manager, scope: WebhookScope, id: string): Promise<Attempt> {
  const { webhook, key, secrets } = await readWithSecrets(manager, scope, id);
  await manager.admitted;
  const nowMs = manager.clock.nowMs();
  const ring = { id: `ping_${manager.random.uuid()}`, type: "ping", data: {} } as const;
  const message = signRing(ring, validSecrets(key, id, secrets, nowMs), nowMs);
  const attempt = await send(manager, webhook.url, message);
  await manager.table.write(attemptPut(webhook, { ring, message, attempt, atMs: nowMs }));
  if (isDelivered(attempt)) await recordSuccess(manager, scope, webhook);
  return attempt;
}

async function recordSuccess(manager: Manager, scope: WebhookScope, webhook: WebhookItem): Promise<void> {
  await retryOnConflict(manager, async (attempt) => {
    const { id, retries } =
      attempt === 0 ? webhook : (await readWithSecrets(manager, scope, webhook.id)).webhook;
    const nowMs = manager.clock.nowMs();
    const due = wokenRetries(retries, nowMs, true);
    const change = { set: [["retries", due] as const, ["last_success_at", toTimestamp(nowMs)] as const] };
    const when = { equals: ["retries", retries] } as const;
    await manager.table.write({ update: keyOfWebhook(scope, id), change, when }, { idempotent: true });
  });
}

async function readWithSecrets({ table }: Pick<AuditedContext, "table">, scope: WebhookScope, id: string) {
  const keys = [keyOfWebhook(scope, id), kinds.webhookKey.key(), kinds.webhookSecrets.key({ webhookId: id })];
  const [item, key, secrets] = await table.getMany(keys);
  const webhook = requireReach(scope, item);
  requireTypes(scope, webhook.types);
  return {
    webhook,
    key: sealingKeyOf(key),
    secrets: parseWebhookSecrets(required(secrets, "the secrets of the webhook")),
  };
}
