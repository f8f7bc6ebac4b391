import { indexLimits, learningLimits } from "../contract/limits.ts";
import { markStale } from "../index/stale.ts";
import { toTimestamp } from "../runtime/clock.ts";
import type { Random } from "../runtime/random.ts";
import type { LearningItem, LearningRemoval } from "../store/items/learning.ts";
import { unchanged } from "../store/items/unchanged.ts";
import {
  learningKey,
  learningListKey,
  learningPlace,
  learningRemovalKey,
  organizationPendingKey,
  organizationTenant,
  pendingKey,
  type TenantKey,
} from "../store/layout.ts";
import { type Condition, type Item, identityOf, type Key, type TransactionWrite } from "../store/table.ts";
import { ttlAfter } from "../store/ttl.ts";
import type { Content } from "./content.ts";
import { learningUuid } from "./identity.ts";

/** When and for whom something is listed. */
export type Place = {
  readonly nowMs: number;
  /** The tenant that the organization belongs to. */
  readonly tenant: TenantKey;
  readonly placeInBatch: number;
};

/** A moment of writing: what everything written in it shares. */
export type WriteContext = Place & {
  readonly revision: string;
  /** Whoever writes also indexes; else the reconciler is to do it at once. */
  readonly indexedByWriter: boolean;
};

export const writeContext = (
  { nowMs, random }: { readonly nowMs: number; readonly random: Random },
  tenant: TenantKey,
  { placeInBatch = 0, indexedByWriter = false }: { placeInBatch?: number; indexedByWriter?: boolean } = {},
): WriteContext => ({ nowMs, tenant, placeInBatch, indexedByWriter, revision: random.uuid() });

type InitialFields = Pick<
  LearningItem,
  "state" | "pull_requests" | "approve_at" | "author_id" | "created_at"
> & {
  readonly generation: number;
  readonly removedPlace?: string | undefined;
};

export function newLearning(
  at: WriteContext,
  organization: string,
  { repositoryId, text, digest, file, sourceUrl }: Content,
  { generation, removedPlace, ...birth }: InitialFields,
): LearningItem {
  const id = learningUuid(organization, repositoryId, text, generation);
  const isListed = birth.state === "approved";
  return {
    ...learningKey(organization, id),
    id,
    organization,
    repository_id: repositoryId,
    text,
    digest,
    origin: { digest, generation },
    file,
    source_url: sourceUrl,
    ...birth,
    usage_count: 0,
    last_used_at: null,
    updated_at: toTimestamp(at.nowMs),
    revision: at.revision,
    listed: isListed ? listedBehind(at, id, removedPlace) : null,
    ...(!isListed && removedPlace !== undefined && { listed_after: removedPlace }),
  };
}

/** The same Learning, changed now: at the end of the export if it is in it. */
export const changed = (
  at: WriteContext,
  learning: LearningItem,
  change: Partial<LearningItem>,
): LearningItem => {
  const after = { ...learning, ...change, updated_at: toTimestamp(at.nowMs), revision: at.revision };
  const { id, listed: before, listed_after: removedPlace } = learning;
  const listed = listedBehind(at, id, before?.place ?? removedPlace);
  return { ...after, listed: after.state === "approved" ? listed : null };
};

/** Shared and approved, whatever it was before. */
export const approved = (at: WriteContext, learning: LearningItem): LearningItem =>
  changed(at, learning, { state: "approved", pull_requests: [], approve_at: null });

/**
 * Behind the place it had: clocks differ, and a walk must not have passed where it moves to. Behind a removal of the same
 * id too: in the removal's own place both would stand, in no order.
 */
export function listedBehind(at: Place, id: string, before = "") {
  const place = placeAt(at, id);
  return { tenant: at.tenant, place: place > before ? place : placeAfter(at, id, before) };
}

const placeAt = ({ nowMs, placeInBatch }: Place, id: string): string =>
  learningPlace(toTimestamp(nowMs), placeInBatch, id);

const placeAfter = (at: Place, id: string, before: string): string =>
  placeAt({ ...at, nowMs: Date.parse(timeOfPlace(before)) + 1 }, id);

/** Use is part of it: the copies carry the counts, so none may get lost between reading and writing. */
export const unchangedLearning = (learning: LearningItem): Condition =>
  unchanged(learning, ["revision", "usage_count", "last_used_at"]);

/** The record as it is now, with its copies in the export and its place among the pending ones. */
export const replaceWrites = (before: LearningItem | undefined, after: LearningItem): TransactionWrite[] => [
  ...moveWrites(before, after),
  ...tenantLeft(before, after).map((put) => ({ put })),
];

