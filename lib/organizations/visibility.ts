import { scopeLimits } from "../contract/limits.ts";
import type { Clock } from "../runtime/clock.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import {
  noEpochs,
  type OrganizationLeft,
  parseScopeEpochs,
  type ScopeEpochs,
} from "../store/items/scope-epochs.ts";
import {
  isOrganizationTenant,
  organizationLeftKey,
  scopeEpochsKey,
  type TenantKey,
  tenantOrganizationKey,
} from "../store/layout.ts";
import { type Table, type TransactionWrite, type Update, writeIf } from "../store/table.ts";
import { ttlAfter } from "../store/ttl.ts";

/** Only tenants of several organizations have a scope that changes. */
export const hasEpochs = (tenant: TenantKey): boolean => !isOrganizationTenant(tenant);

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
  const [item] = await table.transactGet(keys);
  const now = parseScopeEpochs(item);
  // Another change took its place meanwhile: it found this one published.
  if (now.next === epochs.next) await publishEpoch(table, tenant, epochs.next - 1);
  return { ...now, published: now.next - 1 };
}

/** What an organization is to the readers of its tenant. */
export type ScopedOrganization = Pick<
  OrganizationItem,
  "uuid" | "provider" | "provider_organization_id" | "tenant" | "active" | "plan"
>;

export type ScopeChange = {
  /** To be written with the row; undefined: it does not become visible now. */
  readonly visibleEpoch: number | undefined;
  /** For the transaction that writes the row. */
  readonly writes: readonly TransactionWrite[];
  /** To be published once that transaction has answered. */
  readonly epochs: ReadonlyArray<{ readonly tenant: TenantKey; readonly epoch: number }>;
};

/** What a change of an organization means to readers of several: it becomes visible to them, leaves them, or neither. */
export async function planScopeChange(
  { table, clock }: { readonly table: Table; readonly clock: Pick<Clock, "nowMs"> },
  before: ScopedOrganization | undefined,
  after: ScopedOrganization,
): Promise<ScopeChange> {
  const arrival = becomesVisible(before, after) ? await settledEpochs(table, after.tenant) : undefined;
  const left = before && leaves(before, after) ? before : undefined;
  const departure = left && (await settledEpochs(table, left.tenant));
  // As late as can be: a first page trusts an epoch by its age.
  const nowMs = clock.nowMs();
  const change = { uuid: after.uuid, nowMs };
  return {
    visibleEpoch: arrival?.next,
    writes: [
      ...(arrival ? [takeEpoch(after.tenant, arrival, change)] : []),
      ...(left && departure
        ? [
            takeEpoch(left.tenant, departure, change),
            { put: organizationLeft(left.tenant, left, { epoch: departure.next, nowMs }) },
          ]
        : []),
    ],
    epochs: [
      ...(arrival ? [{ tenant: after.tenant, epoch: arrival.next }] : []),
      ...(left && departure ? [{ tenant: left.tenant, epoch: departure.next }] : []),
    ],
  };
}

/** In a tenant of several organizations: readers that have passed it by must come back to it. */
const becomesVisible = (before: ScopedOrganization | undefined, after: ScopedOrganization): boolean =>
  hasEpochs(after.tenant) && isVisible(after) && !(before?.tenant === after.tenant && isVisible(before));

/** The other way round: readers that keep a mirror must drop it. */
const leaves = (before: ScopedOrganization, after: ScopedOrganization): boolean =>
  hasEpochs(before.tenant) && isVisible(before) && !(before.tenant === after.tenant && isVisible(after));

/** For the transaction in which the organization leaves: readers that keep a mirror learn of it. */
const organizationLeft = (
  tenant: TenantKey,
  { uuid, provider, provider_organization_id }: ScopedOrganization,
  { epoch, nowMs }: { readonly epoch: number; readonly nowMs: number },
): OrganizationLeft => ({
  ...organizationLeftKey(tenant, uuid),
  uuid,
  provider,
  provider_organization_id,
  left_epoch: epoch,
  at_ms: nowMs,
  ttl: ttlAfter(nowMs, scopeLimits.leftDays),
});

/**
 * For the transaction that writes the row with `visible_epoch` = `before.next`, or the one that tells of its leaving:
 * one unpublished epoch at a time.
 */
const takeEpoch = (
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
  // Where the condition fails, somebody else has published it, or a later one.
  await writeIf(
    table,
    { update: scopeEpochsKey(tenant), change: { set: [["p", epoch]] }, when: { below: ["p", epoch] } },
    { idempotent: true },
  );
}
