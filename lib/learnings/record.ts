import * as kinds from "../contract/items.ts";
import { indexLimits, learningLimits } from "../contract/limits.ts";
import { organizationTenant, type TenantKey } from "../contract/tenants.ts";
import { markStale } from "../index/stale.ts";
import { toTimestamp } from "../runtime/clock.ts";
import type { Random } from "../runtime/random.ts";
import type { LearningItem, LearningRemoval } from "../store/items/learning.ts";
import { unchanged } from "../store/items/unchanged.ts";
import { learningPlace } from "../store/layout.ts";
import { type Condition, type Item, identityOf, type Key, type TransactionWrite } from "../store/table.ts";
import { ttlAfter } from "../store/ttl.ts";
import type { LearningContent } from "./content.ts";
import { learningUuid } from "./identity.ts";

/** When, and for which tenant, something is listed. */
export type ListPosition = {
  readonly nowMs: number;
  /** The tenant that the organization belongs to. */
  readonly tenant: TenantKey;
  readonly placeInBatch: number;
};

/** What all writes of one change share. */
export type WriteContext = ListPosition & {
  readonly revision: string;
  /** True if the writer also indexes; otherwise the reconciler does it immediately. */
  readonly indexedByWriter: boolean;
};

export const writeContext = (
  { nowMs, random }: { readonly nowMs: number; readonly random: Random },
  tenant: TenantKey,
  { placeInBatch = 0, indexedByWriter = false }: { placeInBatch?: number; indexedByWriter?: boolean } = {},
): WriteContext => ({ nowMs, tenant, placeInBatch, indexedByWriter, revision: random.uuid() });

type InitialFields = Pick<
  LearningItem,
  | "state"
  | "pull_requests"
  | "closed_pull_requests"
  | "approve_at"
  | "waits_since"
  | "captured_as"
  | "author_id"
  | "created_at"
> & {
  readonly generation: number;
  readonly removedPlace?: string | undefined;
};

