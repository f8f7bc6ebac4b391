import { createHash } from "node:crypto";
import { eventLimits } from "../contract/limits.ts";
import type { MemberItem } from "../store/items/people.ts";
import { memberReadsPartKey } from "../store/layout.ts";
import type { TransactionWrite } from "../store/table.ts";

/**
 * The repositories a member can read: a list of the provider's ids, or `*` for all repositories of the organization.
 */
export type Readable = "*" | readonly string[];

/** A list as a sorted set, divided into parts that each fit in an item. */
export type ReadableParts = {
  readonly digest: string;
  readonly all: boolean;
  readonly parts: ReadonlyArray<readonly string[]>;
};

export function readableParts(readable: Readable): ReadableParts {
  const all = readable === "*";
  const ids = all ? [] : [...new Set(readable)].sort();
  const digest = createHash("sha256")
    .update(JSON.stringify(all ? "*" : ids))
    .digest("base64url");
  return { digest, all, parts: cut(ids) };
}

function cut(ids: readonly string[]): string[][] {
  let part: string[] = [];
  const parts = [part];
  let bytes = 0;
  for (const id of ids) {
    const size = readableIdBytes(id);
    if (bytes + size > eventLimits.readablePartBytesMax) {
      part = [];
      parts.push(part);
      bytes = 0;
    }
    part.push(id);
    bytes += size;
  }
  return parts;
}

/** The size of an id in an item: its UTF-8 bytes plus DynamoDB's bytes for type and length. */
export const readableIdBytes = (id: string): number => Buffer.byteLength(id) + 4;

/** Replaces the stored list, in the member's own transaction. No writes if the list is the same. */
export function readableWrites(
  organization: string,
  userId: string,
  stored: MemberItem["reads"],
  { digest, all, parts }: ReadableParts,
): TransactionWrite[] {
  if (stored?.digest === digest) return [];
  const puts = parts.map((repository_ids, index) => ({
    put: { ...memberReadsPartKey(organization, userId, index), all, parts: parts.length, repository_ids },
  }));
  const surplus = Math.max(0, (stored?.parts ?? 0) - parts.length);
  const deletes = Array.from({ length: surplus }, (_, index) => ({
    delete: memberReadsPartKey(organization, userId, parts.length + index),
  }));
  return [...puts, ...deletes];
}
