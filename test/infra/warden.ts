import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import * as z from "zod";
import type { Statement } from "./support.ts";

/** One permission that a call to DynamoDB takes, as IAM sees it. */
export type Access = { readonly action: string; readonly partitions: readonly string[] };

export type Warden = {
  readonly endpoint: string;
  /** Everything asked for since the last change of role, allowed or not. */
  readonly asked: Access[];
  readonly denied: Access[];
  /** From now on calls are judged by these statements. */
  take(statements: readonly Statement[]): void;
  close(): Promise<void>;
};

/** Stands between a handler and the engine and refuses what the function's role in the template does not allow. */
export async function startWarden(engineEndpoint: string): Promise<Warden> {
  let statements: readonly Statement[] = [];
  const asked: Access[] = [];
  const denied: Access[] = [];
  const server = createServer(async (incoming, answer) => {
    const body = Buffer.concat(await Array.fromAsync(incoming));
    const operation = String(incoming.headers["x-amz-target"]).split(".").at(-1) ?? "";
    const needed = accessesOf(operation, JSON.parse(body.toString()));
    asked.push(...needed);
    const refused = needed.filter((access) => !statements.some((statement) => allows(statement, access)));
    denied.push(...refused);
    if (refused.length > 0) {
      answer.writeHead(400, { "content-type": "application/x-amz-json-1.0" });
      answer.end(JSON.stringify({ __type: "com.amazon.coral.service#AccessDeniedException" }));
      return;
    }
    const outgoing = request(engineEndpoint, { method: "POST", headers: incoming.headers }, (response) => {
      answer.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(answer);
    });
    outgoing.end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    endpoint: `http://127.0.0.1:${portOf(server.address())}`,
    asked,
    denied,
    take(next) {
      statements = next;
      asked.length = 0;
      denied.length = 0;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const portOf = (address: AddressInfo | string | null): number =>
  typeof address === "object" && address ? address.port : 0;

const conditionSchema = z.object({
  "ForAllValues:StringLike": z.object({ "dynamodb:LeadingKeys": z.array(z.string()) }),
  Null: z.object({ "dynamodb:LeadingKeys": z.literal("false") }).optional(),
});

function allows({ Effect, Action, Condition }: Statement, { action, partitions }: Access): boolean {
  if (Effect !== "Allow" || !Action.includes(`dynamodb:${action}`)) return false;
  if (Condition === undefined) return true;
  const condition = conditionSchema.parse(Condition);
  const patterns = condition["ForAllValues:StringLike"]["dynamodb:LeadingKeys"];
  const fits = (partition: string) => patterns.some((pattern) => partition.startsWith(pattern.slice(0, -1)));
  return partitions.every(fits) && (partitions.length > 0 || !condition.Null);
}

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

const access = (action: string, ...partitions: string[]): Access => ({ action, partitions });

/** Transactions take the permissions of what is inside them, batches one of their own. */
function accessesOf(operation: string, input: unknown): Access[] {
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
      return z.object({ TransactItems: z.array(write) }).parse(input).TransactItems;
    case "TransactGetItems": {
      const items = z.object({ TransactItems: z.array(z.object({ Get: z.object({ Key: keyed }) })) });
      return items.parse(input).TransactItems.map(({ Get }) => access("GetItem", Get.Key));
    }
    default:
      return [access(operation)];
  }
}
