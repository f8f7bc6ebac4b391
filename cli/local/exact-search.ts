import { tableShape } from "../../lib/contract/table.ts";
import { cosine } from "../../lib/index/embedder.ts";
import { parseVector, type VectorItem } from "../../lib/store/items/vector.ts";
import { vectorPartition } from "../../lib/store/layout.ts";
import { queryAll, type Table } from "../../lib/store/table.ts";
import type { VectorSearch } from "../../lib/store/vectors.ts";

const { vectorAttribute, hashAttribute, filterAttribute } = tableShape.vectorIndex;

/** The vector index of engines that have none: every vector of the organization is compared. */
export const createExactSearch = (table: Table): VectorSearch => ({
  async search(space, repository, vector, resultsMax, signal) {
    const range = { pk: vectorPartition(organizationOf(space)), ...(signal && { signal }) };
    const candidates: Array<{ readonly item: VectorItem; readonly score: number }> = [];
    for await (const stored of queryAll(table, range)) {
      const item = parseVector(stored);
      if (item[hashAttribute] !== space || item[filterAttribute] !== repository) continue;
      candidates.push({ item, score: cosine(vector, item[vectorAttribute]) });
    }
    return candidates
      .toSorted((one, other) => other.score - one.score)
      .slice(0, resultsMax)
      .map(({ item: { pk, sk } }) => ({ pk, sk }));
  },
});

/** A space is the organization and the embedder. */
const organizationOf = (space: string): string => space.slice(0, space.indexOf("#"));
