import * as z from "zod";
import * as kinds from "../../contract/items.ts";
import { tableShape } from "../../contract/table.ts";
import { cosine } from "../../index/embedder.ts";
import { systemClock } from "../../runtime/clock.ts";
import { systemRandom } from "../../runtime/random.ts";
import type { StoreClient } from "../../store/client.ts";
import { createDynamoTable } from "../../store/dynamo.ts";
import { parseVector } from "../../store/items/vector.ts";
import { type Key, queryAll } from "../../store/table.ts";
import type { VectorRange } from "../../store/vectors.ts";

const { vectorAttribute, hashAttribute, filterAttribute } = tableShape.vectorIndex;

/** SearchVectors as `lib/store/vectors.ts` sends it. */
const searchInput = z.object({
  TableName: z.string(),
  SearchVector: z.array(z.object({ N: z.string() })),
  SearchConditionExpression: z.string(),
  ExpressionAttributeNames: z.record(z.string(), z.string()),
  ExpressionAttributeValues: z.record(z.string(), z.object({ S: z.string() })),
  TopK: z.int(),
});

/** DynamoDB's SearchVectors for an engine without vector indexes, in DynamoDB's own JSON. */
export async function answerSearchVectors(client: StoreClient, input: unknown): Promise<object> {
  const { TableName: tableName, TopK, SearchVector, ...search } = searchInput.parse(input);
  const conditions = equalities(search);
  const keys = await nearestVectors({ client, tableName }, TopK, {
    space: conditions.get(hashAttribute) ?? "",
    repositoryId: conditions.get(filterAttribute),
    vector: SearchVector.map(({ N }) => Number(N)),
  });
  return { SearchResults: keys.map(({ pk, sk }) => ({ Item: { pk: { S: pk }, sk: { S: sk } } })) };
}

type Wanted = VectorRange & { readonly vector: readonly number[] };

/** Compares every vector of the organization. */
export async function nearestVectors(
  store: { readonly client: StoreClient; readonly tableName: string },
  resultsMax: number,
  { space, repositoryId, vector }: Wanted,
): Promise<readonly Key[]> {
  const table = createDynamoTable({ ...store, clock: systemClock, random: systemRandom });
  const found: Array<{ readonly key: Key; readonly score: number }> = [];
  for await (const stored of queryAll(table, {
    pk: kinds.vector.partition({ organization: organizationOf(space) }),
  })) {
    const item = parseVector(stored);
    if (item[hashAttribute] !== space) continue;
    if (repositoryId !== undefined && item[filterAttribute] !== repositoryId) continue;
    const { pk, sk } = item;
    found.push({ key: { pk, sk }, score: cosine(vector, item[vectorAttribute]) });
  }
  const nearest = found.toSorted((one, other) => other.score - one.score).slice(0, resultsMax);
  return nearest.map(({ key }) => key);
}

/** Parses `#0 = :0 AND #1 = :1` into values by attribute name. */
function equalities({
  SearchConditionExpression: expression,
  ExpressionAttributeNames: names,
  ExpressionAttributeValues: values,
}: Pick<
  z.output<typeof searchInput>,
  "SearchConditionExpression" | "ExpressionAttributeNames" | "ExpressionAttributeValues"
>): ReadonlyMap<string, string> {
  return new Map(
    [...expression.matchAll(/(#\w+) = (:\w+)/g)].map(([, name = "", value = ""]) => [
      names[name] ?? "",
      values[value]?.S ?? "",
    ]),
  );
}

/** A space consists of the organization and the embedder. */
const organizationOf = (space: string): string => space.slice(0, space.indexOf("#"));
