import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localEmbedder } from "../../../../lib/index/local-embedder.ts";
import { searchForReview } from "../../../../lib/learnings/search.ts";
import { startEngine } from "../../../../lib/local/engine/engine.ts";
import { localIdentity } from "../../../../lib/runtime/aws-identity.ts";
import { systemClock } from "../../../../lib/runtime/clock.ts";
import { systemRandom } from "../../../../lib/runtime/random.ts";
import { createStoreClient } from "../../../../lib/store/client.ts";
import { createDynamoTable } from "../../../../lib/store/dynamo.ts";
import { createVectorSearch } from "../../../../lib/store/vectors.ts";
import { median } from "../frame/contest.ts";
import { atLeast, rounded, type Section, type SectionModule, tableOf } from "../section.ts";
import { checkFill, fillIndex, indexedLearnings, owner, repositoryId, tableName } from "./stock.ts";
import { changeOf } from "./texts.ts";

const resultsWanted = 10;
const recallMin = 0.99;
/** The engine compares every vector, on a machine that may be busy. */
const answerMsMax = 120_000;
const sizes = {
  full: { learnings: [1_000, 10_000, 100_000], changes: 10 },
  quick: { learnings: [100, 300], changes: 4 },
};

type Found = { readonly ms: number; readonly bruteForceMs: number; readonly recall: number };

export const section: SectionModule = {
  title: "Search",
  needs: "vectorIndex",
  async run({ quick, say }) {
    const { learnings, changes } = sizes[quick ? "quick" : "full"];
    const directory = await mkdtemp(join(tmpdir(), "search-"));
    try {
      await checkFill(directory);
      const measured = new Map<number, readonly Found[]>();
      for (const count of learnings) {
        say(`${count} Learnings`);
        measured.set(count, await measure(join(directory, `${count}.db`), count, changes));
      }
      return sectionOf(measured);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
};

async function measure(databaseFile: string, count: number, changes: number): Promise<Found[]> {
  const indexed = await Array.fromAsync(indexedLearnings(count));
  await fillIndex(databaseFile, indexed);
  const vectors = indexed.map(({ vector }) => Float64Array.from(vector.vector));
  const engine = await startEngine({ dataPath: databaseFile });
  const client = createStoreClient({ endpoint: engine.endpoint, identity: localIdentity, answerMsMax });
  const store = { client, tableName, clock: systemClock, random: systemRandom };
  const deps = {
    table: createDynamoTable(store),
    vectors: createVectorSearch(store),
    embedder: localEmbedder,
  };
  try {
    const found: Found[] = [];
    // The first query warms up the compiler and the engine's cache.
    for (let number = 0; number <= changes; number++) {
      const each = await searchBothWays(deps, vectors, changeOf(number));
      if (number > 0) found.push(each);
    }
    return found;
  } finally {
    client.destroy();
    await engine.stop();
  }
}

async function searchBothWays(
  deps: Parameters<typeof searchForReview>[0],
  vectors: readonly Float64Array[],
  text: string,
): Promise<Found> {
  const startedAt = performance.now();
  const request = { ...owner, repository_id: repositoryId, text, k: resultsWanted };
  const { learnings } = await searchForReview(deps, request);
  const searchedAt = performance.now();
  const query = Float64Array.from(await localEmbedder.embed(text));
  const best = bestScores(vectors, query, resultsWanted);
  const bruteForceMs = performance.now() - searchedAt;
  // Scores have four decimals in the answer; equal scores are equally good.
  const leastGood = (best.at(-1) ?? 0) - 0.000_1;
  const good = learnings.filter(({ score }) => score >= leastGood).length;
  return { ms: searchedAt - startedAt, bruteForceMs, recall: good / best.length };
}

/** Compares every vector; best first. */
function bestScores(vectors: readonly Float64Array[], query: Float64Array, count: number): number[] {
  const scores = vectors.map((vector) => {
    let sum = 0;
    for (let index = 0; index < query.length; index++) sum += (vector[index] ?? 0) * (query[index] ?? 0);
    return sum;
  });
  return scores.sort((one, other) => other - one).slice(0, count);
}

function sectionOf(measured: ReadonlyMap<number, readonly Found[]>): Section {
  const recalls = [...measured.values()].flat().map(({ recall }) => recall);
  return {
    prose: [
      "The reviewer's search for the ten Learnings nearest to a change, as the internal function does it: embed " +
        "the change, ask the vector index, read the records and vectors again, and compute exact scores. All " +
        "Learnings of the organization belong to one repository; this is the worst case. Recall is measured against " +
        "a brute-force search over all vectors in memory.",
      "The engine's vector index compares every vector of the organization. So the time grows with their number, " +
        "and recall shows only what our own code would lose (rounded vectors, twice as many candidates as results, " +
        "stale ones dropped). DynamoDB's own index is approximate and was not measured.",
    ],
    targets: [
      atLeast(
        `recall of the best ${resultsWanted}, least of all sizes`,
        Math.min(...[...measured.values()].map((found) => mean(found.map(({ recall }) => recall)))),
        recallMin,
      ),
    ],
    tables: [
      tableOf(
        "Searches",
        [...measured].map(([count, found]) => ({
          Learnings: count,
          searches: found.length,
          "recall of the best 10": rounded(mean(found.map(({ recall }) => recall)), 4),
          "time, of brute force in memory": rounded(
            median(found.map(({ ms, bruteForceMs }) => ms / bruteForceMs)),
          ),
          "ms, median": rounded(median(found.map(({ ms }) => ms)), 1),
          "ms, slowest": rounded(Math.max(...found.map(({ ms }) => ms)), 1),
          "ms, brute force": rounded(median(found.map(({ bruteForceMs }) => bruteForceMs)), 1),
        })),
      ),
    ],
    pictures: [],
    figures: { searchRecall: mean(recalls) },
  };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
