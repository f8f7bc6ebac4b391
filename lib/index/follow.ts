import type { LearningItem } from "../store/items/learning.ts";
import type { Embedder } from "./embedder.ts";
import { type PlaceDeps, type Placement, place, vectorOf } from "./place.ts";
import { markerKey } from "./stale.ts";

/** A Learning that was just written, and its embedding, which may still be under way. */
export type Fresh = { readonly learning: LearningItem; readonly embedding: Promise<readonly number[]> };

/** Lets the index follow Learnings that are shared and approved now. Answers the ids that failed, with the reason. */
export async function followChanged(
  { embedder, ...deps }: PlaceDeps & { readonly embedder: Embedder },
  fresh: readonly Fresh[],
): Promise<ReadonlyMap<string, unknown>> {
  const failed = new Map<string, unknown>();
  const embedded = await Promise.allSettled(fresh.map(({ embedding }) => embedding));
  const placements = embedded.flatMap((outcome, index): Placement[] => {
    const learning = fresh[index]?.learning;
    if (!learning) return [];
    if (outcome.status === "rejected") {
      failed.set(learning.id, outcome.reason);
      return [];
    }
    const { organization, id, revision } = learning;
    const vector = vectorOf(learning, embedder, outcome.value);
    return [{ organization, id, vector, follows: revision, markers: [markerKey(learning)] }];
  });
  for (const [{ id }, reason] of await place(deps, placements)) failed.set(id, reason);
  return failed;
}
