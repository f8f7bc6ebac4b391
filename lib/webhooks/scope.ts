import type { OperationContext } from "../access/operation-context.ts";
import { keyLimited } from "../access/policy.ts";
import { coversSeveral, onlyOrganization } from "../access/scope.ts";
import { ApiError } from "../contract/api-error.ts";
import * as kinds from "../contract/items.ts";
import { isOf } from "../contract/kind.ts";
import { webhookLimits } from "../contract/limits.ts";
import { isWithinOnly } from "../contract/only.ts";
import { organizationTenant, type TenantKey } from "../contract/tenants.ts";
import { onlyOfType, type WebhookType } from "../contract/webhooks.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import { parseWebhook, type WebhookItem } from "../store/items/webhook.ts";
import { type Item, readFew, type Table } from "../store/table.ts";

/** The organization, workspace or instance whose webhooks a request is about. */
export type WebhookScope = {
  readonly owner: TenantKey;
  readonly tenant: TenantKey;
  /** Null for a whole workspace or instance. */
  readonly organization: OrganizationItem | null;
  /** The organizations of an instance key; null: all of the owner. */
  readonly authorized: readonly string[] | null;
  /** What a narrow key may do. */
  readonly only?: readonly string[] | undefined;
};

export function webhookScopeOf(call: Pick<OperationContext, "principal" | "scope">): WebhookScope {
  const { principal, scope } = call;
  if (coversSeveral(scope)) {
    const { tenant, key } = principal;
    return { owner: tenant, tenant, organization: null, authorized: key.authorized, only: key.only };
  }
  const organization = onlyOrganization(call);
  const { uuid, tenant } = organization;
  const { only } = principal.key;
  return { owner: organizationTenant(uuid), tenant, organization, authorized: null, only };
}

/** A narrow key is told by no webhook what it may not read itself. */
export function requireTypes({ only }: WebhookScope, types: readonly WebhookType[]): void {
  const beyond = types.find((type) => !isWithinOnly(only, onlyOfType(type)));
  if (beyond) throw keyLimited(`A webhook of type ${beyond} needs ${onlyOfType(beyond)}`, { only });
}

/** Spreads the owners over the partitions. */
export function shardOf(owner: TenantKey): number {
  let hash = 0;
  for (const byte of Buffer.from(owner)) hash = (hash * 31 + byte) % 65_521;
  return hash % webhookLimits.shards;
}

/** An instance key manages only webhooks that tell of no organization outside its own list. */
const isInReach = ({ authorized }: WebhookScope, webhook: WebhookItem): boolean =>
  authorized === null || (webhook.authorized?.every((uuid) => authorized.includes(uuid)) ?? false);

export async function readWebhooks(table: Table, scope: WebhookScope): Promise<WebhookItem[]> {
  const items = await readFew(table, kinds.webhook, { shard: shardOf(scope.owner), tenant: scope.owner });
  return items
    .filter((item) => !isOf(kinds.webhookCount, item))
    .map(parseWebhook)
    .filter((webhook) => isInReach(scope, webhook))
    .toSorted((one, other) => (one.created_at < other.created_at ? -1 : 1));
}

export const keyOfWebhook = ({ owner }: { readonly owner: TenantKey }, id: string) =>
  kinds.webhook.key({ shard: shardOf(owner), tenant: owner, webhookId: id });

export const readWebhook = async (table: Table, scope: WebhookScope, id: string): Promise<WebhookItem> =>
  requireReach(scope, await table.get(keyOfWebhook(scope, id)));

/** The same answer for a webhook that is unknown and one that is out of reach. */
export function requireReach(scope: WebhookScope, item: Item | undefined): WebhookItem {
  const webhook = item && parseWebhook(item);
  if (!webhook || !isInReach(scope, webhook))
    throw new ApiError("WEBHOOK_NOT_FOUND", "webhook_id: the key's scope has no webhook with this id.");
  return webhook;
}
