import type { PeopleItem } from "../store/items/people.ts";
import type { Condition, Path, TransactionWrite } from "../store/table.ts";

/**
 * The guard counts the keys that were ever given a custom role. The count only grows: the keys' items show whether the
 * keys are still live. Because of the count, nobody can delete the role or give it to a key between that check and the
 * deletion.
 */
const countPath = (role: string): Path => ["keys_given", role];
/** Marks a guard that is older than the count: keys may hold roles that the count does not include. */
const uncounted = "*";

type Given = Pick<PeopleItem, "keys_given">;

/** Whether keys of the first release, which the count does not include, may hold a role. */
export const mayHaveOldKeys = ({ keys_given }: Given): boolean => !keys_given || uncounted in keys_given;

/** False only if it is certain that no key was ever given the role. */
export const mayBeHeldByKey = (guard: Given, role: string): boolean =>
  mayHaveOldKeys(guard) || (guard.keys_given !== undefined && role in guard.keys_given);

/** A write for the key's transaction: checks that the role exists, and counts one more key. */
export function keyGivenWrite({ pk, sk, keys_given }: PeopleItem, role: string): TransactionWrite {
  const exists: Condition = { present: ["roles", role] };
  // A guard that is older than the count gets one.
  const change = keys_given
    ? ({ set: [[countPath(role), (keys_given[role] ?? 0) + 1]] } as const)
    : ({ set: [["keys_given", { [role]: 1, [uncounted]: 1 }]] } as const);
  return { update: { pk, sk }, change, when: { all: [exists, roleKeysUnchanged({ keys_given }, role)] } };
}

/** The count of a guard after every key of its organization was read: how many keys were ever given each role. */
export function countedKeys(
  { keys_given = {} }: Given,
  keys: readonly { readonly role: string | null }[],
): Readonly<Record<string, number>> {
  const roles = new Set([...Object.keys(keys_given), ...keys.flatMap(({ role }) => role ?? [])]);
  roles.delete(uncounted);
  const found = (role: string) => keys.filter((key) => key.role === role).length;
  return Object.fromEntries([...roles].map((role) => [role, Math.max(keys_given[role] ?? 0, found(role))]));
}

/** A condition for the transaction that adds a count to a guard that had none. */
export const keysGivenUnchanged = ({ keys_given }: Given): Condition =>
  keys_given ? { equals: ["keys_given", keys_given] } : { absent: "keys_given" };

/** A condition for the transaction that deletes the role: no key was given the role since the guard was read. */
export function roleKeysUnchanged({ keys_given }: Given, role: string): Condition {
  if (!keys_given) return { absent: "keys_given" };
  const given = keys_given[role];
  return given === undefined ? { absent: countPath(role) } : { equals: [countPath(role), given] };
}
