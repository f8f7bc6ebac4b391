import { type Changing, changeEntry } from "../audit/entry.ts";
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
};

type Told = { readonly changed: readonly SeatChange[]; readonly failures: readonly SeatFailure[] };

/** A change of a workspace's seats is one entry of the workspace, which the logs of the people's organizations show. */
export function seatEntry(
  context: Changing,
  { tenant, organization }: SeatPlace,
  action: SeatAction,
  { changed, failures }: Told,
  { providerIds }: { readonly providerIds: ReadonlyMap<string, string> },
): Put[] {
  const ids = changed.flatMap((person) => person.ids);
  const uuids = [...new Set(changed.flatMap(({ organizations }) => organizations))];
  const logs = uuids.flatMap((uuid) => {
    const providerId = providerIds.get(uuid);
    return providerId === undefined ? [] : [{ uuid, providerId }];
  });
  const isAssigned = action === "assign";
  return changeEntry(context, {
    action: isAssigned ? "seats.assigned" : "seats.unassigned",
    resourceType: "seat",
    resourceId: null,
    summary: `${isAssigned ? "Seats assigned" : "Seats unassigned"}: ${ids.length}`,
    tenant,
    organization: organization && {
      uuid: organization.uuid,
      providerId: organization.provider_organization_id,
    },
    ...(organization === null && { shownIn: logs.map(({ uuid }) => uuid) }),
    metadata: {
      ids,
      before: { seat_assigned: !isAssigned },
      after: { seat_assigned: isAssigned },
      failed: failures.map(({ id, code }) => ({ id, code })),
      ...(organization === null && organizationsNamed(logs.map(({ providerId }) => providerId))),
    },
  });
}

/** The first organizations and, where those are not all, how many there are: an entry and its copies have a bounded size. */
export function organizationsNamed(providerIds: readonly string[]) {
  const { organizationsNamedMax } = peopleLimits;
  return {
    organization_ids: providerIds.slice(0, organizationsNamedMax),
    ...(providerIds.length > organizationsNamedMax && { organization_count: providerIds.length }),
  };
}
