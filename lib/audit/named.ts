import { auditLimits } from "../contract/limits.ts";

/** A person as the platform told of them. */
export type KnownPerson = {
  /** In the organization of the entry; null where a person has several ids. */
  readonly user_id: string | null;
  readonly username?: string | null | undefined;
  readonly email: string | null;
};

/** How a summary names a person; `id` is what the caller used. */
export const nameOfPerson = ({ user_id, username, email }: KnownPerson, id?: string): string =>
  email ?? username ?? id ?? user_id ?? "somebody";

export const namedPeople = (people: readonly KnownPerson[]): string =>
  named(people.map((person) => nameOfPerson(person)));

/** The first people of an entry: ids alone say little to a reader, and a batch may have hundreds. */
export const peopleMetadata = (people: readonly KnownPerson[]) => ({
  people: people.slice(0, auditLimits.peopleNamedMax).map(({ user_id, email }) => ({ user_id, email })),
});

const namesMax = 3;

/** Names or ids for one line of people: up to three, then how many more there are. */
export function named(names: readonly string[]): string {
  if (names.length === 0) return "nobody";
  const shown = names.slice(0, namesMax).join(", ");
  const more = names.length - namesMax;
  return more > 0 ? `${shown} and ${more} more` : shown;
}
