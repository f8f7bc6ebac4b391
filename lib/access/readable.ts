import { createHash } from "node:crypto";
import * as kinds from "../contract/items.ts";
import { parseMemberReads } from "../store/items/people.ts";
import { memberReadsPartKey } from "../store/layout.ts";
import type { ReadAhead } from "../store/read-ahead.ts";
import type { Item, Table } from "../store/table.ts";
import type { Principal } from "./principal.ts";

/** The repositories that a caller can read: all of the organization, or the listed ones. Only user keys have a list. */
export type ReadableRepositories = "*" | ReadonlySet<string>;

export const isReadable = (readable: ReadableRepositories, repositoryId: string): boolean =>
  readable === "*" || readable.has(repositoryId);

/** A cursor is bound to it. Undefined for all repositories, so that cursors of other keys do not change. */
export const readableDigest = (readable: ReadableRepositories): string | undefined =>
  readable === "*"
    ? undefined
    : createHash("sha256")
        .update(JSON.stringify([...readable].sort()))
        .digest()
        .subarray(0, 12)
        .toString("base64url");

/** User keys act as their member, all other keys read everything. The first part of the member's list is read ahead. */
export async function readableBy(
  table: Table,
  { key, home, userId }: Principal,
  ahead: ReadAhead,
): Promise<ReadableRepositories> {
  if (key.kind !== "user") return "*";
  // A user key has both. Without them, it reads nothing.
  if (!home || !userId) return new Set();
  return await readableFrom(
    table,
    home.uuid,
    userId,
    ahead.get(kinds.memberReads.key({ organization: home.uuid, userId })),
  );
}

/** The repositories that the member can read now. `first` is the first part of the list, which is already read. */
export async function readableFrom(
  table: Table,
  organization: string,
  userId: string,
  first: Item | undefined,
): Promise<ReadableRepositories> {
  if (!first) return new Set();
  const { all, parts, repository_ids } = parseMemberReads(first);
  if (all) return "*";
  if (parts === 1) return new Set(repository_ids);
  // Reads one snapshot: if the list is replaced meanwhile, parts of two lists must not be mixed.
  const keys = Array.from({ length: parts }, (_, index) => memberReadsPartKey(organization, userId, index));
  const found = await table.transactGet(keys);
  const snapshot = found.filter((item) => item !== undefined).map(parseMemberReads);
  if (snapshot[0]?.parts !== parts) return readableFrom(table, organization, userId, found[0]);
  return new Set(snapshot.flatMap((part) => part.repository_ids));
}
