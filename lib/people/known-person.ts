import type { KnownPerson } from "../audit/named.ts";
import * as kinds from "../contract/items.ts";
import { parseMember } from "../store/items/people.ts";
import type { Table } from "../store/table.ts";

type Person = {
  readonly email: string | null;
  readonly memberships: ReadonlyArray<{ readonly organization: string; readonly user_id: string }>;
};

/**
 * A person as an audit entry gives it: with the id of their only membership in the organization of the entry, or without
 * `organization` in the whole workspace.
 */
export function knownPerson({ email, memberships }: Person, organization?: string): KnownPerson {
  const [only, ...others] = memberships.filter(
    (each) => organization === undefined || each.organization === organization,
  );
  return { user_id: only && others.length === 0 ? only.user_id : null, email };
}

/** The logins of people without an e-mail address: each of them is a single membership. */
export async function readLogins<Each extends Person>(
  table: Table,
  people: readonly Each[],
): Promise<ReadonlyMap<Each, string | null>> {
  const unnamed = people.flatMap((person) =>
    person.email === null && person.memberships[0] ? [{ person, membership: person.memberships[0] }] : [],
  );
  const items = await table.getMany(
    unnamed.map(({ membership: { organization, user_id: userId } }) =>
      kinds.member.key({ organization, userId }),
    ),
  );
  return new Map(
    unnamed.map(({ person }, index) => [person, items[index] ? parseMember(items[index]).username : null]),
  );
}
