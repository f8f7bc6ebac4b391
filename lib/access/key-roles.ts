import type { PeopleGuard } from "../store/items/people.ts";
import type { Condition, Path, TransactionWrite } from "../store/table.ts";

/**
 * The guard counts the keys that were ever given a custom role. The count only grows: the keys' items show whether the
 * keys are still live. Because of the count, nobody can delete the role or give it to a key between that check and the
 * deletion.
 */
const countPath = (role: string): Path => ["keys_given", role];

type Given = Pick<PeopleGuard, "keys_given">;

/** False only if it is certain that no key was ever given the role. */
export const mayBeHeldByKey = ({ keys_given }: Given, role: string): boolean =>
  Object.hasOwn(keys_given, role);

/** A write for the key's transaction: checks that the role exists, and counts one more key. */
export function keyGivenWrite({ pk, sk, keys_given }: PeopleGuard, role: string): TransactionWrite {
  const exists: Condition = { present: ["counts", role] };
  const change = { set: [[countPath(role), (keys_given[role] ?? 0) + 1]] } as const;
  return { update: { pk, sk }, change, when: { all: [exists, roleKeysUnchanged({ keys_given }, role)] } };
}

/** A condition for the transaction that deletes the role: no key was given the role since the guard was read. */
export function roleKeysUnchanged({ keys_given }: Given, role: string): Condition {
  const given = keys_given[role];
  return given === undefined ? { absent: countPath(role) } : { equals: [countPath(role), given] };
}
