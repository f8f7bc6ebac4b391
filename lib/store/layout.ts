/** Keys that choose between two kinds of item, or that need more than the parts of a pattern (lib/contract/items.ts). */
import * as kinds from "../contract/items.ts";
import { type DatasetLetter, partsOf } from "../contract/kind.ts";
import {
  escapeKeyPart,
  isWorkspaceTenant,
  organizationTenant,
  type PoolKey,
  type TenantKey,
} from "../contract/tenants.ts";
import type { Key } from "./table.ts";

/**
 * A sort key in the form that cursors hold: `escapeKeyPart` turns a `#` or a `%` into three bytes, and here each
 * becomes one byte again. The separator of the parts becomes NUL, which no id holds.
 */
export const packSortKey = (sk: string): string =>
  sk.replace(/%23|%25|#/g, (found) => (found === "#" ? "\u0000" : found === "%23" ? "#" : "%"));
export const unpackSortKey = (packed: string): string => escapeKeyPart(packed).replaceAll("\u0000", "#");

export const keyOfRow = (row: Key): string => partsOf(kinds.keyRow, row)?.keyId ?? "";

const nameOf = ({ pk, sk }: Key): string => `${pk}/${sk}`;
export const waitingKey = (dependency: Key, version: string): Key =>
  kinds.waiting.key({ dependency: nameOf(dependency), version });
export const waitingPartition = (dependency: Key): string =>
  kinds.waiting.partition({ dependency: nameOf(dependency) });

export const auditKey = (tenant: TenantKey, time: string, entryId: string): Key =>
  kinds.audit.key({ tenant, month: time.slice(0, 7), time, entryId });

/** An organization's pool is part of its people guard; a workspace's pool is a separate item. */
export const poolGuardKey = (pool: PoolKey): Key =>
  isWorkspaceTenant(pool)
    ? kinds.seatPool.key({ pool })
    : kinds.people.key({ organization: pool.slice(organizationTenant("").length) });
/** In a workspace one e-mail address is one person; elsewhere, or without an address, each membership is one. */
export const personKey = (
  pool: PoolKey,
  member: { readonly organization: string; readonly userId: string; readonly email: string | null },
): Key =>
  kinds.person.key({
    pool,
    person:
      isWorkspaceTenant(pool) && member.email !== null
        ? `mail#${escapeKeyPart(member.email.toLowerCase())}`
        : `user#${member.organization}#${escapeKeyPart(member.userId)}`,
  });
/** A list that is too long for one item continues in further items. */
export const memberReadsPartKey = (organization: string, userId: string, part: number): Key =>
  part === 0
    ? kinds.memberReads.key({ organization, userId })
    : kinds.memberReadsPart.key({ organization, userId, part });

export type RemovalPlace = {
  readonly tenant: TenantKey;
  /** The organization that owns the copy; undefined for the tenant-wide copy. */
  readonly organization: string | undefined;
  readonly dataset: DatasetLetter;
};
export type EntryPlace = RemovalPlace & { readonly week: number };
export const streamNumberKey = (number: number): string => String(number).padStart(10, "0");
export const streamPartition = ({ organization, ...place }: EntryPlace): string =>
  organization === undefined
    ? kinds.entry.partition(place)
    : kinds.organizationEntry.partition({ ...place, organization });
export const streamEntryKey = (place: EntryPlace, number: number): Key => ({
  pk: streamPartition(place),
  sk: streamNumberKey(number),
});
export const streamRemovalPartition = ({ organization, ...place }: RemovalPlace): string =>
  organization === undefined
    ? kinds.removal.partition(place)
    : kinds.organizationRemoval.partition({ ...place, organization });
export const streamRemovalKey = (place: RemovalPlace, number: number): Key => ({
  pk: streamRemovalPartition(place),
  sk: streamNumberKey(number),
});
/** The reverse: undefined if the item is not an entry of a stream, or not a removal. */
export const parseEntryPlace = (item: Key): EntryPlace | undefined =>
  withOrganization(partsOf(kinds.entry, item)) ?? partsOf(kinds.organizationEntry, item);
export const parseRemovalPlace = (item: Key): RemovalPlace | undefined =>
  withOrganization(partsOf(kinds.removal, item)) ?? partsOf(kinds.organizationRemoval, item);
const withOrganization = <Place extends object>(place: Place | undefined) =>
  place && { ...place, organization: undefined };

/** `nn` is the place within a batch, so that a batch is exported in its own order. */
export const learningPlace = (writtenAt: string, placeInBatch: number, learningId: string): string =>
  `${writtenAt}#${String(placeInBatch).padStart(2, "0")}#${learningId}`;
/** A Learning with a long text has a vector for each piece of it. */
export const vectorKey = (organization: string, learningId: string, piece = 0): Key =>
  piece === 0
    ? kinds.vector.key({ organization, learningId })
    : kinds.vectorPiece.key({ organization, learningId, piece });
export const learningOfVector = (sk: string): string => sk.replace(/#.*/s, "");
/** Sorts after every piece of this Learning, and before every other Learning. */
export const behindVectors = (learningId: string): string => `${learningId}$`;
