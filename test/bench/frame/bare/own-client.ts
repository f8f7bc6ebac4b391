import { type Attributes, fromAttributes, toAttributes } from "../../../../lib/store/attributes.ts";
import { storeClient } from "../../../../lib/store/client.ts";
import { bareHandler } from "./handler.ts";

/** On our own client, so that only the chain is in the difference. */
const client = storeClient();
const TableName = process.env.TABLE_NAME ?? "";
const common = { ReturnConsumedCapacity: "TOTAL" };
const plain = (items: readonly Attributes[] = []) => items.map(fromAttributes);

export const handler = bareHandler("own-client", {
  async getMany(keys) {
    const Keys = keys.map((key) => toAttributes(key));
    const { Responses } = await client.call("BatchGetItem", {
      RequestItems: { [TableName]: { Keys, ConsistentRead: true } },
      ...common,
    });
    return plain(Responses?.[TableName]);
  },
  async query({ pk, from, upTo }, Limit) {
    const { Items } = await client.call("Query", {
      TableName,
      KeyConditionExpression: "#pk = :pk AND #sk BETWEEN :from AND :upTo",
      ExpressionAttributeNames: { "#pk": "pk", "#sk": "sk" },
      ExpressionAttributeValues: toAttributes({ ":pk": pk, ":from": from, ":upTo": upTo }),
      ConsistentRead: true,
      ...(Limit && { Limit }),
      ...common,
    });
    return plain(Items);
  },
  async take(bucket, slot, stamp, cutoff, ttl) {
    const { Attributes } = await client.call("UpdateItem", {
      TableName,
      Key: toAttributes(bucket),
      UpdateExpression: "SET #slot = :stamp, #ttl = :ttl",
      ConditionExpression: "attribute_not_exists(#slot) OR #slot < :cutoff",
      ExpressionAttributeNames: { "#slot": slot, "#ttl": "ttl" },
      ExpressionAttributeValues: toAttributes({ ":stamp": stamp, ":ttl": ttl, ":cutoff": cutoff }),
      ReturnValues: "ALL_NEW",
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      ...common,
    });
    return Attributes && fromAttributes(Attributes);
  },
});
