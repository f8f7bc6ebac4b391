import { indexLimits } from "../contract/limits.ts";
import { type LearningItem, parseLearning } from "../store/items/learning.ts";
import { parseVector } from "../store/items/vector.ts";
import { learningKey, learningOfVector } from "../store/layout.ts";
import type { Table } from "../store/table.ts";
import type { VectorSearch } from "../store/vectors.ts";
import { cosine, type Embedder, embedAll, spaceOf } from "./embedder.ts";
import { piecesOf } from "./pieces.ts";
import { isIndexed, isPieceCurrent } from "./write-vectors.ts";

export type SearchDeps = {
  readonly table: Table;
  readonly vectors: VectorSearch;
  readonly embedder: Embedder;
  /** Called with the number of vector index searches that a change needs: each one is paid for. */
  readonly onSearches?: (count: number) => void;
};

export type Search = {
  readonly organization: string;
  readonly repositoryId: string;
  /** The text of the change. */
  readonly text: string;
  readonly filePaths: readonly string[];
  readonly resultsMax: number;
  /** Results with a lower score are left out. Without it, the nearest are returned however far away they are. */
  readonly scoreMin?: number | undefined;
};

export type FoundLearning = { readonly learning: LearningItem; readonly score: number };

/**
 * Returns the Learnings nearest to a change, best first. A long change is searched piece by piece, and a long Learning
 * is stored in the index in pieces: the best pair of pieces counts. The index may lag behind, so it only names
 * candidates. Their records and vectors are read again, and a Learning that is deleted, not approved or has another
 * text is dropped.
 */
export async function searchLearnings(
  { table, vectors, embedder, onSearches }: SearchDeps,
  { organization, repositoryId, text, filePaths, resultsMax, scoreMin = -1 }: Search,
): Promise<readonly FoundLearning[]> {
  const paths = somePaths(filePaths).join("\n");
  if (`${paths}${text}`.trim() === "") return [];
  const asked = piecesOf(text).map((piece) => [paths, piece].join("\n").trim());
  const queries = await embedAll(embedder, asked);
  const candidatesMax = Math.min(indexLimits.nearestMax, resultsMax * indexLimits.nearestPerResult);
  const space = spaceOf(organization, embedder);
  onSearches?.(queries.length);
  const nearest = await Promise.all(
    queries.map((query) => vectors.search(space, repositoryId, query, candidatesMax)),
  );
  const keys = [...new Map(nearest.flat().map((key) => [key.sk, key])).values()];
  const ids = [...new Set(keys.map(({ sk }) => learningOfVector(sk)))];
  const items = await table.getMany([...keys, ...ids.map((id) => learningKey(organization, id))]);
  const learnings = new Map(
    items.slice(keys.length).flatMap((item) => {
      const learning = item && parseLearning(item);
      const isCandidate = learning && isIndexed(learning) && learning.repository_id === repositoryId;
      return isCandidate ? [[learning.id, learning] as const] : [];
    }),
  );
  const found = new Map<string, FoundLearning>();
  for (const item of items.slice(0, keys.length)) {
    const learning = item && learnings.get(learningOfVector(item.sk));
    const vector = item && parseVector(item);
    if (!learning || !vector || !isPieceCurrent(vector, learning, embedder)) continue;
    const score = Math.max(...queries.map((query) => cosine(query, vector.vector)));
    if (score >= (found.get(learning.id)?.score ?? scoreMin)) found.set(learning.id, { learning, score });
  }
  return [...found.values()].toSorted((one, other) => other.score - one.score).slice(0, resultsMax);
}

/**
 * Paths describe the subject of a change, but an embedder accepts only so much text: most of it is for the change
 * itself.
 */
function somePaths(filePaths: readonly string[]): string[] {
  let characters = 0;
  return filePaths.filter((path) => {
    characters += path.length;
    return characters <= indexLimits.searchedPathsCharactersMax;
  });
}
