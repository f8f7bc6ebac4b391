import { embedAll, embeddedTexts } from "../../lib/index/embedder.ts";
import { localEmbedder } from "../../lib/index/local-embedder.ts";
import { isIndexed, vectorItems } from "../../lib/index/write-vectors.ts";
import { nearestVectors } from "../../lib/local/engine/search-vectors.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { createVectorSearch, type VectorSearch } from "../../lib/store/vectors.ts";
import type { TestStore } from "./engine.ts";
import { learningsOf } from "./stored.ts";
import type { World } from "./world.ts";

/** The review index of this store: the engine's vector index, or the exact search where the engine has none. */
export function vectorsOf({ client, tableName, vectorIndex }: TestStore): VectorSearch {
  if (vectorIndex) return createVectorSearch({ client, tableName, clock: systemClock, random: systemRandom });
  return {
    search: (within, vector, resultsMax) =>
      nearestVectors({ client, tableName }, resultsMax, { ...within, vector }),
  };
}

/** Puts the Learnings of an organization into the index, as the reconciler does. */
export async function indexAll({ deps }: World, organization: string): Promise<void> {
  const learnings = (await learningsOf(deps.table, organization)).filter(isIndexed);
  const items = await Promise.all(
    learnings.map(async (learning) =>
      vectorItems(learning, localEmbedder, await embedAll(localEmbedder, embeddedTexts(learning))),
    ),
  );
  await deps.table.writeMany(items.flat().map((put) => ({ put })));
}
