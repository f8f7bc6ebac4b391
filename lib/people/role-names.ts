import { createHash } from "node:crypto";
import { systemRoles } from "../contract/access.ts";
import type { PeopleItem } from "../store/items/people.ts";
import type { RoleItem } from "../store/items/role.ts";

/** Names are unique ignoring case. A digest is a valid map key whatever characters the name contains. */
export const nameDigest = (name: string): string => digestOf(folded(name));

const digestOf = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 22);

/**
 * Upper case first: lower case alone does not make ß equal to SS, nor one form of sigma equal to another. Every
 * character that looks like a space counts as a space.
 */
const folded = (name: string): string =>
  name
    .replace(/[\p{Zs}\u2800]/gu, " ")
    .trim()
    .normalize("NFC")
    .toUpperCase()
    .toLowerCase()
    .normalize("NFC");

/**
 * Every digest that a role of this name may be stored under: earlier releases did not fold, so for some names they
 * differ.
 */
export const nameDigests = (name: string): string[] => [
  ...new Set([nameDigest(name), digestOf(name.normalize("NFC").toLowerCase())]),
];

/** Ids are reserved too: a custom role called `cr_admin` would look like the system role. */
const reserved = new Set(
  Object.entries(systemRoles)
    .flatMap(([id, { name }]) => [id, name])
    .map(folded),
);

export const isReserved = (name: string): boolean => reserved.has(folded(name));

/**
 * The id of the custom role that has the name. It is found by the guard's digests, which also protect against
 * concurrent writers, or by the roles' own names: if an earlier release did not fold a name, the guard knows only that
 * spelling.
 */
export const roleIdWithName = (
  { role_names, counts }: PeopleItem,
  roles: readonly RoleItem[],
  name: string,
): string | undefined =>
  nameDigests(name)
    .filter((digest) => Object.hasOwn(role_names, digest))
    .map((digest) => role_names[digest])[0] ??
  roles.find((role) => Object.hasOwn(counts, role.id) && folded(role.name) === folded(name))?.id;

/**
 * The digests that the guard stores for a role. They are looked up, because earlier releases computed them differently.
 */
export const storedDigestsOf = (guard: PeopleItem, roleId: string): string[] =>
  Object.entries(guard.role_names)
    .filter(([, id]) => id === roleId)
    .map(([digest]) => digest);