/** The same for an organization that moves: readers of the tenant it left were told that all of it is gone. */
export function moveWrites(before: LearningItem | undefined, after: LearningItem): TransactionWrite[] {
  const kept = new Set(secondaryKeys(after).map(identityOf));
  const gone = (before ? secondaryKeys(before) : []).filter((key) => !kept.has(identityOf(key)));
  const lists = new Map(listKeys(after).map(({ pk, sk }) => [pk, sk]));
  return [
    { put: after, when: before ? unchangedLearning(before) : { absent: "pk" } },
    ...gone.map((key) => {
      const place = lists.get(key.pk);
      return place === undefined ? { delete: key } : { put: movedOn(key, place) };
    }),
    ...listKeys(after).map((key) => ({ put: { ...after, ...key }, ...momentOf(after.listed?.place) })),
    ...pendingKeys(after).map((key) => ({
      put: { ...key, organization: after.organization, id: after.id },
    })),
  ];
}

/**
 * The transaction shows item by item to plain reads: without this a walk could find the old place empty and the new
 * one not yet filled.
 */
const movedOn = (key: Key, place: string): Item => {
  const movedAt = timeOfPlace(place);
  return {
    ...key,
    moved_to: place,
    moved_at: movedAt,
    ttl: ttlAfter(Date.parse(movedAt), learningLimits.movedDays),
  };
};

const momentOf = (place: string | undefined) =>
  place === undefined ? {} : { momentMs: Date.parse(timeOfPlace(place)) };

export const timeOfPlace = (place: string): string => place.slice(0, place.indexOf("#"));

/** The same for what the index must follow. */
export const recordWrites = (
  at: WriteContext,
  before: LearningItem | undefined,
  after: LearningItem,
): TransactionWrite[] => [
  ...replaceWrites(before, after),
  ...(after.state === "approved" ? [markStale(after, leftBehindAtMs(at))] : []),
];

/** Takes the record and all that stands beside it away. */
export const removeWrites = (learning: LearningItem, nowMs: number): TransactionWrite[] => [
  { delete: learningKey(learning.organization, learning.id), when: unchanged(learning, ["revision"]) },
  ...secondaryKeys(learning).map((key) => ({ delete: key })),
  ...removals(learning, nowMs).map((put) => ({ put, momentMs: nowMs })),
];

/** Where its removal stands: behind the place it had. Undefined where it was in no list. */
export const removalPlace = (
  { id, listed }: Pick<LearningItem, "id" | "listed">,
  nowMs: number,
): string | undefined =>
  listed
    ? listedBehind({ nowMs, tenant: listed.tenant, placeInBatch: 0 }, id, listed.place).place
    : undefined;

/** For readers that keep a mirror, in the order of the list. */
function removals(learning: LearningItem, nowMs: number): LearningRemoval[] {
  const place = removalPlace(learning, nowMs);
  return place === undefined
    ? []
    : ownersOf(learning).map((owner) => removalFrom(owner, learning, place, nowMs));
}

/**
 * A request that began before its organization moved lists a Learning with the tenant of then. Until it is listed anew
 * the readers of the other tenant do not have it, and if it is deleted meanwhile nobody else would tell them.
 */
function tenantLeft(before: LearningItem | undefined, after: LearningItem): LearningRemoval[] {
  const { listed } = after;
  if (!before || !listed) return [];
  const kept = ownersOf(after);
  const atMs = Date.parse(timeOfPlace(listed.place));
  return ownersOf(before)
    .filter((owner) => !kept.includes(owner))
    .map((owner) => removalFrom(owner, before, listed.place, atMs));
}

const removalFrom = (
  owner: TenantKey,
  { id, organization, repository_id, author_id }: LearningItem,
  place: string,
  atMs: number,
): LearningRemoval => ({
  ...learningRemovalKey(owner, place),
  id,
  organization,
  repository_id,
  author_id,
  removed_at: toTimestamp(atMs),
  ttl: ttlAfter(atMs, learningLimits.removalDays),
});

const leftBehindAtMs = ({ nowMs, indexedByWriter }: WriteContext): number =>
  nowMs + (indexedByWriter ? indexLimits.leftBehindAfterMs : 0);

const secondaryKeys = (learning: LearningItem): Key[] => [...listKeys(learning), ...pendingKeys(learning)];

/** Once for the tenant's readers and once for the organization's; once where the two are the same. */
export const listKeys = (learning: LearningItem): Key[] =>
  ownersOf(learning).map((owner) => learningListKey(owner, learning.listed?.place ?? ""));

const ownersOf = ({ organization, listed }: LearningItem): TenantKey[] =>
  listed ? [...new Set([organizationTenant(organization), listed.tenant])] : [];

const pendingKeys = ({ state, approve_at, organization, id }: LearningItem): Key[] =>
  state === "pending" && approve_at !== null
    ? [pendingKey(approve_at, organization, id), organizationPendingKey(approve_at, organization, id)]
    : [];
