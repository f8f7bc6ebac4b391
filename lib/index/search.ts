import * as kinds from "../contract/items.ts";
import { indexLimits } from "../contract/limits.ts";
import { type LearningItem, parseLearning } from "../store/items/learning.ts";
import { parseVector } from "../store/items/vector.ts";
import { learningOfVector } from "../store/layout.ts";
import type { Table } from "../store/table.ts";
import type { VectorSearch } from "../store/vectors.ts";
import { cosine, type Embedder, type Embedding, embedAll, spaceOf } from "./embedder.ts";
import { isInPieces, piecesOf } from "./pieces.ts";
import { isIndexed, isPieceCurrent } from "./write-vectors.ts";

export type SearchDeps = {
  readonly table: Table;
  readonly vectors: VectorSearch;
  readonly embedder: Embedder;
  /** Called with the number of vector index searches that a query needs: each one is paid for. */
  readonly onSearches?: (count: number) => void;
  readonly signal?: AbortSignal;
};

/** Where to search: an organization, or one repository of it. */
export type SearchPlace = { readonly organization: string; readonly repositoryId?: string };

export type Search = {
  readonly places: readonly SearchPlace[];
  /** The parts of a question or a change, as `searchedPieces` makes them. */
  readonly pieces: readonly string[];
  readonly resultsMax: number;
  /** Results with a lower score are left out. Without it, the nearest are returned however far away they are. */
  readonly scoreMin?: number | undefined;
};

export type FoundLearning = {
  readonly learning: LearningItem;
  readonly score: number;
  /** What was nearest to the query: the whole text, or a piece of a long one. */
  readonly matched: "text" | "piece";
};

/**
 * The texts that a search embeds: the paths and a part of the text, as long as an embedder accepts. If the overlapping
 * pieces are too many, the text is cut without overlap. None if there is nothing to search for.
 */
export function searchedPieces(
  text: string,
  filePaths: readonly string[],
  piecesMax: number = Number.POSITIVE_INFINITY,
): readonly string[] {
  const paths = somePaths(filePaths).join("\n");
  if (`${paths}${text}`.trim() === "") return [];
  const overlapping = piecesOf(text);
  const pieces = overlapping.length <= piecesMax ? overlapping : piecesOf(text, 0);
  return pieces.map((piece) => [paths, piece].join("\n").trim());
}

/**
 * Returns the Learnings nearest to a query, best first. A long query is searched piece by piece, and a long Learning
 * is stored in the index in pieces: the best pair of pieces counts. The index may lag behind, so it only names
 * candidates. Their records and vectors are read again, and a Learning that is deleted, not approved or has another
 * text is dropped.
 */
export async function searchLearnings(
  deps: SearchDeps,
  { places, pieces, resultsMax, scoreMin = -1 }: Search,
): Promise<readonly FoundLearning[]> {
  if (pieces.length === 0 || places.length === 0) return [];
  const { embedder } = deps;
  const queries = await embedAll(embedder, pieces, deps.signal);
  deps.onSearches?.(queries.length * places.length);
  const found = await Promise.all(
    places.map(async (place) => await searchPlace(deps, place, queries, resultsMax)),
  );
  return found
    .flat()
    .filter(({ score }) => score >= scoreMin)
    .toSorted((one, other) => other.score - one.score || (one.learning.id < other.learning.id ? -1 : 1))
    .slice(0, resultsMax);
}

/** The candidates of one organization or repository, each with its best score. */
async function searchPlace(
  { table, vectors, embedder }: SearchDeps,
  { organization, repositoryId }: SearchPlace,
  queries: Embedding,
  resultsMax: number,
): Promise<readonly FoundLearning[]> {
  const candidatesMax = Math.min(indexLimits.nearestMax, resultsMax * indexLimits.nearestPerResult);
  const space = spaceOf(organization, embedder);
  const nearest = await Promise.all(
    queries.map((query) => vectors.search({ space, repositoryId }, query, candidatesMax)),
  );
  const keys = [...new Map(nearest.flat().map((key) => [key.sk, key])).values()];
  const ids = [...new Set(keys.map(({ sk }) => learningOfVector(sk)))];
  const items = await table.getMany([
    ...keys,
    ...ids.map((id) => kinds.learning.key({ organization, learningId: id })),
  ]);
  const learnings = new Map(
    items.slice(keys.length).flatMap((item) => {
      const learning = item && parseLearning(item);
      const isCandidate =
        learning &&
        isIndexed(learning) &&
        (repositoryId === undefined || learning.repository_id === repositoryId);
      return isCandidate ? [[learning.id, learning] as const] : [];
    }),
  );
  const found = new Map<string, FoundLearning>();
  for (const item of items.slice(0, keys.length)) {
    const learning = item && learnings.get(learningOfVector(item.sk));
    const vector = item && parseVector(item);
    if (!learning || !vector || !isPieceCurrent(vector, learning, embedder)) continue;
    const score = Math.max(...queries.map((query) => cosine(query, vector.vector)));
    if (score < (found.get(learning.id)?.score ?? -1)) continue;
    found.set(learning.id, { learning, score, matched: isInPieces(learning.text) ? "piece" : "text" });
  }
  return [...found.values()];
}

/** Only some: an embedder accepts only so much text, and most of it is for the change itself. */
function somePaths(filePaths: readonly string[]): string[] {
  let characters = 0;
  return filePaths.filter((path) => {
    characters += path.length;
    return characters <= indexLimits.searchedPathsCharactersMax;
  });
}
