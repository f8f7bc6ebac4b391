import { nearestVectors } from "../../cli/local/engine/search-vectors.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { createVectorSearch, type VectorSearch } from "../../lib/store/vectors.ts";
import type { TestStore } from "./engine.ts";

/** The review index of this store: the engine's vector index, or the exact search where the engine has none. */
export function vectorsOf({ client, tableName, vectorIndex }: TestStore): VectorSearch {
  if (vectorIndex) return createVectorSearch({ client, tableName, clock: systemClock, random: systemRandom });
  return {
    search: (space, repository, vector, resultsMax) =>
      nearestVectors({ client, tableName }, resultsMax, { space, repository, vector }),
  };
}
