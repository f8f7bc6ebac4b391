import * as kinds from "../contract/items.ts";
import { scopeLimits } from "../contract/limits.ts";
import { isOrganizationTenant, type TenantKey } from "../contract/tenants.ts";
import type { Clock } from "../runtime/clock.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import {
  noEpochs,
  type OrganizationLeft,
  parseScopeEpochs,
  type ScopeEpochs,
} from "../store/items/scope-epochs.ts";
import { type Table, type TransactionWrite, type Update, writeIf } from "../store/table.ts";
import { ttlAfter } from "../store/ttl.ts";

/** Only a tenant with several organizations has a scope that changes. */
export const hasEpochs = (tenant: TenantKey): boolean => !isOrganizationTenant(tenant);

/** Whether a reader of several organizations shows this organization's data: all of it or none. */
export const isVisible = ({ active, plan }: { readonly active: boolean; readonly plan: string }): boolean =>
  active && plan === "enterprise";

const isSettled = ({ next, published }: ScopeEpochs): boolean => published === next - 1;

/**
 * Returns the epochs with all earlier changes published. It reads them together with the row of the last change: this
 * waits for a transaction that is committed but not visible yet, so afterwards anyone may publish its epoch.
 */
export async function publishedEpochs(table: Table, tenant: TenantKey): Promise<ScopeEpochs> {
  const epochs = parseScopeEpochs(await table.get(kinds.scopeEpochs.key({ tenant })));
  if (isSettled(epochs) || epochs.lastOrganization === undefined) return epochs;
  const { lastOrganization: uuid } = epochs;
  const keys = [
    kinds.scopeEpochs.key({ tenant }),
    kinds.tenantOrganization.key({ tenant, organization: uuid }),
    kinds.organizationLeft.key({ tenant, organization: uuid }),
  ];
  const [item] = await table.transactGet(keys);
  const now = parseScopeEpochs(item);
  // If another change has been made meanwhile, that change found this epoch already published.
  if (now.next === epochs.next) await publishEpoch(table, tenant, epochs.next - 1);
  return { ...now, published: now.next - 1 };
}

/** What readers of a tenant need to know about an organization. */
export type ScopedOrganization = Pick<
  OrganizationItem,
  "uuid" | "provider" | "provider_organization_id" | "tenant" | "active" | "plan"
>;

export type ScopeChange = {
  /** Must be written with the row; undefined if the organization does not become visible now. */
  readonly visibleEpoch: number | undefined;
  /** For the transaction that writes the row. */
  readonly writes: readonly TransactionWrite[];
  /** Must be published once that transaction has succeeded. */
  readonly epochs: ReadonlyArray<{ readonly tenant: TenantKey; readonly epoch: number }>;
};

/** It becomes visible to readers of several organizations, leaves their scope, or neither. */
export async function planScopeChange(
  { table, clock }: { readonly table: Table; readonly clock: Pick<Clock, "nowMs"> },
  before: ScopedOrganization | undefined,
  after: ScopedOrganization,
): Promise<ScopeChange> {
  const arrival = becomesVisible(before, after) ? await publishedEpochs(table, after.tenant) : undefined;
  const left = before && leaves(before, after) ? before : undefined;
  const departure = left && (await publishedEpochs(table, left.tenant));
  // As late as possible: a first page decides by an epoch's age whether it can trust it.
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

/** In a tenant with several organizations: readers that have already passed the organization must return to it. */
const becomesVisible = (before: ScopedOrganization | undefined, after: ScopedOrganization): boolean =>
  hasEpochs(after.tenant) && isVisible(after) && !(before?.tenant === after.tenant && isVisible(before));

/** Mirrors must delete its data. One that moves away leaves its audit entries behind, also those not visible then. */
const leaves = (before: ScopedOrganization, after: ScopedOrganization): boolean =>
  hasEpochs(before.tenant) && (before.tenant !== after.tenant || (isVisible(before) && !isVisible(after)));

/** For the transaction in which the organization leaves: informs readers that keep a mirror. */
const organizationLeft = (
  tenant: TenantKey,
  { uuid, provider, provider_organization_id }: ScopedOrganization,
  { epoch, nowMs }: { readonly epoch: number; readonly nowMs: number },
): OrganizationLeft => ({
  ...kinds.organizationLeft.key({ tenant, organization: uuid }),
  uuid,
  provider,
  provider_organization_id,
  left_epoch: epoch,
  at_ms: nowMs,
  ttl: ttlAfter(nowMs, scopeLimits.leftDays),
});

/** With the row that has `visible_epoch` = `before.next`, or that it left. One epoch at a time is unpublished. */
const takeEpoch = (
  tenant: TenantKey,
  before: ScopeEpochs,
  { uuid, nowMs }: { readonly uuid: string; readonly nowMs: number },
): Update => ({
  update: kinds.scopeEpochs.key({ tenant }),
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

/** Call this only after the transaction has succeeded, or after its rows were read in one transaction. */
export async function publishEpoch(table: Table, tenant: TenantKey, epoch: number): Promise<void> {
  // If the condition fails, another writer has published this epoch or a later one.
  await writeIf(
    table,
    {
      update: kinds.scopeEpochs.key({ tenant }),
      change: { set: [["p", epoch]] },
      when: { below: ["p", epoch] },
    },
    { idempotent: true },
  );
}
