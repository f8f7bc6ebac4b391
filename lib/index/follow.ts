import { indexLimits } from "../contract/limits.ts";
import type { Clock } from "../runtime/clock.ts";
import type { LearningItem } from "../store/items/learning.ts";
import type { Embedder, Embedding } from "./embedder.ts";
import { markerKey, markStale } from "./stale.ts";
import { type VectorDeps, type VectorUpdate, vectorItems, writeVectors } from "./write-vectors.ts";

/** A Learning whose vector is missing or wrong, and its embedding, which may still be in progress. */
export type ChangedLearning = {
  readonly learning: LearningItem;
  readonly embedding: Promise<Embedding>;
  /** Written just now, with its marker. Otherwise this is a repair, and the Learning may have changed meanwhile. */
  readonly isMarked: boolean;
};

/** Updates the index for Learnings that are shared and approved now. Returns the ids that failed, with the reason. */
export async function indexChanged(
  { embedder, clock, ...deps }: VectorDeps & { readonly embedder: Embedder; readonly clock: Clock },
  fresh: readonly ChangedLearning[],
): Promise<ReadonlyMap<string, unknown>> {
  const failed = new Map<string, unknown>();
  const placements = await Promise.all(
    fresh.map(async ({ learning, embedding }): Promise<VectorUpdate[]> => {
      const { organization, id, revision } = learning;
      try {
        const vectors = vectorItems(learning, embedder, await embedding);
        return [{ organization, id, vectors, strays: [], follows: revision, markers: [markerKey(learning)] }];
      } catch (error) {
        failed.set(id, error);
        return [];
      }
    }),
  );
  const unmarked = fresh.filter(({ isMarked, learning }) => !isMarked && !failed.has(learning.id));
  try {
    await deps.table.writeMany(unmarked.map(({ learning }) => markStale(learning, leftBehindAtMs(clock))));
  } catch (error) {
    for (const { learning } of unmarked) failed.set(learning.id, error);
  }
  const placed = placements.flat().filter(({ id }) => !failed.has(id));
  for (const [{ id }, reason] of await writeVectors(deps, placed)) failed.set(id, reason);
  return failed;
}

const leftBehindAtMs = (clock: Clock): number => clock.nowMs() + indexLimits.leftBehindAfterMs;
