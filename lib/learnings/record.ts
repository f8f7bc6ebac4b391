import { indexLimits } from "../contract/limits.ts";
import { markStale } from "../index/stale.ts";
import type { Chance } from "../runtime/chance.ts";
import { toTimestamp } from "../runtime/clock.ts";
import type { LearningItem } from "../store/items/learning.ts";
import { unchanged } from "../store/items/unchanged.ts";
import {
  learningKey,
  learningListKey,
  learningPlace,
  organizationTenant,
  pendingKey,
  type TenantKey,
} from "../store/layout.ts";
import type { Condition, Key, TransactionWrite } from "../store/table.ts";
import type { Content } from "./content.ts";
import { learningUuid } from "./identity.ts";

/** A moment of writing: what everything written in it shares. */
export type Moment = {
  readonly nowMs: number;
  /** The tenant that the organization belongs to. */
  readonly tenant: TenantKey;
  readonly placeInBatch: number;
  readonly revision: string;
  /** Whoever writes also indexes; else the reconciler is to do it at once. */
  readonly indexedByWriter: boolean;
};

export const moment = (
  { nowMs, chance }: { readonly nowMs: number; readonly chance: Chance },
  tenant: TenantKey,
  { placeInBatch = 0, indexedByWriter = false }: { placeInBatch?: number; indexedByWriter?: boolean } = {},
): Moment => ({ nowMs, tenant, placeInBatch, indexedByWriter, revision: chance.uuid() });

type Birth = Pick<LearningItem, "state" | "pull_requests" | "approve_at" | "author_id" | "created_at">;

export function newLearning(
  at: Moment,
  organization: string,
  { repositoryId, text, digest, file, sourceUrl }: Content,
  generation: number,
  birth: Birth,
): LearningItem {
  const id = learningUuid(organization, repositoryId, text, generation);
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
    listed: birth.state === "approved" ? listedAt(at, id) : null,
  };
}

/** The same Learning, changed now: at the end of the export if it is in it. */
export const changed = (at: Moment, learning: LearningItem, change: Partial<LearningItem>): LearningItem => {
  const after = { ...learning, ...change, updated_at: toTimestamp(at.nowMs), revision: at.revision };
  return { ...after, listed: after.state === "approved" ? listedAt(at, learning.id) : null };
};

/** Shared and approved, whatever it was before. */
export const approved = (at: Moment, learning: LearningItem): LearningItem =>
  changed(at, learning, { state: "approved", pull_requests: [], approve_at: null });

const listedAt = ({ nowMs, tenant, placeInBatch }: Moment, id: string) => ({
  tenant,
  place: learningPlace(toTimestamp(nowMs), placeInBatch, id),
});

/** Use is part of it: the copies carry the counts, so none may get lost between reading and writing. */
export const unchangedLearning = (learning: LearningItem): Condition =>
  unchanged(learning, ["revision", "usage_count", "last_used_at"]);

/** Everything that stands beside the record: its copies in the export, its place among the pending ones. */
export function recordWrites(
  at: Moment,
  before: LearningItem | undefined,
  after: LearningItem,
): TransactionWrite[] {
  const when = before ? unchangedLearning(before) : { absent: "pk" };
  const gone = before ? besides(before) : [];
  const kept = new Set(besides(after).map(identity));
  return [
    { put: after, when },
    ...gone.filter((key) => !kept.has(identity(key))).map((key) => ({ delete: key })),
    ...listKeys(after).map((key) => ({ put: { ...after, ...key } })),
    ...pendingKeys(after).map((key) => ({
      put: { ...key, organization: after.organization, id: after.id },
    })),
    ...(after.state === "approved" ? [markStale(after, leftBehindAtMs(at))] : []),
  ];
}

/** Takes the record and all that stands beside it away. An indexed one leaves a marker for the index. */
export function removalWrites(at: Moment, learning: LearningItem): TransactionWrite[] {
  const { organization, id, state } = learning;
  return [
    { delete: learningKey(organization, id), when: unchanged(learning, ["revision"]) },
    ...besides(learning).map((key) => ({ delete: key })),
    ...(state === "approved"
      ? [markStale({ organization, id, revision: at.revision }, leftBehindAtMs(at))]
      : []),
  ];
}

const leftBehindAtMs = ({ nowMs, indexedByWriter }: Moment): number =>
  nowMs + (indexedByWriter ? indexLimits.leftBehindAfterMs : 0);

const identity = ({ pk, sk }: Key): string => `${pk}\u0000${sk}`;

const besides = (learning: LearningItem): Key[] => [...listKeys(learning), ...pendingKeys(learning)];

/** Once for the tenant's readers and once for the organization's; once where the two are the same. */
export function listKeys({ organization, listed }: LearningItem): Key[] {
  if (!listed) return [];
  const owners = new Set([organizationTenant(organization), listed.tenant]);
  return [...owners].map((owner) => learningListKey(owner, listed.place));
}

const pendingKeys = ({ state, approve_at, organization, id }: LearningItem): Key[] =>
  state === "pending" && approve_at !== null ? [pendingKey(approve_at, organization, id)] : [];
