import { createHash } from "node:crypto";
import { systemRoles } from "../contract/access.ts";
import type { PeopleItem } from "../store/items/people.ts";
import type { RoleItem } from "../store/items/role.ts";

/** Names are unique ignoring case; a digest fits a map's key whatever the name holds. */
export const nameDigest = (name: string): string => digestOf(folded(name));

const digestOf = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 22);

/**
 * Upper case first: lower case alone keeps ß apart from SS and one sigma from another. What looks like a space
 * counts as one.
 */
const folded = (name: string): string =>
  name
    .replace(/[\p{Zs}\u2800]/gu, " ")
    .trim()
    .normalize("NFC")
    .toUpperCase()
    .toLowerCase()
    .normalize("NFC");

/** Every digest that a role of this name may be kept under: earlier releases did not fold, and differ for some names. */
export const nameDigests = (name: string): string[] => [
  ...new Set([nameDigest(name), digestOf(name.normalize("NFC").toLowerCase())]),
];

/** The ids too: a custom role called `cr_admin` would pass for the system's. */
const reserved = new Set(
  Object.entries(systemRoles)
    .flatMap(([id, { name }]) => [id, name])
    .map(folded),
);

export const isReserved = (name: string): boolean => reserved.has(folded(name));

/**
 * The id of the custom role that has the name: by the guard's digests, which hold against rivals, or by the roles' own
 * names, since of a name that an earlier release did not fold the guard knows only that spelling.
 */
export const namesakeOf = (
  { role_names, counts }: PeopleItem,
  roles: readonly RoleItem[],
  name: string,
): string | undefined =>
  nameDigests(name)
    .filter((digest) => Object.hasOwn(role_names, digest))
    .map((digest) => role_names[digest])[0] ??
  roles.find((role) => Object.hasOwn(counts, role.id) && folded(role.name) === folded(name))?.id;

/** The digests that the guard keeps for a role: looked up, since earlier releases made them in other ways. */
export const digestsOf = (guard: PeopleItem, roleId: string): string[] =>
  Object.entries(guard.role_names)
    .filter(([, id]) => id === roleId)
    .map(([digest]) => digest);
