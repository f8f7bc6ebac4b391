import type * as z from "zod";
import * as kinds from "../contract/items.ts";
import type { personRecord } from "../contract/records-people.ts";
import { seatHolderId } from "../contract/seat-holder.ts";
import { type OrganizationItem, parseOrganization } from "../store/items/organization.ts";
import { type MemberItem, type PersonItem, parseMember, parsePerson } from "../store/items/people.ts";
import type { Item, Table } from "../store/table.ts";
import { rangeAfter, walkRange } from "../store/walk.ts";
import { type PeoplePage, poolSeats, roleMatches, seatMatches, type UserFilters } from "./list-members.ts";
import { usernameOf } from "./person.ts";
import type { Workspace } from "./seat-scope.ts";

type PersonRecord = z.output<typeof personRecord>;
type FoundPerson = { readonly sk: string; readonly record: PersonRecord };

/**
 * Lists every person of a workspace once, with their organizations that are in the scope. A seat holder is listed even
 * if none of their organizations is in the scope, so that the list adds up to the number of assigned seats.
 */
export async function listPeople(
  table: Table,
  { tenant, organizations }: Workspace,
  filters: UserFilters,
  page: { readonly after: string | null; readonly limit: number },
): Promise<PeoplePage<PersonRecord>> {
  const visible = new Map(organizations.map((organization) => [organization.uuid, organization]));
  const range = rangeAfter(kinds.person.range({ pool: tenant }), page.after);
  const [seats, walked] = await Promise.all([
    poolSeats(table, tenant, undefined),
    walkRange(table, range, page.limit, (items) => select(table, visible, filters, items)),
  ]);
  return { ...seats, records: walked.found.map(({ record }) => record), next: walked.next };
}

async function select(
  table: Table,
  visible: ReadonlyMap<string, OrganizationItem>,
  filters: UserFilters,
  items: readonly Item[],
): Promise<FoundPerson[]> {
  const people = items.map(parsePerson).filter(({ seat }) => seatMatches(filters.seat, seat));
  const memberships = people.flatMap((person) => readMemberships(person, visible));
  const [stored, organizations] = await Promise.all([
    table.getMany(
      memberships.map(({ organization, user_id }) => kinds.member.key({ organization, userId: user_id })),
    ),
    organizationsOfHolders(table, people, visible),
  ]);
  const members = new Map(
    memberships.map(({ organization, user_id }, index) => [`${organization} ${user_id}`, stored[index]]),
  );
  return people.flatMap((person) => {
    const known = person.memberships.flatMap(({ organization, user_id }) => {
      const item = members.get(`${organization} ${user_id}`);
      return item ? [{ organization: visible.get(organization), member: parseMember(item) }] : [];
    });
    const shown = known.flatMap(({ organization, member }) => (organization ? { organization, member } : []));
    const matches = shown.some(({ member }) => roleMatches(filters.role, member.role));
    const isHolderElsewhere = person.seat && shown.length === 0 && filters.role === "all";
    if (!matches && !isHolderElsewhere) return [];
    const record = toPersonRecord(
      person,
      shown,
      known.map(({ member }) => member),
    );
    return [{ sk: person.sk, record: { ...record, ...holderOf(person, organizations) } }];
  });
}

/** Organizations of seat holders without an e-mail address; those outside the scope are read. */
async function organizationsOfHolders(
  table: Table,
  people: readonly PersonItem[],
  visible: ReadonlyMap<string, OrganizationItem>,
): Promise<ReadonlyMap<string, OrganizationItem>> {
  const nameless = people.filter(({ email, seat }) => email === null && seat);
  const uuids = nameless.flatMap(({ memberships }) => memberships.map(({ organization }) => organization));
  const unknown = [...new Set(uuids)].filter((uuid) => !visible.has(uuid));
  const items =
    unknown.length > 0
      ? await table.getMany(unknown.map((organization) => kinds.organization.key({ organization })))
      : [];
  const read = items.filter((item) => item !== undefined).map(parseOrganization);
  return new Map([...visible, ...read.map((organization) => [organization.uuid, organization] as const)]);
}

/** The id that a workspace token uses for the person, to unassign the seat. */
function holderOf(
  { email, seat, memberships: [membership] }: PersonItem,
  organizations: ReadonlyMap<string, OrganizationItem>,
): Pick<PersonRecord, "seat_holder_id"> {
  const organization = membership && organizations.get(membership.organization);
  if (email !== null || !seat || !organization) return {};
  const { provider, provider_organization_id: organizationId } = organization;
  return { seat_holder_id: seatHolderId({ provider, organizationId, userId: membership.user_id }) };
}

/** Memberships in the scope. For a seat holder who has none there, all memberships, to find the name. */
function readMemberships({ memberships, seat }: PersonItem, visible: ReadonlyMap<string, OrganizationItem>) {
  const shown = memberships.filter(({ organization }) => visible.has(organization));
  return shown.length === 0 && seat ? memberships : shown;
}

type Shown = { readonly organization: OrganizationItem; readonly member: MemberItem };

const toPersonRecord = (
  { email, seat }: PersonItem,
  shown: readonly Shown[],
  members: readonly MemberItem[],
): PersonRecord => ({
  email: email ?? members[0]?.email ?? null,
  username: usernameOf(members),
  seat_assigned: seat,
  organizations: shown.map(({ organization, member }) => ({
    provider: organization.provider,
    org_id: organization.provider_organization_id,
    user_id: member.user_id,
    role: member.role,
  })),
});
