import type { PeopleItem } from "../store/items/people.ts";
import type { Condition, Path, TransactionWrite } from "../store/table.ts";

/**
 * The guard counts the keys that were ever given a custom role. The count only grows: whether those keys still live is
 * for their items to say, but nobody can delete the role between that look and the deletion, or give it to a key.
 */
const countPath = (role: string): Path => ["keys_given", role];
/** Stands among the roles of a guard from before there was a count: keys may hold roles that it does not know of. */
const uncounted = "*";

type Given = Pick<PeopleItem, "keys_given">;

/** Keys of the first release may be among the holders of a role. */
export const mayHaveOldKeys = ({ keys_given }: Given): boolean => !keys_given || uncounted in keys_given;

/** False only where it is certain that no key was ever given the role. */
export const mayBeHeldByKey = (guard: Given, role: string): boolean =>
  mayHaveOldKeys(guard) || (guard.keys_given !== undefined && role in guard.keys_given);

/** For the transaction of the key: the role exists, and one more key has it. */
export function keyGivenWrite({ pk, sk, keys_given }: PeopleItem, role: string): TransactionWrite {
  const exists: Condition = { present: ["roles", role] };
  // Guards from before there was a count get one.
  const change = keys_given
    ? ({ set: [[countPath(role), (keys_given[role] ?? 0) + 1]] } as const)
    : ({ set: [["keys_given", { [role]: 1, [uncounted]: 1 }]] } as const);
  return { update: { pk, sk }, change, when: { all: [exists, noKeyGivenSince({ keys_given }, role)] } };
}

/** What a guard counts once every key of its organization was looked at: those that were ever given each role. */
export function countedKeys(
  { keys_given = {} }: Given,
  keys: readonly { readonly role: string | null }[],
): Readonly<Record<string, number>> {
  const roles = new Set([...Object.keys(keys_given), ...keys.flatMap(({ role }) => role ?? [])]);
  roles.delete(uncounted);
  const found = (role: string) => keys.filter((key) => key.role === role).length;
  return Object.fromEntries([...roles].map((role) => [role, Math.max(keys_given[role] ?? 0, found(role))]));
}

/** For the transaction that makes a count of a guard that had none. */
export const noKeyGivenAtAllSince = ({ keys_given }: Given): Condition =>
  keys_given ? { equals: ["keys_given", keys_given] } : { absent: "keys_given" };

/** For the transaction that deletes the role: no key got it since the guard was read. */
export function noKeyGivenSince({ keys_given }: Given, role: string): Condition {
  if (!keys_given) return { absent: "keys_given" };
  const given = keys_given[role];
  return given === undefined ? { absent: countPath(role) } : { equals: [countPath(role), given] };
}
