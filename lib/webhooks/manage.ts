import type { AuditedContext } from "../audit/entry.ts";
import { ApiError } from "../contract/api-error.ts";
import * as kinds from "../contract/items.ts";
import { webhookLimits } from "../contract/limits.ts";
import type { WebhookType } from "../contract/webhooks.ts";
import { toTimestamp } from "../runtime/clock.ts";
import { required } from "../runtime/required.ts";
import { parseWebhookSecrets, type WebhookItem } from "../store/items/webhook.ts";
import { retryOnConflict } from "../store/retry-on-conflict.ts";
import { TransactionRefused } from "../store/table.ts";
import { AddressRefused, checkReceiver, type Network } from "./addresses.ts";
import { markAt } from "./marks.ts";
import { webhookEntry } from "./record.ts";
import { keyOfWebhook, readWebhook, requireReach, shardOf, type WebhookScope } from "./scope.ts";
import { newSecret, readOrMakeSealingKey, sealingKeyOf, validSecrets, withNewSecret } from "./secrets.ts";
import { type Attempt, send } from "./send.ts";
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
  { url, types, description }: WebhookFields,
): Promise<WebhookWithSecret> {
  const { table, random, clock } = manager;
  const [key] = await Promise.all([readOrMakeSealingKey(table, random), requireAllowed(manager, url)]);
  const nowMs = clock.nowMs();
  const id = random.uuid();
  const secret = newSecret(random);
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
      {
        update: kinds.webhookCount.key({ shard: shardOf(scope.owner), tenant: scope.owner }),
        change: { add: [["count", 1]] },
        when: { any: [{ absent: "count" }, { below: ["count", perScopeMax] }] },
      },
      { put: webhook, when: { absent: "pk" } },
      { put: withNewSecret({ key, random, nowMs }, id, secret), when: { absent: "pk" } },
      ...webhookEntry(manager, scope, "webhook.created", webhook, { after: webhook }),
    ]);
  } catch (error) {
    if (!(error instanceof TransactionRefused)) throw error;
    throw new ApiError(
      "WEBHOOK_LIMIT_REACHED",
      `This scope has ${perScopeMax} webhooks, which is the maximum. Delete one first.`,
    );
  }
  return { webhook, secret };
}

/** A new webhook rings once for every dataset, so that its receiver begins; it is told of no keys or scans of before. */
const freshMarks = (nowMs: number): WebhookItem["rung"] =>
  Object.fromEntries(
    (["learning.pending", "security.scan_completed", "key.expiring", "webhook.disabled"] as const).map(
      (type) => [type, markAt(nowMs)],
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
  if (url !== undefined) await requireAllowed(manager, url);
  return await retryOnConflict(manager, async () => {
    const before = await readWebhook(manager.table, scope, id);
    const isActive = before.disabled_reason === null;
    const { disabled_at_ms: _, ...kept } = before;
    const isNew = (active === true && !isActive) || (url !== undefined && url !== before.url);
    const after: WebhookItem = {
      ...(active === true ? kept : before),
      ...(url !== undefined && { url }),
      ...(types !== undefined && { types: [...types] }),
      ...(description !== undefined && { description }),
      ...(active === true && { disabled_reason: null }),
      ...(active === false && isActive && { disabled_reason: "switched_off" }),
      // Whoever was not listening may have missed rings: every type rings, as if it never had. `listWebhooks` shows
      // which webhooks are disabled: to whoever switches one on, it is no news.
      ...(isNew && {
        generation: before.generation + 1,
        rung: { "webhook.disabled": markAt(manager.clock.nowMs()) },
        retries: {},
        failing_since_ms: null,
      }),
    };
    if (JSON.stringify(before) === JSON.stringify(after)) return before;
    await manager.table.transact([
      {
        update: keyOfWebhook(scope, id),
        change: changeTo(after, isNew),
        // The entry records what was there before. The worker changes other attributes meanwhile.
        when: {
          all: [
            { equals: ["generation", before.generation] },
            { equals: ["url", before.url] },
            { equals: ["types", before.types] },
            { equals: ["description", before.description] },
            { equals: ["disabled_reason", before.disabled_reason] },
          ],
        },
      },
      ...webhookEntry(manager, scope, "webhook.updated", after, { before, after }),
    ]);
    return after;
  });
}

const changeTo = (after: WebhookItem, isNew: boolean) => ({
  set: [
    ["url", after.url] as const,
    ["types", after.types] as const,
    ["description", after.description] as const,
    ["disabled_reason", after.disabled_reason] as const,
    ...(isNew
      ? [
          ["generation", after.generation] as const,
          ["rung", after.rung] as const,
          ["retries", after.retries] as const,
          ["failing_since_ms", after.failing_since_ms] as const,
        ]
      : []),
  ],
  ...(after.disabled_reason === null && { remove: ["disabled_at_ms"] }),
});

export async function deleteWebhook(manager: AuditedContext, scope: WebhookScope, id: string): Promise<void> {
  await retryOnConflict(manager, async () => {
    const webhook = await readWebhook(manager.table, scope, id);
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
): Promise<WebhookWithSecret> {
  const { table, random, clock } = manager;
  return await retryOnConflict(manager, async () => {
    const { webhook, key, secrets } = await readWithSecrets(manager, scope, id);
    const secret = newSecret(random);
    await table.transact([
      {
        put: withNewSecret({ key, random, nowMs: clock.nowMs() }, id, secret, secrets.secrets),
        // Neither rotated by somebody else nor deleted meanwhile: the secrets end with their webhook.
        when: { equals: ["secrets", secrets.secrets] },
      },
      ...webhookEntry(manager, scope, "webhook.rotated", webhook, {}),
    ]);
    return { webhook, secret };
  });
}

/** Sends a ring of type `ping` now. Nothing is recorded. */
export async function testWebhook(manager: Manager, scope: WebhookScope, id: string): Promise<Attempt> {
  const { webhook, key, secrets } = await readWithSecrets(manager, scope, id);
  await manager.admitted;
  const nowMs = manager.clock.nowMs();
  const ring = { id: `ping_${manager.random.uuid()}`, type: "ping", data: {} } as const;
  return await send(manager, webhook.url, signRing(ring, validSecrets(key, id, secrets, nowMs), nowMs));
}

async function readWithSecrets({ table }: Pick<AuditedContext, "table">, scope: WebhookScope, id: string) {
  const keys = [keyOfWebhook(scope, id), kinds.webhookKey.key(), kinds.webhookSecrets.key({ webhookId: id })];
  const [item, key, secrets] = await table.getMany(keys);
  return {
    webhook: requireReach(scope, item),
    key: sealingKeyOf(key),
    secrets: parseWebhookSecrets(required(secrets, "the secrets of the webhook")),
  };
}
