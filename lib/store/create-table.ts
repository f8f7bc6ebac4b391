import {
  CreateTableCommand,
  type CreateTableCommandInput,
  type DynamoDBClient,
} from "@aws-sdk/client-dynamodb";
import { tableShape } from "../contract/table.ts";

/** What the stack makes with CloudFormation, made by hand for an engine on this machine. */
export async function createTable(
  client: DynamoDBClient,
  tableName: string,
  { vectorIndex }: { readonly vectorIndex: boolean },
): Promise<void> {
  try {
    await client.send(new CreateTableCommand(definition(tableName, vectorIndex)));
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "ResourceInUseException") throw error;
  }
}

function definition(TableName: string, withVectorIndex: boolean): CreateTableCommandInput {
  const { partitionKey, sortKey, vectorIndex } = tableShape;
  const input: CreateTableCommandInput = {
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    KeySchema: [
      { AttributeName: partitionKey, KeyType: "HASH" },
      { AttributeName: sortKey, KeyType: "RANGE" },
    ],
    AttributeDefinitions: [
      { AttributeName: partitionKey, AttributeType: "S" },
      { AttributeName: sortKey, AttributeType: "S" },
    ],
  };
  // DynamoDB Local knows no vector indexes and refuses attributes that no key uses.
  if (!withVectorIndex) return input;
  return {
    ...input,
    AttributeDefinitions: [
      ...(input.AttributeDefinitions ?? []),
      { AttributeName: vectorIndex.hashAttribute, AttributeType: "S" },
      { AttributeName: vectorIndex.filterAttribute, AttributeType: "S" },
    ],
    VectorIndexes: [
      {
        IndexName: vectorIndex.name,
        VectorAttribute: { AttributeName: vectorIndex.vectorAttribute },
        SearchSchema: [
          { AttributeName: vectorIndex.hashAttribute, SearchSchemaElementType: "HASH" },
          { AttributeName: vectorIndex.filterAttribute, SearchSchemaElementType: "INLINE_FILTER" },
        ],
        Projection: { ProjectionType: "KEYS_ONLY" },
        Dimensions: vectorIndex.dimensions,
        DistanceFunction: vectorIndex.distance,
      },
    ],
  };
}
