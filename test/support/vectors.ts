import { answerSearchVectors } from "../../cli/local/engine/search-vectors.ts";
import { systemChance } from "../../lib/runtime/chance.ts";
import { systemClock } from "../../lib/runtime/clock.ts";
import type { StoreAnswers, StoreClient, StoreOperation } from "../../lib/store/client.ts";
import { createVectorSearch, type VectorSearch } from "../../lib/store/vectors.ts";
import type { TestStore } from "./engine.ts";

/** The review index of this store: the engine's vector index, or the exact search where the engine has none. */
export function vectorsOf({ client, tableName, vectorIndex }: TestStore): VectorSearch {
  const common = { tableName, clock: systemClock, chance: systemChance };
  return createVectorSearch({ ...common, client: vectorIndex ? client : withExactSearch(client) });
}

const withExactSearch = (client: StoreClient): StoreClient => ({
  ...client,
  async call<Operation extends StoreOperation>(operation: Operation, input: object, signal?: AbortSignal) {
    if (operation !== "SearchVectors") return client.call(operation, input, signal);
    // The compiler does not narrow a type parameter by a comparison.
    return (await answerSearchVectors(client, input)) as StoreAnswers[Operation];
  },
});
