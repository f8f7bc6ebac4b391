import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { BatchGetCommand, DynamoDBDocumentClient, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { bareHandler } from "./handler.ts";

/** On AWS's SDK, like most handlers. */
const endpoint = process.env.DYNAMODB_ENDPOINT ?? "";
const credentials = { accessKeyId: "local", secretAccessKey: "local" };
const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, region: "local", credentials }));
const TableName = process.env.TABLE_NAME ?? "";
const common = { ReturnConsumedCapacity: "TOTAL" } as const;

export const handler = bareHandler("aws-sdk", {
  async getMany(keys) {
    const { Responses } = await client.send(
      new BatchGetCommand({
        RequestItems: { [TableName]: { Keys: [...keys], ConsistentRead: true } },
        ...common,
      }),
    );
    return Responses?.[TableName] ?? [];
  },
  async query({ pk, from, upTo }, Limit) {
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: "#pk = :pk AND #sk BETWEEN :from AND :upTo",
        ExpressionAttributeNames: { "#pk": "pk", "#sk": "sk" },
        ExpressionAttributeValues: { ":pk": pk, ":from": from, ":upTo": upTo },
        ConsistentRead: true,
        Limit,
        ...common,
      }),
    );
    return Items;
  },
  async take(Key, slot, stamp, cutoff, ttl) {
    const { Attributes } = await client.send(
      new UpdateCommand({
        TableName,
        Key,
        UpdateExpression: "SET #slot = :stamp, #ttl = :ttl",
        ConditionExpression: "attribute_not_exists(#slot) OR #slot < :cutoff",
        ExpressionAttributeNames: { "#slot": slot, "#ttl": "ttl" },
        ExpressionAttributeValues: { ":stamp": stamp, ":ttl": ttl, ":cutoff": cutoff },
        ReturnValues: "ALL_NEW",
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        ...common,
      }),
    );
    return Attributes;
  },
});
