import {
  type AttributeDefinition,
  CreateTableCommand,
  type CreateTableCommandInput,
} from "@aws-sdk/client-dynamodb";
import { tableShape } from "../contract/table.ts";
import { AwsError } from "../runtime/aws-error.ts";
import type { StoreClient } from "./client.ts";

/** Creates the table that the stack creates with CloudFormation, for a DynamoDB engine on this machine. */
export async function createTable(
  client: StoreClient,
  tableName: string,
  { vectorIndex }: { readonly vectorIndex: boolean },
): Promise<void> {
  try {
    await client.send(new CreateTableCommand(definition(tableName, vectorIndex)));
  } catch (error) {
    if (!(error instanceof AwsError) || error.name !== "ResourceInUseException") throw error;
  }
}

function definition(TableName: string, withVectorIndex: boolean): CreateTableCommandInput {
  const { partitionKey, sortKey, vectorIndex } = tableShape;
  const keyAttributes: AttributeDefinition[] = [
    { AttributeName: partitionKey, AttributeType: "S" },
    { AttributeName: sortKey, AttributeType: "S" },
  ];
  const input: CreateTableCommandInput = {
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    KeySchema: [
      { AttributeName: partitionKey, KeyType: "HASH" },
      { AttributeName: sortKey, KeyType: "RANGE" },
    ],
    AttributeDefinitions: keyAttributes,
  };
  // DynamoDB Local does not support vector indexes and refuses attributes that no key uses.
  if (!withVectorIndex) return input;
  return {
    ...input,
    AttributeDefinitions: [
      ...keyAttributes,
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
