import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import {
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { afterAll, describe, expect, test } from "vitest";
import { useStore } from "../support/engine.ts";

/** AWS's own SDK as a witness: what our client writes it reads, and what it writes we read. */
const store = useStore();
const clients: DynamoDBClient[] = [];
function sdk() {
  const { endpoint } = store();
  const client = new DynamoDBClient({
    endpoint,
    region: "local",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });
  clients.push(client);
  return DynamoDBDocumentClient.from(client);
}
afterAll(() => {
  for (const client of clients) client.destroy();
});

const everyType = {
  text: 'é😀\u0001\n"quoted"',
  empty: "",
  whole: 42,
  negative: -7.25,
  large: Number.MAX_SAFE_INTEGER,
  small: 1e-7,
  yes: true,
  nothing: null,
  bytes: Uint8Array.of(0, 1, 254, 255),
  list: ["a", 1, null, { deep: [true] }],
  map: { "with.dot": 1, "with#hash": { __proto__name: "x" } },
};

describe("AWS's SDK and our client", () => {
  test("read the same values of every type from what the other wrote", async () => {
    const { table, tableName: TableName } = store();
    await table.write({ put: { pk: "ours", sk: "1", ...everyType } });
    await sdk().send(new PutCommand({ TableName, Item: { pk: "theirs", sk: "1", ...everyType } }));
    const theirs = await sdk().send(new GetCommand({ TableName, Key: { pk: "ours", sk: "1" } }));
    expect(theirs.Item).toEqual({ pk: "ours", sk: "1", ...everyType });
    expect(await table.get({ pk: "theirs", sk: "1" })).toEqual({ pk: "theirs", sk: "1", ...everyType });
  });

  test("agree on what a transaction and an update left", async () => {
    const { table, tableName: TableName } = store();
    await table.transact([
      { put: { pk: "t", sk: "1", count: 1 }, when: { absent: "pk" } },
      { put: { pk: "t", sk: "2", count: 2 } },
    ]);
    await table.write({
      update: { pk: "t", sk: "1" },
      change: { add: [["count", 4]] },
      when: { equals: ["count", 1] },
    });
    await sdk().send(
      new UpdateCommand({
        TableName,
        Key: { pk: "t", sk: "2" },
        UpdateExpression: "SET #c = #c + :n",
        ExpressionAttributeNames: { "#c": "count" },
        ExpressionAttributeValues: { ":n": 10 },
      }),
    );
    const answer = await sdk().send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: "pk = :pk",
        ExpressionAttributeValues: { ":pk": "t" },
        ConsistentRead: true,
      }),
    );
    expect(answer.Items).toEqual([
      { pk: "t", sk: "1", count: 5 },
      { pk: "t", sk: "2", count: 12 },
    ]);
    expect((await table.queryPage({ pk: "t" })).items).toEqual(answer.Items);
  });
});
