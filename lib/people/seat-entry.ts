import { type AuditedContext, auditWritesFor } from "../audit/entry.ts";
import { named, nameOfPerson, peopleMetadata } from "../audit/named.ts";
import type { ItemErrorCode } from "../contract/errors.ts";
import { peopleLimits } from "../contract/limits.ts";
import type { TenantKey } from "../contract/tenants.ts";
import type { OrganizationItem } from "../store/items/organization.ts";
import type { PersonItem } from "../store/items/people.ts";
import type { Put } from "../store/table.ts";
import { recordedFailures } from "./batch.ts";
import { knownPerson } from "./known-person.ts";

export type SeatAction = "assign" | "unassign";

export type SeatEntryOwner = {
  readonly tenant: TenantKey;
  /** Null if the change is about the seats of a whole workspace. */
  readonly organization: Pick<OrganizationItem, "uuid" | "provider" | "provider_organization_id"> | null;
};

/** One person whose seat was assigned or unassigned. */
export type SeatChange = {
  /** The ids that the caller used for the person. */
  readonly ids: readonly string[];
  readonly person: Pick<PersonItem, "email" | "memberships">;
  /** Known if the caller used a user id. */
  readonly username?: string | null | undefined;
  /** UUIDs. */
  readonly organizations: readonly string[];
};

export type SeatFailure = {
  readonly id: string;
  readonly code: Extract<ItemErrorCode, "USER_NOT_FOUND" | "NO_SEATS_AVAILABLE">;
  /** UUIDs; empty if the person is unknown. */
  readonly organizations: readonly string[];
};

type Done = { readonly changed: readonly SeatChange[]; readonly failures: readonly SeatFailure[] };

/**
 * A change of a workspace's seats is one entry of the workspace. The logs of the people's organizations show it too,
 * each with its own people.
 */
export function seatEntry(
  context: AuditedContext,
  { tenant, organization }: SeatEntryOwner,
  action: SeatAction,
  { providerIds, ...done }: Done & { readonly providerIds: ReadonlyMap<string, string> },
): Put[] {
  const logs = organizationsOf(done.changed).filter((uuid) => providerIds.has(uuid));
  const isAssigned = action === "assign";
  const entryOf = ({ changed, failures }: Done, uuid = organization?.uuid) => {
    const people = changed.map(({ person, username }) => ({ ...knownPerson(person, uuid), username }));
    const names = people.map((each, index) => nameOfPerson(each, changed[index]?.ids[0]));
    const ids = changed.flatMap((person) => person.ids);
    const theirs = organizationsOf(changed).flatMap((uuid) => providerIds.get(uuid) ?? []);
    return {
      summary: `${isAssigned ? "Seats assigned" : "Seats unassigned"}: ${named(names)}`,
      metadata: {
        ids,
        emails: people.flatMap(({ email }) => email ?? []),
        ...peopleMetadata(people),
        before: { seat_assigned: !isAssigned },
        after: { seat_assigned: isAssigned },
        failed: recordedFailures(failures),
        ...(organization === null && organizationIdsMetadata(theirs)),
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
    ...entryOf(done),
    ...(organization === null && {
      shownIn: logs,
      textFor: (uuid: string) =>
        entryOf(
          { changed: done.changed.filter(isIn(uuid)), failures: done.failures.filter(isIn(uuid)) },
          uuid,
        ),
    }),
  });
}

const organizationsOf = (changed: readonly SeatChange[]): string[] => [
  ...new Set(changed.flatMap(({ organizations }) => organizations)),
];

/** The first organizations and, if there are more, their total number: an entry and its copies have a bounded size. */
export function organizationIdsMetadata(providerIds: readonly string[]) {
  const { organizationsNamedMax } = peopleLimits;
  return {
    organization_ids: providerIds.slice(0, organizationsNamedMax),
    ...(providerIds.length > organizationsNamedMax && { organization_count: providerIds.length }),
  };
}
