import { namedPeople, nameOfPerson, peopleMetadata } from "../audit/named.ts";
import { systemEntry } from "../audit/system-entry.ts";
import * as kinds from "../contract/items.ts";
import { isWorkspaceTenant, type PoolKey } from "../contract/tenants.ts";
import { required } from "../runtime/required.ts";
import { type OrganizationItem, parseOrganization } from "../store/items/organization.ts";
import type { MemberItem, PersonItem } from "../store/items/people.ts";
import type { Store } from "../store/retry-on-conflict.ts";
import type { Put } from "../store/table.ts";
import { knownPerson, readLogins } from "./known-person.ts";
import type { SeatStep } from "./placement.ts";
import { organizationIdsMetadata } from "./seat-entry.ts";

export type AuditedOrganization = Pick<
  OrganizationItem,
  "uuid" | "tenant" | "provider" | "provider_organization_id"
>;

const assigned = { before: { seat_assigned: false }, after: { seat_assigned: true } };

const unassigned = { before: { seat_assigned: true }, after: { seat_assigned: false } };

type Cause =
  | { readonly reason: "reviewer tagged" | "organization moved" }
  /** The time that the platform reports: an event can be about something that happened long ago. */
  | { readonly reason: "member saved"; readonly occurred_at: string };

type SeatSteps = {
  readonly step: SeatStep;
  readonly members: ReadonlyArray<Pick<MemberItem, "user_id" | "username" | "email">>;
  readonly cause: Cause;
};

/**
 * Records the members of one organization whose seats were assigned or unassigned automatically; no entry if there are
 * none.
 */
export function automaticSeatsEntry(
  store: Store,
  organization: AuditedOrganization,
  { step, members, cause }: SeatSteps,
): Put[] {
  if (members.length === 0) return [];
  const isAssigned = step === "came";
  return systemEntry(store, {
    action: isAssigned ? "seats.assigned" : "seats.unassigned",
    resourceType: "seat",
    resourceId: null,
    summary: `Seats ${isAssigned ? "assigned" : "unassigned"} automatically: ${namedPeople(members)}`,
    tenant: organization.tenant,
    organization,
    metadata: {
      ids: members.map(({ user_id }) => user_id),
      ...peopleMetadata(members),
      ...(isAssigned ? assigned : unassigned),
      ...cause,
    },
  });
}

/**
 * Records a role that changed because of an event: an earlier event arrived, or the member returned to a deleted role.
 */
export const automaticRoleEntry = (
  store: Store,
  organization: AuditedOrganization,
  before: string,
  member: MemberItem,
  occurredAt: string,
): Put[] => {
  const { user_id: id, email, role: after } = member;
  return systemEntry(store, {
    action: "roles.changed",
    resourceType: "member",
    resourceId: null,
    summary: `Role ${after} given to ${nameOfPerson(member)}`,
    tenant: organization.tenant,
    organization,
    metadata: {
      role: after,
      ids: [id],
      ...peopleMetadata([member]),
      changes: [{ id, email, before, after }],
      failed: [],
      reason: "member saved",
      occurred_at: occurredAt,
    },
  });
};

/** Records that the platform reports a person as no longer a member. */
export const memberRemovedEntry = (
  store: Store,
  organization: AuditedOrganization,
  member: MemberItem,
  seat: { readonly before: boolean; readonly after: boolean },
): Put[] => {
  const { user_id, username, email, role } = member;
  return systemEntry(store, {
    action: "member.removed",
    resourceType: "member",
    resourceId: user_id,
    summary: `member removed: ${nameOfPerson(member)}`,
    tenant: organization.tenant,
    organization,
    metadata: {
      username,
      email,
      ...peopleMetadata([member]),
      before: { active: true, role, seat_assigned: seat.before },
      after: { active: false, seat_assigned: seat.after },
    },
  });
};

/** Records people who waited for a seat and got one when seats became free. The logs of their organizations show it. */
export async function filledSeatsEntry(
  store: Store,
  pool: PoolKey,
  people: readonly PersonItem[],
): Promise<Put[]> {
  const memberships = people.flatMap((person) => person.memberships);
  const uuids = [...new Set(memberships.map(({ organization }) => organization))];
  const [items, logins] = await Promise.all([
    store.table.getMany(uuids.map((organization) => kinds.organization.key({ organization }))),
    readLogins(store.table, people),
  ]);
  const organizations = items.filter((item) => item !== undefined).map(parseOrganization);
  const isWorkspace = isWorkspaceTenant(pool);
  const entryOf = (seated: readonly PersonItem[], uuid?: string) => {
    const known = seated.map((person) => ({ ...knownPerson(person, uuid), username: logins.get(person) }));
    const theirs = new Set(seated.flatMap((person) => person.memberships.map((each) => each.organization)));
    const shown = organizations.filter(({ uuid }) => theirs.has(uuid));
    return {
      summary: `Seats assigned automatically: ${namedPeople(known)}`,
      metadata: {
        ids: seated.map(idInEntry),
        ...peopleMetadata(known),
        ...assigned,
        reason: "seats became free",
        ...(isWorkspace &&
          organizationIdsMetadata(shown.map(({ provider_organization_id }) => provider_organization_id))),
      },
    };
  };
  const entry = {
    action: "seats.assigned",
    resourceType: "seat",
    resourceId: null,
    ...entryOf(people),
  } as const;
  if (!isWorkspace) {
    const own = required(organizations[0], "organization of the seat pool");
    return systemEntry(store, { ...entry, tenant: own.tenant, organization: own });
  }
  return systemEntry(store, {
    ...entry,
    tenant: pool,
    organization: null,
    shownIn: organizations.map(({ uuid }) => uuid),
    textFor: (uuid) =>
      entryOf(
        people.filter(({ memberships }) => memberships.some((each) => each.organization === uuid)),
        uuid,
      ),
  });
}

const idInEntry = ({ email, memberships: [first] }: PersonItem): string =>
  email ?? required(first, "membership of a person with a seat").user_id;
