import { scopeLimits } from "../contract/limits.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import {
  noEpochs,
  type OrganizationLeft,
  parseScopeEpochs,
  type ScopeEpochs,
} from "../store/items/scope-epochs.ts";
import {
  organizationLeftKey,
  scopeEpochsKey,
  type TenantKey,
  tenantOrganizationKey,
} from "../store/layout.ts";
import { ConditionFailed, type Table, type Update } from "../store/table.ts";

/** Only tenants of several organizations have a scope that changes. */
export const hasEpochs = (tenant: TenantKey): boolean => !tenant.startsWith("o#");

/** What a reader that covers several organizations shows of this one: everything or nothing. */
export const isVisible = ({ active, plan }: { readonly active: boolean; readonly plan: string }): boolean =>
  active && plan === "enterprise";

const isSettled = ({ next, published }: ScopeEpochs): boolean => published === next - 1;

/**
 * The epochs with everything before published. Read together with the row of the last change: this waits for a
 * transaction that is committed and not visible yet, so afterwards its epoch may be published by anyone.
 */
export async function settledEpochs(table: Table, tenant: TenantKey): Promise<ScopeEpochs> {
  const epochs = parseScopeEpochs(await table.get(scopeEpochsKey(tenant)));
  if (isSettled(epochs) || epochs.lastOrganization === undefined) return epochs;
  const { lastOrganization: uuid } = epochs;
  const keys = [
    scopeEpochsKey(tenant),
    tenantOrganizationKey(tenant, uuid),
    organizationLeftKey(tenant, uuid),
  ];
  const [item] = await table.getTogether(keys);
  const now = parseScopeEpochs(item);
  // Another change took its place meanwhile: it found this one published.
  if (now.next === epochs.next) await publishEpoch(table, tenant, epochs.next - 1);
  return { ...now, published: now.next - 1 };
}

const secondsPerDay = 86_400;

/** For the transaction in which the organization leaves: readers that keep a mirror learn of it. */
export const organizationLeft = (
  tenant: TenantKey,
  { uuid, provider, provider_organization_id }: OrganizationIdentity,
  { epoch, nowMs }: { readonly epoch: number; readonly nowMs: number },
): OrganizationLeft => ({
  ...organizationLeftKey(tenant, uuid),
  uuid,
  provider,
  provider_organization_id,
  left_epoch: epoch,
  at_ms: nowMs,
  ttl: Math.ceil(nowMs / 1000) + scopeLimits.leftDays * secondsPerDay,
});
type OrganizationIdentity = Pick<OrganizationItem, "uuid" | "provider" | "provider_organization_id">;

/**
 * For the transaction that writes the row with `visible_epoch` = `before.next`, or the one that tells of its leaving:
 * one unpublished epoch at a time.
 */
export const takeEpoch = (
  tenant: TenantKey,
  before: ScopeEpochs,
  { uuid, nowMs }: { readonly uuid: string; readonly nowMs: number },
): Update => ({
  update: scopeEpochsKey(tenant),
  change: {
    set: [
      ["n", before.next + 1],
      ["u", uuid],
      ["at_ms", nowMs],
    ],
    setOnce: [["p", noEpochs.published]],
  },
  when:
    before.next === noEpochs.next
      ? { absent: "n" }
      : { all: [{ equals: ["n", before.next] }, { equals: ["p", before.next - 1] }] },
});

/** Only after the transaction has answered, or was read together. */
export async function publishEpoch(table: Table, tenant: TenantKey, epoch: number): Promise<void> {
  try {
    await table.write(
      { update: scopeEpochsKey(tenant), change: { set: [["p", epoch]] }, when: { below: ["p", epoch] } },
      { repeatable: true },
    );
  } catch (error) {
    // Somebody else has published it, or a later one.
    if (!(error instanceof ConditionFailed)) throw error;
  }
}
