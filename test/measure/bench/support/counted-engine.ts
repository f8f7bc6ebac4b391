import { once } from "node:events";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { tableShape } from "../../../../lib/contract/table.ts";
import { type Engine, startEngine } from "../../../../lib/local/engine/engine.ts";
import type { Attributes } from "./attributes.ts";
import { itemBytes } from "./engine-file.ts";

/**
 * An engine that counts consumed capacity as DynamoDB does. DynamoDB Local differs in two ways, and a proxy in front of
 * it counts by the published rules instead:
 * - It counts a transaction's items as if they were one. Each costs two units for each started KB (of the larger state,
 *   before or after) when written, and for each started 4 KB when read.
 * - It counts nothing for missing data. A missing item or an empty query costs as much as the smallest item.
 */
export async function startCountedEngine(options: { readonly dataPath?: string } = {}): Promise<Engine> {
  const engine = await startEngine(options);
  if (engine.kind.countsCapacity) return engine;
  const server = createServer(async (incoming, response) => {
    const operation = String(incoming.headers["x-amz-target"]).split(".").at(-1) ?? "";
    const ask: Ask = async (name, body) => {
      const answer = await fetch(engine.endpoint, {
        method: "POST",
        headers: {
          authorization: incoming.headers.authorization ?? "",
          "x-amz-target": `DynamoDB_20120810.${name}`,
          "content-type": "application/x-amz-json-1.0",
        },
        body,
      });
      return { status: answer.status, body: await answer.text() };
    };
    const body = (await buffer(incoming)).toString();
    const { status, body: answer } = await answerOf(ask, operation, body);
    response.writeHead(status, { "content-type": "application/x-amz-json-1.0" }).end(answer);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    ...engine,
    endpoint: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await engine.stop();
    },
  };
}

type Answer = { readonly status: number; readonly body: string };
type Ask = (operation: string, body: string) => Promise<Answer>;

async function answerOf(ask: Ask, operation: string, body: string): Promise<Answer> {
  if (operation === "TransactWriteItems") return await writeCounted(ask, body);
  if (operation === "TransactGetItems") return await readCounted(ask, body);
  const answer = await ask(operation, body);
  if (answer.status !== 200) return answer;
  if (operation === "BatchGetItem") return batchCounted(body, answer);
  return operation === "GetItem" || operation === "Query" ? emptyCounted(body, answer) : answer;
}

type Capacity = { readonly TableName: string; readonly CapacityUnits: number };
type ReadRequest = { readonly ConsistentRead?: boolean };
type BatchGet = { RequestItems: { readonly [table: string]: ReadRequest & { readonly Keys: object[] } } };
type BatchGot = {
  readonly Responses: { readonly [table: string]: object[] };
  readonly UnprocessedKeys?: { readonly [table: string]: { readonly Keys: object[] } };
  readonly ConsumedCapacity?: Capacity[];
};

const smallestRead = ({ ConsistentRead }: ReadRequest): number => (ConsistentRead ? 1 : 0.5);

function batchCounted(body: string, { status, body: text }: Answer): Answer {
  const { RequestItems }: BatchGet = JSON.parse(body);
  const answer: BatchGot = JSON.parse(text);
  const ConsumedCapacity = answer.ConsumedCapacity?.map((capacity) => {
    const { TableName } = capacity;
    const request = RequestItems[TableName];
    if (!request) return capacity;
    const answered = request.Keys.length - (answer.UnprocessedKeys?.[TableName]?.Keys.length ?? 0);
    const missing = answered - (answer.Responses[TableName]?.length ?? 0);
    return { ...capacity, CapacityUnits: capacity.CapacityUnits + missing * smallestRead(request) };
  });
  return { status, body: JSON.stringify({ ...answer, ConsumedCapacity }) };
}

