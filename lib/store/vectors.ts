import { SearchVectorsCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { storeLimits } from "../contract/limits.ts";
import { tableShape } from "../contract/table.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Random } from "../runtime/random.ts";
import type { StoreClient } from "./client.ts";
import { Placeholders } from "./expressions.ts";
import { retryStoreCall } from "./retry.ts";
import type { Key } from "./table.ts";

/** The vector index of the table. It is eventually consistent and has no pages: read the items that it names again. */
export interface VectorSearch {
  /**
   * Keys of the vectors nearest to this one, nearest first. Without scores: engines define them differently, and a
   * caller that reads the vectors can compute them exactly.
   */
  search(within: VectorRange, vector: readonly number[], resultsMax: number): Promise<readonly Key[]>;
}

/** A space, or one repository of it. DynamoDB filters by equality only, so several repositories take several searches. */
export type VectorRange = { readonly space: string; readonly repositoryId?: string | undefined };

const keySchema = z.object({ pk: z.string(), sk: z.string() });

export function createVectorSearch(options: {
  readonly client: StoreClient;
  readonly tableName: string;
  readonly clock: Clock;
  readonly random: Random;
}): VectorSearch {
  const waiting = { clock: options.clock, random: options.random, policy: storeLimits.retry };
  const { name, hashAttribute, filterAttribute } = tableShape.vectorIndex;
  return {
    async search({ space, repositoryId }, vector, resultsMax) {
      const placeholders = new Placeholders();
      const equals = (attribute: string, value: string) =>
        `${placeholders.path(attribute)} = ${placeholders.value(value)}`;
      const conditions = [
        equals(hashAttribute, space),
        ...(repositoryId === undefined ? [] : [equals(filterAttribute, repositoryId)]),
      ];
      const input = {
        TableName: options.tableName,
        IndexName: name,
        SearchVector: [...vector],
        SearchConditionExpression: conditions.join(" AND "),
        ...placeholders.attributes(),
        TopK: resultsMax,
      };
      const answer = await retryStoreCall(waiting, { repeatAmbiguous: true }, () =>
        options.client.send(new SearchVectorsCommand(input)),
      );
      return (answer.SearchResults ?? []).map(({ Item }) => keySchema.parse(Item));
    },
  };
}
