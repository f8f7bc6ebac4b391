import { BatchGetCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { storeClient } from "../../../../../lib/store/client.ts";
import { bareHandler } from "./handler.ts";

/** On the store's client, so that the difference is only the chain. */
const client = storeClient();
const TableName = process.env.TABLE_NAME ?? "";
const common = { ReturnConsumedCapacity: "TOTAL" } as const;

export const handler = bareHandler("store-client", {
  async getMany(keys) {
    const RequestItems = { [TableName]: { Keys: [...keys], ConsistentRead: true } };
    const { Responses } = await client.send(new BatchGetCommand({ RequestItems, ...common }));
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
        ...(Limit && { Limit }),
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
