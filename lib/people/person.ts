import type { MemberItem, PersonItem } from "../store/items/people.ts";
import type { Key } from "../store/table.ts";

export type Membership = PersonItem["memberships"][number];

/**
 * Uses the decision of the API or the operator; without one, any membership that wants a seat. A person who has left is
 * due none.
 */
export const isSeatDue = ({ memberships, seat_decided }: PersonItem): boolean =>
  memberships.length > 0 && (seat_decided ?? memberships.some((membership) => membership.seat_wanted));

/** The person is due a seat, but none was free. */
export const lacksSeat = (person: PersonItem | undefined): boolean =>
  person !== undefined && !person.seat && isSeatDue(person);

/** A person may have another name in each organization: the newest one counts. */
export const usernameOf = (members: ReadonlyArray<Pick<MemberItem, "username" | "version">>): string | null =>
  members
    .filter(({ username }) => username !== null)
    .reduce<{ username: string | null; version: string }>(
      (newest, member) => (member.version > newest.version ? member : newest),
      { username: null, version: "" },
    ).username;

export const newPerson = ({ pk, sk }: Key, email: string | null): PersonItem => ({
  pk,
  sk,
  email,
  memberships: [],
  seat: false,
});

/** Adds the membership to the person, or replaces the previous version of it. */
export function withMembership(person: PersonItem, membership: Membership): PersonItem {
  const others = withoutMembership(person, membership).memberships;
  return { ...person, memberships: [...others, membership].sort(byOrganizationAndUser) };
}

export const withoutMembership = (
  person: PersonItem,
  { organization, user_id }: Pick<Membership, "organization" | "user_id">,
): PersonItem => ({
  ...person,
  memberships: person.memberships.filter(
    (other) => other.organization !== organization || other.user_id !== user_id,
  ),
});

/**
 * A fixed order, so that equal people are equal items whatever the order of events. No two memberships are the same.
 */
function byOrganizationAndUser(left: Membership, right: Membership): number {
  if (left.organization !== right.organization) return left.organization < right.organization ? -1 : 1;
  return left.user_id < right.user_id ? -1 : 1;
}
