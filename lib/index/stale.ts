import * as kinds from "../contract/items.ts";
import { indexLimits } from "../contract/limits.ts";
import type { Key, Put } from "../store/table.ts";

/** Written in the change's own transaction. Whoever indexes the change removes this marker, never a later one's. */
export type LearningRevision = {
  readonly organization: string;
  readonly id: string;
  readonly revision: string;
};

/** Ids are UUIDs v5, so their first byte is distributed like a hash. */
export const shardOf = (id: string): number => Number.parseInt(id.slice(0, 2), 16) % indexLimits.staleShards;

export const markerKey = ({ organization, id, revision }: LearningRevision): Key =>
  kinds.stale.key({ shard: shardOf(id), organization, learningId: id, revision });

/** `leftBehindAtMs`: until then the writer is expected to index the change, and the reconciler ignores the marker. */
export const markStale = ({ organization, id, revision }: LearningRevision, leftBehindAtMs: number): Put => ({
  put: {
    ...markerKey({ organization, id, revision }),
    organization,
    id,
    revision,
    left_behind_at_ms: leftBehindAtMs,
  },
});
