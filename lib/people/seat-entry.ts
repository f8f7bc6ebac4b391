import { type AuditedContext, auditWritesFor } from "../audit/entry.ts";
import type { ItemErrorCode } from "../contract/errors.ts";
import { peopleLimits } from "../contract/limits.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import type { TenantKey } from "../store/layout.ts";
import type { Put } from "../store/table.ts";

export type SeatAction = "assign" | "unassign";

export type SeatPlace = {
  readonly tenant: TenantKey;
  /** Null where a workspace's seats are changed as a whole. */
  readonly organization: Pick<OrganizationItem, "uuid" | "provider_organization_id"> | null;
};

/** One person whose seat came or went. */
export type SeatChange = {
  /** As the caller named the person. */
  readonly ids: readonly string[];
  /** UUIDs. */
  readonly organizations: readonly string[];
};

export type SeatFailure = {
  readonly id: string;
  readonly code: Extract<ItemErrorCode, "USER_NOT_FOUND" | "NO_SEATS_AVAILABLE">;
  /** UUIDs; none where the person is unknown. */
  readonly organizations: readonly string[];
};

type Told = { readonly changed: readonly SeatChange[]; readonly failures: readonly SeatFailure[] };

/**
 * A change of a workspace's seats is one entry of the workspace. The logs of the people's organizations show it, each with
 * its own people.
 */
export function seatEntry(
  context: AuditedContext,
  { tenant, organization }: SeatPlace,
  action: SeatAction,
  { providerIds, ...told }: Told & { readonly providerIds: ReadonlyMap<string, string> },
): Put[] {
  const logs = organizationsOf(told.changed).filter((uuid) => providerIds.has(uuid));
  const isAssigned = action === "assign";
  const tell = ({ changed, failures }: Told) => {
    const ids = changed.flatMap((person) => person.ids);
    const named = organizationsOf(changed).flatMap((uuid) => providerIds.get(uuid) ?? []);
    return {
      summary: `${isAssigned ? "Seats assigned" : "Seats unassigned"}: ${ids.length}`,
      metadata: {
        ids,
        before: { seat_assigned: !isAssigned },
        after: { seat_assigned: isAssigned },
        failed: failures.map(({ id, code }) => ({ id, code })),
        ...(organization === null && organizationsNamed(named)),
      },
    };
  };
  const isIn = (uuid: string) => (person: Pick<SeatChange, "organizations">) =>
    person.organizations.includes(uuid);
  return auditWritesFor(context, {
    action: isAssigned ? "seats.assigned" : "seats.unassigned",
    resourceType: "seat",
    resourceId: null,
    tenant,
    organization,
    ...tell(told),
    ...(organization === null && {
      shownIn: logs,
      toldIn: (uuid: string) =>
        tell({ changed: told.changed.filter(isIn(uuid)), failures: told.failures.filter(isIn(uuid)) }),
    }),
  });
}

const organizationsOf = (changed: readonly SeatChange[]): string[] => [
  ...new Set(changed.flatMap(({ organizations }) => organizations)),
];

/** The first organizations and, where those are not all, how many there are: an entry and its copies have a bounded size. */
export function organizationsNamed(providerIds: readonly string[]) {
  const { organizationsNamedMax } = peopleLimits;
  return {
    organization_ids: providerIds.slice(0, organizationsNamedMax),
    ...(providerIds.length > organizationsNamedMax && { organization_count: providerIds.length }),
  };
}
