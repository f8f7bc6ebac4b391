import { organizationUuid } from "../contract/identity.ts";
import * as kinds from "../contract/items.ts";
import { eventLimits } from "../contract/limits.ts";
import {
  instanceTenant,
  organizationTenant,
  poolOf,
  type TenantKey,
  workspaceTenant,
} from "../contract/tenants.ts";
import { followDelay } from "../learnings/events/delay.ts";
import { newGuard } from "../people/guard.ts";
import { fillSeats } from "../people/seats.ts";
import { type OrganizationItem, parseOrganization } from "../store/items/organization.ts";
import { unchanged } from "../store/items/unchanged.ts";
import { retryOnConflict, type Store } from "../store/retry-on-conflict.ts";
import type { Item, TransactionWrite } from "../store/table.ts";
import { organizationEntries } from "./event-entries.ts";
import { followMode } from "./follow-mode.ts";
import { beginMove, MoveUnderWay } from "./move.ts";
import { newLogMove } from "./move-log.ts";
import { newMove } from "./move-progress.ts";
import { hasEpochs, planScopeChange, publishEpoch, publishedEpochs, type ScopeChange } from "./visibility.ts";

/** The full state of one organization, as the platform reports it. */
export type OrganizationSaved = Pick<
  OrganizationItem,
  | "provider"
  | "instance_id"
  | "provider_organization_id"
  | "name"
  | "workspace_id"
  | "plan"
  | "subscription_active"
  | "deployment"
  | "active"
  | "metrics"
  | "seats_purchased"
  | "seat_assignment_mode"
  | "approval_delay_days"
>;

/**
 * Applies one state of an organization in one transaction: its own item, its copy in the tenant's partition, its row in
 * the directory and the seats it purchased. If it changed tenant, its data is moved too: immediately if that is quick,
 * else by the scheduled worker. The note of the move is in the same transaction, so the event is applied in both cases.
 */
export async function saveOrganization(
  store: Store,
  saved: OrganizationSaved,
  version: string,
): Promise<void> {
  const uuid = organizationUuid(saved);
  const { organization, mayHaveRoom, isLateFirst, epochs } = await retryOnConflict(store, async () => {
    const stored = await publishedOrganization(store, uuid, saved, version);
    return applyOrganization(store, stored, saved, version);
  });
  for (const { tenant, epoch } of epochs) await publishEpoch(store.table, tenant, epoch);
  const { tenant } = organization;
  // A repeated delivery: the first may have been interrupted before it published. The move does it for the old tenant.
  if (epochs.length === 0 && hasEpochs(tenant)) await publishedEpochs(store.table, tenant);
  if (isLateFirst) await followDelay(store, uuid);
  if (organization.seats_behind) await followMode(store, organization);
  // Other events leave a move that takes long to the scheduled worker: the events behind them need not wait for it.
  if (organization.arrived === version) await beginMove(store, organization);
  if (mayHaveRoom) await fillSeats(store, poolOf(organization));
}

/** One move at a time: an event that changes the tenant again waits. All others are applied meanwhile. */
async function publishedOrganization(
  store: Store,
  uuid: string,
  saved: OrganizationSaved,
  version: string,
): Promise<Item | undefined> {
  const stored = await store.table.get(kinds.organization.key({ organization: uuid }));
  const before = stored && parseOrganization(stored);
  const movesAgain = before && version > before.version && before.tenant !== tenantOf(uuid, saved);
  if (!movesAgain || before.leaving === undefined) return stored;
  await beginMove(store, before);
  const settled = await store.table.get(kinds.organization.key({ organization: uuid }));
  if (settled?.leaving !== undefined) throw new MoveUnderWay(uuid);
  return settled;
}

type Applied = {
  readonly organization: OrganizationItem;
  readonly mayHaveRoom: boolean;
  /** The earliest event came after others, now or in a delivery that was interrupted: its settings count. */
  readonly isLateFirst: boolean;
  /** The epochs that the change took. They must be published now that all readers can see the rows. */
  readonly epochs: ScopeChange["epochs"];
};

