import { createHash } from "node:crypto";
import { systemRoles } from "../contract/access.ts";
import type { PeopleGuard } from "../store/items/people.ts";

/** Names are unique ignoring case. A digest is a valid map key whatever characters the name contains. */
export const nameDigest = (name: string): string =>
  createHash("sha256").update(folded(name)).digest("base64url").slice(0, 22);

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

/** Ids are reserved too: a custom role called `cr_admin` would look like the system role. */
const reserved = new Set(
  Object.entries(systemRoles)
    .flatMap(([id, { name }]) => [id, name])
    .map(folded),
);

export const isReserved = (name: string): boolean => reserved.has(folded(name));

/** The id of the custom role that has the name. The guard's digests also protect against concurrent writers. */
export function roleIdWithName({ role_names }: PeopleGuard, name: string): string | undefined {
  const digest = nameDigest(name);
  return Object.hasOwn(role_names, digest) ? role_names[digest] : undefined;
}
