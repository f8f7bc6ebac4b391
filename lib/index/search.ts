import { indexLimits } from "../contract/limits.ts";
import { type LearningItem, parseLearning } from "../store/items/learning.ts";
import { parseVector } from "../store/items/vector.ts";
import { learningKey } from "../store/layout.ts";
import type { Item, Table } from "../store/table.ts";
import type { VectorSearch } from "../store/vectors.ts";
import { cosine, type Embedder, spaceOf } from "./embedder.ts";
import { isIndexed, isRight } from "./place.ts";

export type SearchDeps = {
  readonly table: Table;
  readonly vectors: VectorSearch;
  readonly embedder: Embedder;
};

export type Search = {
  readonly organization: string;
  readonly repositoryId: string;
  /** The text of the change. */
  readonly text: string;
  readonly filePaths: readonly string[];
  readonly resultsMax: number;
};

export type Found = { readonly learning: LearningItem; readonly score: number };

/**
 * The Learnings nearest to a change, best first. The index may lag behind: it only names candidates, whose
 * records and vectors are read again, and whoever is deleted, not approved or of another text is dropped.
 */
export async function searchLearnings(
  { table, vectors, embedder }: SearchDeps,
  { organization, repositoryId, text, filePaths, resultsMax }: Search,
): Promise<readonly Found[]> {
  const asked = [...somePaths(filePaths), text].join("\n").trim();
  if (asked === "") return [];
  const query = await embedder.embed(asked);
  const candidatesMax = Math.min(indexLimits.nearestMax, resultsMax * indexLimits.nearestPerResult);
  const space = spaceOf(organization, embedder);
  const keys = await vectors.search(space, repositoryId, query, candidatesMax);
  const items = await table.getMany([...keys, ...keys.map(({ sk }) => learningKey(organization, sk))]);
  const found = keys.flatMap((_, index): Found[] => {
    const pair = readPair(items[index], items[keys.length + index]);
    if (!pair || pair.learning.repository_id !== repositoryId) return [];
    if (!isIndexed(pair.learning) || !isRight(pair.vector, pair.learning, embedder)) return [];
    return [{ learning: pair.learning, score: cosine(query, pair.vector.vector) }];
  });
  return found.toSorted((one, other) => other.score - one.score).slice(0, resultsMax);
}

/** Paths say what a change is about, but an embedder looks at so much only: most of that is for the change itself. */
function somePaths(filePaths: readonly string[]): string[] {
  let characters = 0;
  return filePaths.filter((path) => {
    characters += path.length;
    return characters <= indexLimits.searchedPathsCharactersMax;
  });
}

const readPair = (vector: Item | undefined, learning: Item | undefined) =>
  vector && learning && { vector: parseVector(vector), learning: parseLearning(learning) };
