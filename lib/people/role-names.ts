import { createHash } from "node:crypto";
import { systemRoles } from "../contract/access.ts";
import type { PeopleItem } from "../store/items/people.ts";

/** Names are unique ignoring case; a digest fits a map's key whatever the name holds. */
export const nameDigest = (name: string): string =>
  createHash("sha256").update(name.normalize("NFC").toLowerCase()).digest("base64url").slice(0, 22);

/** The ids too: a custom role called `cr_admin` would pass for the system's. */
const reserved = new Set(
  Object.entries(systemRoles)
    .flatMap(([id, { name }]) => [id, name])
    .map((name) => name.toLowerCase()),
);

export const isTaken = (guard: PeopleItem, name: string): boolean =>
  Object.hasOwn(guard.role_names, nameDigest(name)) || reserved.has(name.toLowerCase());

/** The digests that the guard keeps for a role: looked up, since older names were not all in NFC. */
export const digestsOf = (guard: PeopleItem, roleId: string): string[] =>
  Object.entries(guard.role_names)
    .filter(([, id]) => id === roleId)
    .map(([digest]) => digest);