export function newLearning(
  at: WriteContext,
  organization: string,
  { repositoryId, text, digest, file, sourceUrl }: LearningContent,
  { generation, removedPlace, ...birth }: InitialFields,
): LearningItem {
  const id = learningUuid(organization, repositoryId, text, generation);
  const isListed = birth.state === "approved";
  return {
    ...kinds.learning.key({ organization, learningId: id }),
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

/** The same Learning, changed now; if it is in the export, it moves to the end. */
export const changedLearning = (
  at: WriteContext,
  learning: LearningItem,
  change: Partial<LearningItem>,
): LearningItem => {
  const after = { ...learning, ...change, updated_at: toTimestamp(at.nowMs), revision: at.revision };
  const { id, listed: before, listed_after: removedPlace } = learning;
  const behind = isOfOtherAuthor(learning, after) ? removalPlace(learning, at.nowMs) : before?.place;
  const listed = listedBehind(at, id, behind ?? removedPlace);
  return { ...after, listed: after.state === "approved" ? listed : null };
};

/** Shared and approved, regardless of its state before. */
export const approvedLearning = (at: WriteContext, learning: LearningItem): LearningItem =>
  changedLearning(at, learning, { state: "approved", ...undecided });

/** Removes every reason to decide about a Learning later. */
export const undecided = {
  pull_requests: [],
  closed_pull_requests: undefined,
  approve_at: null,
  waits_since: undefined,
};

/**
 * After the previous place: clocks differ, and a walk must not have passed the new place. Also after a removal of the
 * same id: at the removal's own place the order of the two would be undefined.
 */
export function listedBehind(at: ListPosition, id: string, before = "") {
  const place = placeAt(at, id);
  return { tenant: at.tenant, place: place > before ? place : placeAfter(at, id, before) };
}

const placeAt = ({ nowMs, placeInBatch }: ListPosition, id: string): string =>
  learningPlace(toTimestamp(nowMs), placeInBatch, id);

const placeAfter = (at: ListPosition, id: string, before: string): string =>
  placeAt({ ...at, nowMs: Date.parse(timeOfPlace(before)) + 1 }, id);

/** Includes the usage: the copies carry the counts, so no use may be lost between reading and writing. */
export const unchangedLearning = (learning: LearningItem): Condition =>
  unchanged(learning, ["revision", "usage_count", "last_used_at"]);

/** Writes the current record, its copies in the export and its row in the pending lists. */
export const replaceWrites = (before: LearningItem | undefined, after: LearningItem): TransactionWrite[] => [
  ...moveWrites(before, after),
  ...tenantLeft(before, after).map((put) => ({ put })),
];

/** For an organization that moves: readers of its old tenant already know that the whole organization left. */
export function moveWrites(before: LearningItem | undefined, after: LearningItem): TransactionWrite[] {
  const kept = new Set(secondaryKeys(after).map(identityOf));
  const gone = (before ? secondaryKeys(before) : []).filter((key) => !kept.has(identityOf(key)));
  const lists = new Map(learningListKeys(after).map(({ pk, sk }) => [pk, sk]));
  return [
    { put: after, when: before ? unchangedLearning(before) : { absent: "pk" } },
    ...gone.map((key) => {
      const place = lists.get(key.pk);
      return place === undefined ? { delete: key } : { put: movedOn(key, place) };
    }),
    ...learningListKeys(after).map((key) => ({
      put: { ...after, ...key },
      ...momentOf(after.listed?.place),
    })),
    ...pendingKeys(after).map((key) => ({
      put: { ...key, organization: after.organization, id: after.id },
    })),
  ];
}

/** Plain reads see a transaction item by item: a walk could find the old place empty and the new one not filled. */
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

/** The same for a change that the index must follow. */
export const recordWrites = (
  at: WriteContext,
  before: LearningItem | undefined,
  after: LearningItem,
): TransactionWrite[] => [
  ...replaceWrites(before, after),
  ...(before && isOfOtherAuthor(before, after) ? removalWrites(before, at.nowMs) : []),
  ...(after.state === "approved" ? [markStale(after, leftBehindAtMs(at))] : []),
];

/** Deletes the record and its rows in the lists. */
export const removeWrites = (learning: LearningItem, nowMs: number): TransactionWrite[] => [
  {
    delete: kinds.learning.key({ organization: learning.organization, learningId: learning.id }),
    when: unchanged(learning, ["revision"]),
  },
  ...secondaryKeys(learning).map((key) => ({ delete: key })),
  ...removalWrites(learning, nowMs),
];

const removalWrites = (learning: LearningItem, nowMs: number): TransactionWrite[] =>
  removals(learning, nowMs).map((put) => ({ put, momentMs: nowMs }));

/** A mirror of the former author's Learnings must remove it, so it is removed and listed again behind the removal. */
const isOfOtherAuthor = (before: LearningItem, after: LearningItem): boolean =>
  before.listed !== null && before.author_id !== after.author_id;

/** The place of its removal: after the place it had. Undefined if it was in no list. */
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
 * A request that began before its organization moved lists a Learning under the former tenant. The readers of the other
 * tenant do not get the Learning until it is listed again; if it is deleted before that, no other item reports the
 * deletion to them.
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
  ...kinds.learningRemoval.key({ tenant: owner, place }),
  id,
  organization,
  repository_id,
  author_id,
  removed_at: toTimestamp(atMs),
  ttl: ttlAfter(atMs, learningLimits.removalDays),
});

const leftBehindAtMs = ({ nowMs, indexedByWriter }: WriteContext): number =>
  nowMs + (indexedByWriter ? indexLimits.leftBehindAfterMs : 0);

const secondaryKeys = (learning: LearningItem): Key[] => [
  ...learningListKeys(learning),
  ...pendingKeys(learning),
];

/** One key for the tenant's readers and one for the organization's; only one if both are the same. */
export const learningListKeys = (learning: LearningItem): Key[] =>
  ownersOf(learning).map((owner) =>
    kinds.listedLearning.key({ tenant: owner, place: learning.listed?.place ?? "" }),
  );

const ownersOf = ({ organization, listed }: LearningItem): TenantKey[] =>
  listed ? [...new Set([organizationTenant(organization), listed.tenant])] : [];

const pendingKeys = ({ state, approve_at, organization, id }: LearningItem): Key[] =>
  state === "pending" && approve_at !== null
    ? [
        kinds.pending.key({ approveAt: approve_at, organization, learningId: id }),
        kinds.organizationPending.key({ approveAt: approve_at, organization, learningId: id }),
      ]
    : [];