async function applyOrganization(
  store: Store,
  stored: Item | undefined,
  saved: OrganizationSaved,
  version: string,
): Promise<Applied> {
  const { table, clock } = store;
  const uuid = organizationUuid(saved);
  const before = stored && parseOrganization(stored);
  const isLateFirst = before !== undefined && version <= before.first_version;
  // This event was applied before: it may have freed seats and been interrupted before anybody got one.
  if (before && before.first_version <= version && version <= before.version) {
    return { organization: before, mayHaveRoom: true, isLateFirst, epochs: [] };
  }
  const merged = mergeOrganization(before, uuid, saved, version);
  const { visibleEpoch, writes, epochs } = await planScopeChange(store, before, merged);
  const organization = visibleEpoch === undefined ? merged : { ...merged, visible_epoch: visibleEpoch };
  const bought = organization.seats_purchased - (before?.seats_purchased ?? 0);
  await table.transact([
    { put: organization, when: unchanged(stored, organizationAttributes) },
    ...copyWrites(organization, before?.tenant),
    ...writes,
    ...(organization.arrived === before?.arrived
      ? []
      : [{ put: newMove(organization, clock.nowMs() + eventLimits.moveMsMax) }]),
    ...(before ? boughtWrites(uuid, bought) : [{ put: newGuard(uuid, bought) }]),
    ...organizationEntries(store, before, organization),
    ...(organization.log_behind && before?.tenant !== organization.tenant
      ? [newLogMove(organization, clock.nowMs())]
      : []),
  ]);
  return { organization, mayHaveRoom: bought > 0, isLateFirst, epochs };
}

/** Every attribute that a decision about an organization depends on and that another writer may change. */
export const organizationAttributes = [
  "version",
  "first_version",
  "tenant",
  "leaving",
  "log_behind",
  "seats_purchased",
  "seat_assignment_mode",
  "mode_decided",
  "approval_delay_days",
  "delay_decided",
] as const;

const boughtWrites = (uuid: string, bought: number): TransactionWrite[] =>
  bought === 0
    ? []
    : [
        {
          update: kinds.people.key({ organization: uuid }),
          change: { add: [["seats_free", bought]] },
          // A half restored table may lack it: then nothing that looks like a guard may begin here.
          when: { present: "pk" },
        },
      ];

/** Writes the organization's copy in the tenant's partition, and its row in the directory. */
export function copyWrites(
  organization: OrganizationItem,
  tenantBefore: TenantKey | undefined,
): TransactionWrite[] {
  const { uuid, tenant, provider, instance_id, provider_organization_id, name } = organization;
  const row = { uuid, provider, instance_id, provider_organization_id, name };
  const moved = tenantBefore !== undefined && tenantBefore !== tenant;
  return [
    { put: { ...organization, ...kinds.tenantOrganization.key({ tenant, organization: uuid }) } },
    ...(moved
      ? [{ delete: kinds.tenantOrganization.key({ tenant: tenantBefore, organization: uuid }) }]
      : []),
    {
      put: {
        ...kinds.organizationDirectory.key({ providerId: provider_organization_id, organization: uuid }),
        ...row,
      },
    },
  ];
}

/** Of the newest event; some of the earliest one, or of a decision of the API or the operator. */
function mergeOrganization(
  before: OrganizationItem | undefined,
  uuid: string,
  { seat_assignment_mode, approval_delay_days, ...saved }: OrganizationSaved,
  version: string,
): OrganizationItem {
  const newest = { ...saved, tenant: tenantOf(uuid, saved), version };
  const first = { seat_assignment_mode, approval_delay_days, first_version: version };
  if (!before) return { ...kinds.organization.key({ organization: uuid }), uuid, ...newest, ...first };
  const merged = {
    ...before,
    ...(version > before.version && newest),
    ...(version < before.first_version && first),
  };
  const mode = before.mode_decided ? before.seat_assignment_mode : merged.seat_assignment_mode;
  return {
    ...merged,
    seat_assignment_mode: mode,
    ...(mode !== before.seat_assignment_mode && { seats_behind: mode === "automatic" ? true : undefined }),
    ...(before.delay_decided && { approval_delay_days: before.approval_delay_days }),
    // An epoch is valid in one tenant only.
    ...(merged.tenant !== before.tenant && {
      leaving: before.tenant,
      log_behind: hasEpochs(merged.tenant) ? true : undefined,
      visible_epoch: undefined,
      arrived: version,
    }),
  };
}

function tenantOf(uuid: string, saved: Pick<OrganizationSaved, "workspace_id" | "instance_id">): TenantKey {
  if (saved.workspace_id !== null) return workspaceTenant(saved.workspace_id);
  if (saved.instance_id !== null) return instanceTenant(saved.instance_id);
  return organizationTenant(uuid);
}
