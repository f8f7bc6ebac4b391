import { type DynamoDBClient, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  TransactGetCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { storeLimits } from "../contract/limits.ts";
import type { Chance } from "../runtime/chance.ts";
import type { Clock } from "../runtime/clock.ts";
import { compileChange, compileCondition, compileRange, Placeholders } from "./expressions.ts";
import type { StoreMeter } from "./meter.ts";
import { backOff, withRetries } from "./retry.ts";
import {
  ConditionFailed,
  type Item,
  type Key,
  type Page,
  type Range,
  type ReadOptions,
  StoreUnavailable,
  type Table,
  TransactionRefused,
  type TransactionWrite,
  type Write,
  type WriteOptions,
} from "./table.ts";

export type DynamoOptions = {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly clock: Clock;
  readonly chance: Chance;
};

/** A table whose calls can be counted: `metered` gives a view of the same table that reports to one meter. */
export interface MeteredTable extends Table {
  metered(meter: StoreMeter): Table;
}

type Units = {
  ReadCapacityUnits?: number | undefined;
  WriteCapacityUnits?: number | undefined;
  CapacityUnits?: number | undefined;
};
type Answered = { ConsumedCapacity?: Units | Units[] | undefined };
type Send = <Answer extends Answered>(
  operation: string,
  call: (signal?: AbortSignal) => Promise<Answer>,
  signal?: AbortSignal,
) => Promise<Answer>;

/** What comes out of the document client is an Item by construction: our own writes are the only source. */
const asItem = (record: Record<string, unknown>): Item => record as unknown as Item;
const asKey = (record: Record<string, unknown> | undefined): Key | undefined =>
  record as unknown as Key | undefined;
const bare = ({ pk, sk }: Key): Key => ({ pk, sk });
const identity = (key: Key): string => `${key.pk}\u0000${key.sk}`;

export function createDynamoTable(options: DynamoOptions): MeteredTable {
  const client = DynamoDBDocumentClient.from(options.client, {
    marshallOptions: { removeUndefinedValues: true },
  });
  return {
    ...view(options, client, undefined),
    metered: (meter) => view(options, client, meter),
  };
}

function view(options: DynamoOptions, client: DynamoDBDocumentClient, meter: StoreMeter | undefined): Table {
  const { tableName: TableName } = options;
  const waiting = { clock: options.clock, chance: options.chance, policy: storeLimits.retry };
  const ReturnConsumedCapacity = "TOTAL" as const;

  const send: Send = async (operation, call, signal) => {
    const counted = meter?.start(operation);
    try {
      const answer = await call(signal);
      if (counted) addUnits(counted, operation, answer.ConsumedCapacity);
      return answer;
    } catch (error) {
      if (counted) counted.failed = true;
      throw error;
    } finally {
      if (counted) meter?.end(counted);
    }
  };
  const read = <Answer extends Answered>(
    operation: string,
    signal: AbortSignal | undefined,
    call: () => Promise<Answer>,
  ) => withRetries(waiting, true, signal, () => send(operation, call));
  const abort = (signal: AbortSignal | undefined) => (signal ? { abortSignal: signal } : {});

  const projection = (only: readonly string[] | undefined) => {
    if (!only) return {};
    const placeholders = new Placeholders();
    const ProjectionExpression = only.map((name) => placeholders.path(name)).join(", ");
    return { ProjectionExpression, ...placeholders.attributes() };
  };

  async function get(
    key: Key,
    { eventually = false, only, signal }: ReadOptions = {},
  ): Promise<Item | undefined> {
    const input = {
      TableName,
      Key: bare(key),
      ConsistentRead: !eventually,
      ReturnConsumedCapacity,
      ...projection(only),
    };
    const answer = await read("GetItem", signal, () => client.send(new GetCommand(input), abort(signal)));
    return answer.Item && asItem(answer.Item);
  }

  async function getMany(
    keys: readonly Key[],
    readOptions: ReadOptions = {},
  ): Promise<ReadonlyArray<Item | undefined>> {
    const unique = [...new Map(keys.map((key) => [identity(key), bare(key)])).values()];
    const found = new Map<string, Item>();
    const batches = chunk(unique, storeLimits.batchGetItemsMax);
    await Promise.all(batches.map((batch) => getBatch(batch, readOptions, found)));
    return keys.map((key) => found.get(identity(key)));
  }

  async function getBatch(
    batch: readonly Key[],
    readOptions: ReadOptions,
    found: Map<string, Item>,
  ): Promise<void> {
    const { eventually = false, only, signal } = readOptions;
    let keys: readonly Key[] = batch;
    for (let attempt = 0; keys.length > 0; attempt++) {
      const request = {
        Keys: [...keys],
        ConsistentRead: !eventually,
        ...projection(only && [...new Set(["pk", "sk", ...only])]),
      };
      const input = { RequestItems: { [TableName]: request }, ReturnConsumedCapacity };
      const answer = await read("BatchGetItem", signal, () =>
        client.send(new BatchGetCommand(input), abort(signal)),
      );
      for (const record of answer.Responses?.[TableName] ?? []) {
        const item = asItem(record);
        found.set(identity(item), item);
      }
      const unprocessed = answer.UnprocessedKeys?.[TableName]?.Keys ?? [];
      const progressed = unprocessed.length < keys.length;
      keys = unprocessed.map((record) => asKey(record)).filter((key) => key !== undefined);
      if (keys.length > 0) attempt = await pauseForUnprocessed(progressed ? 0 : attempt, signal);
    }
  }

  async function pauseForUnprocessed(attempt: number, signal?: AbortSignal): Promise<number> {
    if (attempt + 1 >= storeLimits.retry.attemptsMax)
      throw new StoreUnavailable("unprocessed items remain", true);
    await backOff(waiting, attempt, signal);
    return attempt;
  }

  async function getTogether(keys: readonly Key[]): Promise<ReadonlyArray<Item | undefined>> {
    const TransactItems = keys.map((key) => ({ Get: { TableName, Key: bare(key) } }));
    const input = { TransactItems, ReturnConsumedCapacity };
    const answer = await read("TransactGetItems", undefined, () =>
      client.send(new TransactGetCommand(input)),
    );
    return (answer.Responses ?? []).map(({ Item }) => (Item ? asItem(Item) : undefined));
  }

  async function queryPage(range: Range, resume?: Key): Promise<Page> {
    const placeholders = new Placeholders();
    const KeyConditionExpression = compileRange(range, placeholders);
    const ProjectionExpression = range.only?.map((name) => placeholders.path(name)).join(", ");
    const input = {
      TableName,
      KeyConditionExpression,
      ...(ProjectionExpression && { ProjectionExpression }),
      ...placeholders.attributes(),
      ConsistentRead: !range.eventually,
      ScanIndexForward: !range.descending,
      ...(range.pageItems && { Limit: range.pageItems }),
      ...(resume && { ExclusiveStartKey: bare(resume) }),
      ReturnConsumedCapacity,
    };
    const answer = await read("Query", range.signal, () =>
      client.send(new QueryCommand(input), abort(range.signal)),
    );
    return toPage(answer);
  }

  async function scanPage(scan: ReadOptions & { readonly pageItems?: number }, resume?: Key): Promise<Page> {
    const input = {
      TableName,
      ConsistentRead: !scan.eventually,
      ...projection(scan.only),
      ...(scan.pageItems && { Limit: scan.pageItems }),
      ...(resume && { ExclusiveStartKey: bare(resume) }),
      ReturnConsumedCapacity,
    };
    return toPage(
      await read("Scan", scan.signal, () => client.send(new ScanCommand(input), abort(scan.signal))),
    );
  }

  async function write(
    single: Write,
    { returning, repeatable = false }: WriteOptions = {},
  ): Promise<Item | undefined> {
    const repeat = repeatable || (single.when === undefined && !("update" in single));
    const command = singleCommand(single, { TableName, ReturnConsumedCapacity }, returning);
    try {
      const answer = await withRetries(waiting, repeat, undefined, () =>
        send(command.operation, () => command.send(client)),
      );
      return answer.Attributes && Object.keys(answer.Attributes).length > 0
        ? asItem(answer.Attributes)
        : undefined;
    } catch (error) {
      throw conditionFailure(error) ?? error;
    }
  }

  async function transact(writes: readonly TransactionWrite[]): Promise<void> {
    const input: TransactWriteCommandInput = {
      TransactItems: writes.map((each) => transactionItem(each, TableName)),
      // One token for all tries: after a time-out the same transaction is never applied twice.
      ClientRequestToken: options.chance.uuid(),
      ReturnConsumedCapacity,
    };
    try {
      await withRetries(waiting, true, undefined, () =>
        send("TransactWriteItems", () => client.send(new TransactWriteCommand(input))),
      );
    } catch (error) {
      throw refusal(error) ?? error;
    }
  }

  async function writeMany(writes: ReadonlyArray<{ put: Item } | { delete: Key }>): Promise<void> {
    const requests = writes.map((each) =>
      "put" in each ? { PutRequest: { Item: each.put } } : { DeleteRequest: { Key: bare(each.delete) } },
    );
    await Promise.all(chunk(requests, storeLimits.batchWriteItemsMax).map(writeBatch));
  }

  async function writeBatch(
    batch: ReadonlyArray<{ PutRequest: { Item: Item } } | { DeleteRequest: { Key: Key } }>,
  ) {
    let requests: Array<Record<string, unknown>> = [...batch];
    for (let attempt = 0; requests.length > 0; attempt++) {
      const input = { RequestItems: { [TableName]: requests }, ReturnConsumedCapacity };
      const answer = await read("BatchWriteItem", undefined, () => client.send(new BatchWriteCommand(input)));
      const unprocessed = answer.UnprocessedItems?.[TableName] ?? [];
      const progressed = unprocessed.length < requests.length;
      requests = unprocessed.map((request) => ({ ...request }));
      if (requests.length > 0) attempt = await pauseForUnprocessed(progressed ? 0 : attempt);
    }
  }

  return { get, getMany, getTogether, queryPage, scanPage, write, transact, writeMany };
}

type Common = { TableName: string; ReturnConsumedCapacity: "TOTAL" };
type SingleAnswer = Answered & { Attributes?: Record<string, unknown> | undefined };
type SingleCommand = { operation: string; send(client: DynamoDBDocumentClient): Promise<SingleAnswer> };

function singleCommand(single: Write, common: Common, returning: "old" | "new" | undefined): SingleCommand {
  const placeholders = new Placeholders();
  const ConditionExpression = single.when && compileCondition(single.when, placeholders);
  const UpdateExpression = "update" in single ? compileChange(single.change, placeholders) : undefined;
  const input = {
    ...common,
    ...(ConditionExpression && {
      ConditionExpression,
      ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const,
    }),
    ...placeholders.attributes(),
  };
  if ("put" in single) {
    const command = new PutCommand({
      ...input,
      Item: single.put,
      ...(returning && { ReturnValues: "ALL_OLD" }),
    });
    return { operation: "PutItem", send: (client) => client.send(command) };
  }
  if ("delete" in single) {
    const command = new DeleteCommand({
      ...input,
      Key: bare(single.delete),
      ...(returning && { ReturnValues: "ALL_OLD" }),
    });
    return { operation: "DeleteItem", send: (client) => client.send(command) };
  }
  const ReturnValues = returning && (returning === "old" ? ("ALL_OLD" as const) : ("ALL_NEW" as const));
  const command = new UpdateCommand({
    ...input,
    Key: bare(single.update),
    ...(UpdateExpression && { UpdateExpression }),
    ...(ReturnValues && { ReturnValues }),
  });
  return { operation: "UpdateItem", send: (client) => client.send(command) };
}

type TransactItem = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

function transactionItem(action: TransactionWrite, TableName: string): TransactItem {
  const placeholders = new Placeholders();
  const ConditionExpression = action.when && compileCondition(action.when, placeholders);
  const UpdateExpression = "update" in action ? compileChange(action.change, placeholders) : "";
  const condition = {
    TableName,
    ...(ConditionExpression && {
      ConditionExpression,
      ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const,
    }),
    ...placeholders.attributes(),
  };
  if ("put" in action) return { Put: { ...condition, Item: action.put } };
  if ("delete" in action) return { Delete: { ...condition, Key: bare(action.delete) } };
  if ("update" in action) return { Update: { ...condition, Key: bare(action.update), UpdateExpression } };
  return {
    ConditionCheck: { ...condition, ConditionExpression: ConditionExpression ?? "", Key: bare(action.check) },
  };
}

function toPage(answer: {
  Items?: Record<string, unknown>[] | undefined;
  LastEvaluatedKey?: Record<string, unknown> | undefined;
}): Page {
  const items = (answer.Items ?? []).map(asItem);
  const resume = asKey(answer.LastEvaluatedKey);
  return resume ? { items, resume } : { items };
}

function addUnits(
  call: { readUnits: number; writeUnits: number },
  operation: string,
  consumed: Units | Units[] | undefined,
) {
  for (const units of consumed === undefined ? [] : Array.isArray(consumed) ? consumed : [consumed]) {
    const isRead =
      operation === "GetItem" ||
      operation === "Query" ||
      operation === "Scan" ||
      operation.endsWith("GetItem") ||
      operation === "TransactGetItems";
    call.readUnits += units.ReadCapacityUnits ?? (isRead ? (units.CapacityUnits ?? 0) : 0);
    call.writeUnits += units.WriteCapacityUnits ?? (isRead ? 0 : (units.CapacityUnits ?? 0));
  }
}

function conditionFailure(error: unknown): ConditionFailed | undefined {
  if (!(error instanceof Error) || error.name !== "ConditionalCheckFailedException") return undefined;
  return new ConditionFailed(itemOfFailure(Reflect.get(error, "Item")));
}

function refusal(error: unknown): TransactionRefused | undefined {
  if (!(error instanceof TransactionCanceledException)) return undefined;
  const reasons = error.CancellationReasons ?? [];
  if (!reasons.some((reason) => reason.Code === "ConditionalCheckFailed")) return undefined;
  return new TransactionRefused(
    reasons.map((reason) => {
      const refused = reason.Code === "ConditionalCheckFailed";
      const item = itemOfFailure(reason.Item);
      return item ? { refused, item } : { refused };
    }),
  );
}

/** The document client translates answers, but not the items inside errors. */
function itemOfFailure(raw: unknown): Item | undefined {
  if (typeof raw !== "object" || raw === null || Object.keys(raw).length === 0) return undefined;
  return asItem(unmarshall({ ...raw }));
}

function chunk<Element>(elements: readonly Element[], size: number): Element[][] {
  const chunks: Element[][] = [];
  for (let start = 0; start < elements.length; start += size)
    chunks.push(elements.slice(start, start + size));
  return chunks;
}
