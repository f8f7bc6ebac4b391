import { awsLimits } from "../contract/limits.ts";
import { localIdentity } from "../runtime/aws-identity.ts";
import { type AwsClientOptions, callJson, createAwsClient } from "../runtime/aws-request.ts";
import { optionalVariable } from "../runtime/environment.ts";
import type { Attributes } from "./attributes.ts";

type Units = {
  readonly ReadCapacityUnits?: number;
  readonly WriteCapacityUnits?: number;
  readonly CapacityUnits?: number;
};
/** What was paid: for one table, or for every table of a batch or a transaction. */
type Paid = { readonly ConsumedCapacity?: Units };
type PaidByTable = { readonly ConsumedCapacity?: readonly Units[] };
type Changed = Paid & { readonly Attributes?: Attributes };
type Listed = Paid & { readonly Items?: readonly Attributes[]; readonly LastEvaluatedKey?: Attributes };
type ByTable<Part> = { readonly [tableName: string]: Part };

/** The operations we use, and what we read of DynamoDB's answers to them. */
export type StoreAnswers = {
  GetItem: Paid & { readonly Item?: Attributes };
  PutItem: Changed;
  UpdateItem: Changed;
  DeleteItem: Changed;
  Query: Listed;
  Scan: Listed;
  BatchGetItem: PaidByTable & {
    readonly Responses?: ByTable<readonly Attributes[]>;
    readonly UnprocessedKeys?: ByTable<{ readonly Keys?: readonly Attributes[] }>;
  };
  BatchWriteItem: PaidByTable & { readonly UnprocessedItems?: ByTable<readonly object[]> };
  TransactGetItems: PaidByTable & { readonly Responses?: ReadonlyArray<{ readonly Item?: Attributes }> };
  TransactWriteItems: PaidByTable;
  SearchVectors: Paid & { readonly SearchResults?: ReadonlyArray<{ readonly Item?: Attributes }> };
  CreateTable: object;
};
export type StoreOperation = keyof StoreAnswers;

/** DynamoDB's own JSON over signed requests. */
export type StoreClient = {
  /** One attempt: retries are the store's, which knows what may be repeated. */
  call<Operation extends StoreOperation>(
    operation: Operation,
    input: object,
    signal?: AbortSignal,
  ): Promise<StoreAnswers[Operation]>;
  destroy(): void;
};

export function createStoreClient(
  options: Partial<Pick<AwsClientOptions, "identity" | "endpoint" | "answerMsMax">> = {},
): StoreClient {
  const client = createAwsClient({
    answerMsMax: awsLimits.storeAnswerMsMax,
    ...options,
    service: "dynamodb",
    attemptsMax: 1,
  });
  return {
    async call<Operation extends StoreOperation>(operation: Operation, input: object, signal?: AbortSignal) {
      const answer = await callJson(client, `DynamoDB_20120810.${operation}`, input, signal);
      // DynamoDB's word about its own protocol; items inside it are parsed by whoever knows their schema.
      return answer as StoreAnswers[Operation];
    },
    destroy: () => client.destroy(),
  };
}

/** For functions, from the environment alone. */
export function storeClient(): StoreClient {
  const endpoint = optionalVariable("DYNAMODB_ENDPOINT");
  if (endpoint === undefined) return createStoreClient();
  return createStoreClient({
    endpoint,
    identity: localIdentity,
    answerMsMax: awsLimits.localStoreAnswerMsMax,
  });
}
