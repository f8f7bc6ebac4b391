import * as z from "zod";
import type { Account } from "./account.ts";
import type { Access } from "./policy.ts";

type Touched = Pick<Access, "action" | "enclosing"> & { readonly partitions: readonly string[] };

const text = z.object({ S: z.string() }).transform(({ S }) => S);
const keyed = z.object({ pk: text }).transform(({ pk }) => pk);
const write = z.union([
  z.object({ Put: z.object({ Item: keyed }) }).transform(({ Put }) => access("PutItem", Put.Item)),
  z.object({ Update: z.object({ Key: keyed }) }).transform(({ Update }) => access("UpdateItem", Update.Key)),
  z.object({ Delete: z.object({ Key: keyed }) }).transform(({ Delete }) => access("DeleteItem", Delete.Key)),
  z
    .object({ ConditionCheck: z.object({ Key: keyed }) })
    .transform(({ ConditionCheck }) => access("ConditionCheckItem", ConditionCheck.Key)),
]);
const batchWrite = z.union([
  z.object({ PutRequest: z.object({ Item: keyed }) }).transform(({ PutRequest }) => PutRequest.Item),
  z.object({ DeleteRequest: z.object({ Key: keyed }) }).transform(({ DeleteRequest }) => DeleteRequest.Key),
]);
const query = z
  .object({
    KeyConditionExpression: z.string(),
    ExpressionAttributeNames: z.record(z.string(), z.string()),
    ExpressionAttributeValues: z.record(z.string(), z.unknown()),
  })
  .transform((input) => {
    const name = Object.entries(input.ExpressionAttributeNames).find(([, each]) => each === "pk")?.[0] ?? "";
    const value = new RegExp(`${name} = (:\\w+)`).exec(input.KeyConditionExpression)?.[1] ?? "";
    return text.parse(input.ExpressionAttributeValues[value]);
  });

const access = (action: string, ...partitions: string[]): Touched => ({ action, partitions });

/** The permissions that a DynamoDB call needs. */
export function accessesOf(account: Account, operation: string, input: unknown): Access[] {
  const table = account.tableArn(tableNameIn(input));
  if (operation === "SearchVectors")
    return [
      { action: "dynamodb:SearchVectors", resource: `${table}/index/${indexOf.parse(input).IndexName}` },
    ];
  return touchedBy(operation, input).map((touched) => ({
    ...touched,
    action: `dynamodb:${touched.action}`,
    resource: table,
  }));
}

const indexOf = z.object({ IndexName: z.string() });

/** Each of our calls is about one table; the protocol puts its name in different places. */
function tableNameIn(input: unknown): string {
  const named = new Set(
    [...JSON.stringify(input).matchAll(/"TableName":"([^"]+)"/g)].map(([, name]) => name),
  );
  const batch = z.object({ RequestItems: z.record(z.string(), z.unknown()) }).safeParse(input).data;
  for (const name of Object.keys(batch?.RequestItems ?? {})) named.add(name);
  const [only = "", ...others] = named;
  if (others.length > 0) throw new Error("A call is about several tables.");
  return only;
}

/** Transactions need the permissions of their items; a batch has its own permission. */
function touchedBy(operation: string, input: unknown): Touched[] {
  switch (operation) {
    case "GetItem":
    case "UpdateItem":
    case "DeleteItem":
      return [access(operation, z.object({ Key: keyed }).parse(input).Key)];
    case "PutItem":
      return [access(operation, z.object({ Item: keyed }).parse(input).Item)];
    case "Query":
      return [access(operation, query.parse(input))];
    case "BatchGetItem": {
      const tables = z.object({ RequestItems: z.record(z.string(), z.object({ Keys: z.array(keyed) })) });
      const keys = Object.values(tables.parse(input).RequestItems).flatMap(({ Keys }) => Keys);
      return [access(operation, ...keys)];
    }
    case "BatchWriteItem": {
      const tables = z.object({ RequestItems: z.record(z.string(), z.array(batchWrite)) });
      return [access(operation, ...Object.values(tables.parse(input).RequestItems).flat())];
    }
    case "TransactWriteItems":
      return inside(operation, z.object({ TransactItems: z.array(write) }).parse(input).TransactItems);
    case "TransactGetItems": {
      const items = z.object({ TransactItems: z.array(z.object({ Get: z.object({ Key: keyed }) })) });
      return inside(
        operation,
        items.parse(input).TransactItems.map(({ Get }) => access("GetItem", Get.Key)),
      );
    }
    default:
      return [access(operation)];
  }
}

function inside(operation: string, touched: readonly Touched[]): Touched[] {
  const partitionsOf = (all: readonly Touched[]) => all.flatMap(({ partitions }) => partitions);
  const enclosing = { operation, partitions: partitionsOf(touched) };
  return [...Map.groupBy(touched, ({ action }) => action)].map(([action, all]) => ({
    ...access(action, ...partitionsOf(all)),
    enclosing,
  }));
}
