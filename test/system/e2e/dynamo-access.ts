import * as z from "zod";
import type { Account } from "./account.ts";
import type { Access } from "./policy.ts";

type Touched = Pick<Access, "action" | "enclosing" | "attributes"> & {
  readonly partitions: readonly string[];
};

const expressions = {
  UpdateExpression: z.string().optional(),
  ConditionExpression: z.string().optional(),
  ExpressionAttributeNames: z.record(z.string(), z.string()).default({}),
};
const text = z.object({ S: z.string() }).transform(({ S }) => S);
const keyed = z.object({ pk: text }).transform(({ pk }) => pk);
const put = z
  .object({ Item: z.record(z.string(), z.unknown()), ...expressions })
  .transform((input) => withAttributes(access("PutItem", keyed.parse(input.Item)), input));
const withKey = (action: string) =>
  z
    .object({ Key: keyed, ...expressions })
    .transform((input) => withAttributes(access(action, input.Key), input));
const write = z.union([
  z.object({ Put: put }).transform(({ Put }) => Put),
  z.object({ Update: withKey("UpdateItem") }).transform(({ Update }) => Update),
  z.object({ Delete: withKey("DeleteItem") }).transform(({ Delete }) => Delete),
  z
    .object({ ConditionCheck: withKey("ConditionCheckItem") })
    .transform(({ ConditionCheck }) => ConditionCheck),
]);
const batchWrite = z.union([
  z.object({ PutRequest: put }).transform(({ PutRequest }) => PutRequest),
  z
    .object({ DeleteRequest: z.object({ Key: keyed }) })
    .transform(({ DeleteRequest }) => access("DeleteItem", DeleteRequest.Key)),
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

function access(action: string, ...partitions: string[]): Touched {
  return { action, partitions };
}

type Expressions = {
  readonly Item?: Readonly<Record<string, unknown>>;
  readonly UpdateExpression?: string | undefined;
  readonly ConditionExpression?: string | undefined;
  readonly ExpressionAttributeNames: Readonly<Record<string, string>>;
};

/**
 * The attributes of an item that a write puts, or that its expressions name, also those of a delete and of a condition
 * check: only the first name of a path counts.
 */
function withAttributes(touched: Touched, input: Expressions): Touched {
  const { Item = {}, UpdateExpression = "", ConditionExpression = "", ExpressionAttributeNames } = input;
  const named = `${UpdateExpression} ${ConditionExpression}`.match(/(?<![\w.#])#\w+/g) ?? [];
  const names = named.map((name) => ExpressionAttributeNames[name] ?? name);
  return { ...touched, attributes: [...new Set([...Object.keys(Item), ...names])].toSorted() };
}

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
      return [access(operation, z.object({ Key: keyed }).parse(input).Key)];
    case "DeleteItem":
    case "UpdateItem":
      return [withKey(operation).parse(input)];
    case "PutItem":
      return [put.parse(input)];
    case "Query":
      return [access(operation, query.parse(input))];
    case "BatchGetItem": {
      const tables = z.object({ RequestItems: z.record(z.string(), z.object({ Keys: z.array(keyed) })) });
      const keys = Object.values(tables.parse(input).RequestItems).flatMap(({ Keys }) => Keys);
      return [access(operation, ...keys)];
    }
    case "BatchWriteItem": {
      const tables = z.object({ RequestItems: z.record(z.string(), z.array(batchWrite)) });
      return [together(operation, Object.values(tables.parse(input).RequestItems).flat())];
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
  const all = together(operation, touched);
  const enclosing = { operation, partitions: all.partitions };
  return [...Map.groupBy(touched, ({ action }) => action)].map(([action, some]) => ({
    ...together(action, some),
    // IAM may see the attributes of the whole transaction: the widest reading denies the most.
    ...(all.attributes && { attributes: all.attributes }),
    enclosing,
  }));
}

function together(action: string, touched: readonly Touched[]): Touched {
  const attributes = [...new Set(touched.flatMap((each) => each.attributes ?? []))].toSorted();
  return {
    ...access(action, ...touched.flatMap(({ partitions }) => partitions)),
    ...(attributes.length > 0 && { attributes }),
  };
}
