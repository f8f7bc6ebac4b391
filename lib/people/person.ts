import { type PersonItem, parsePerson } from "../store/items/people.ts";
import type { Item, Key } from "../store/table.ts";

export type Membership = PersonItem["memberships"][number];

/** As decided by the API or the operator; else as any membership asks for. Whoever has left is due none. */
export const isSeatDue = ({ memberships, seat_decided }: PersonItem): boolean =>
  memberships.length > 0 && (seat_decided ?? memberships.some((membership) => membership.seat_wanted));

/** Due a seat, but none was free. */
export const isShort = (person: PersonItem | undefined): boolean =>
  person !== undefined && !person.seat && isSeatDue(person);

export const newPerson = ({ pk, sk }: Key, email: string | null): PersonItem => ({
  pk,
  sk,
  email,
  memberships: [],
  seat: false,
});

/** The person with this membership: a new one, or in the place of what it was. */
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

/** One order, so that equal people are equal items whatever came first. No two are the same. */
function byOrganizationAndUser(left: Membership, right: Membership): number {
  if (left.organization !== right.organization) return left.organization < right.organization ? -1 : 1;
  return left.user_id < right.user_id ? -1 : 1;
}

/** How many a stored person has; none where nobody is. */
export const membershipsOf = (stored: Item | undefined): number =>
  stored ? parsePerson(stored).memberships.length : 0;