function emptyCounted(body: string, { status, body: text }: Answer): Answer {
  const answer: { readonly ConsumedCapacity?: Capacity } = JSON.parse(text);
  if (answer.ConsumedCapacity?.CapacityUnits !== 0) return { status, body: text };
  const CapacityUnits = smallestRead(JSON.parse(body));
  return {
    status,
    body: JSON.stringify({ ...answer, ConsumedCapacity: { ...answer.ConsumedCapacity, CapacityUnits } }),
  };
}

type Target = { readonly TableName: string; readonly Key?: Attributes; readonly Item?: Attributes };

async function writeCounted(ask: Ask, body: string): Promise<Answer> {
  const request: { TransactItems: { readonly [kind: string]: Target }[] } = JSON.parse(body);
  const targets = request.TransactItems.flatMap((each) => Object.values(each));
  const before = await sizesOf(ask, targets);
  const answer = await ask("TransactWriteItems", body);
  if (answer.status !== 200) return answer;
  const after = await sizesOf(ask, targets);
  const units = targets.map((target) => {
    const name = keyOf(target);
    return 2 * startedUnits(Math.max(before.get(name) ?? 0, after.get(name) ?? 0), 1_024);
  });
  return withUnits(answer, targets, "WriteCapacityUnits", units);
}

async function readCounted(ask: Ask, body: string): Promise<Answer> {
  const request: { TransactItems: { readonly Get: Target }[] } = JSON.parse(body);
  const answer = await ask("TransactGetItems", body);
  if (answer.status !== 200) return answer;
  const { Responses }: { Responses: { readonly Item?: Attributes }[] } = JSON.parse(answer.body);
  const units = Responses.map(({ Item }) => 2 * startedUnits(Item ? itemBytes(Item) : 0, 4_096));
  return withUnits(
    answer,
    request.TransactItems.map(({ Get }) => Get),
    "ReadCapacityUnits",
    units,
  );
}

/** A missing item costs as much as the smallest one. */
const startedUnits = (bytes: number, unitBytes: number): number => Math.max(1, Math.ceil(bytes / unitBytes));

function withUnits(
  { status, body }: Answer,
  [first]: readonly Target[],
  kind: "ReadCapacityUnits" | "WriteCapacityUnits",
  units: readonly number[],
): Answer {
  const CapacityUnits = units.reduce((sum, each) => sum + each, 0);
  const ConsumedCapacity = [{ TableName: first?.TableName, CapacityUnits, [kind]: CapacityUnits }];
  return { status, body: JSON.stringify({ ...JSON.parse(body), ConsumedCapacity }) };
}

const { partitionKey, sortKey } = tableShape;

/** The bytes of the existing items, by their keys. */
async function sizesOf(ask: Ask, targets: readonly Target[]): Promise<Map<string, number>> {
  const [first] = targets;
  if (!first) return new Map();
  const Keys = targets.map(primaryKeyOf);
  const request = { RequestItems: { [first.TableName]: { Keys, ConsistentRead: true } } };
  const answer: { Responses: { [table: string]: Attributes[] }; UnprocessedKeys?: object } = JSON.parse(
    (await ask("BatchGetItem", JSON.stringify(request))).body,
  );
  if (Object.keys(answer.UnprocessedKeys ?? {}).length > 0)
    throw new Error("A transaction's items do not fit into one answer: they cannot be counted.");
  const items = answer.Responses[first.TableName] ?? [];
  return new Map(items.map((item) => [keyOf({ TableName: first.TableName, Item: item }), itemBytes(item)]));
}

function primaryKeyOf({ Key, Item }: Target): Attributes {
  const from = Key ?? Item ?? {};
  return Object.fromEntries(
    [partitionKey, sortKey].map((name) => [name, from[name]] as const).filter(isPresent),
  );
}

const isPresent = <Name, Value>(entry: readonly [Name, Value | undefined]): entry is readonly [Name, Value] =>
  entry[1] !== undefined;

const keyOf = (target: Target): string => JSON.stringify(primaryKeyOf(target));
