import type { ConsumedCapacity } from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  BatchWriteCommand,
  type BatchWriteCommandInput,
  GetCommand,
  QueryCommand,
  type QueryCommandOutput,
  ScanCommand,
  TransactGetCommand,
  TransactWriteCommand,
} from "@aws-sdk/lib-dynamodb";
import { storeLimits } from "../contract/limits.ts";
import { chunksOf } from "../runtime/chunks.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Random } from "../runtime/random.ts";
import type { StoreClient } from "./client.ts";
import { compileRange, isEmptyRange, Placeholders } from "./expressions.ts";
import type { StoreMeter } from "./meter.ts";
import { conditionFailure, refusal } from "./refused-writes.ts";
import { backOff, retryStoreCall } from "./retry.ts";
import {
  type Item,
  type ItemPage,
  identityOf,
  type Key,
  type Range,
  type ReadOptions,
  type Scan,
  type StoreCallOptions,
  StoreUnavailable,
  type Table,
  type TransactionWrite,
  type Write,
  type WriteOptions,
} from "./table.ts";
import { asItem, bareKey, itemUnlessEmpty, refuseReservedNames } from "./values.ts";
import { capacityRequest, compileWrite, singleWrite } from "./write-requests.ts";

export type DynamoOptions = {
  readonly client: StoreClient;
  readonly tableName: string;
  readonly clock: Clock;
  readonly random: Random;
};

/** DynamoDB's own names of the operations that the table calls. */
type TableOperation =
  | "GetItem"
  | "PutItem"
  | "UpdateItem"
  | "DeleteItem"
  | "Query"
  | "Scan"
  | "BatchGetItem"
  | "BatchWriteItem"
  | "TransactGetItems"
  | "TransactWriteItems";

/** The consumed capacity: of one table, or of every table of a batch or a transaction. */
type Paid = { readonly ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[] | undefined };

/** A table whose calls can be counted: `metered` returns a view of the same table that reports to one meter. */
export interface MeteredTable extends Table {
  metered(meter: StoreMeter): Table;
}

export function createDynamoTable(options: DynamoOptions): MeteredTable {
  return {
    ...view(options, undefined),
    metered: (meter) => view(options, meter),
  };
}

const view = (options: DynamoOptions, meter: StoreMeter | undefined): Table => {
  const sender = createSender(options, meter);
  return { ...readsOf(options, sender), ...writesOf(options, sender) };
};

type Sender = ReturnType<typeof createSender>;

/** Sends calls with retries, and counts every attempt. */
function createSender({ clock, random }: DynamoOptions, meter: StoreMeter | undefined) {
  const waiting = { clock, random, policy: storeLimits.retry };

  async function counting<Answer extends Paid>(
    operation: TableOperation,
    call: () => Promise<Answer>,
  ): Promise<Answer> {
    const counted = meter?.start(operation);
    try {
      const answer = await call();
      if (counted) addUnits(counted, operation, answer);
      return answer;
    } catch (error) {
      if (counted) counted.failed = true;
      throw error;
    } finally {
      if (counted) meter?.end(counted);
    }
  }
  const repeatedly = <Answer extends Paid>(
    operation: TableOperation,
    call: () => Promise<Answer>,
    signal?: AbortSignal,
  ) => retryStoreCall(waiting, { repeatAmbiguous: true, signal }, () => counting(operation, call));
  /** No attempt begins after the deadline, or long after the write's `momentMs`. */
  const sendWrite = <Answer extends Paid>(
    operation: TableOperation,
    call: (signal: AbortSignal | undefined) => Promise<Answer>,
    { until }: StoreCallOptions,
    { repeat = true, untilAnswered = false, momentMs }: SendOptions = {},
  ) => {
    const signal = until?.signal;
    const bounds = { until, momentMs, ageMsMax: storeLimits.writeAgeMsMax, untilAnswered };
    return retryStoreCall(waiting, { repeatAmbiguous: repeat, signal, ...bounds }, () =>
      counting(operation, () => call(signal)),
    );
  };

  /** Sends what is left of a batch again, until nothing is left. `send` returns what was not processed. */
  async function untilProcessed<Request>(
    batch: readonly Request[],
    signal: AbortSignal | undefined,
    send: (requests: readonly Request[]) => Promise<readonly Request[]>,
  ): Promise<void> {
    let requests = batch;
    for (let attempt = 0; ; attempt++) {
      const unprocessed = await send(requests);
      if (unprocessed.length === 0) return;
      if (unprocessed.length < requests.length) attempt = 0;
      if (attempt + 1 >= storeLimits.retry.attemptsMax)
        throw new StoreUnavailable("unprocessed items remain", true);
      requests = unprocessed;
      await backOff(waiting, attempt, signal);
    }
  }

  return { repeatedly, sendWrite, untilProcessed };
}

type Reads = Pick<Table, "get" | "getMany" | "transactGet" | "queryPage" | "scanPage">;

function readsOf({ client, tableName: TableName }: DynamoOptions, sender: Sender): Reads {
  const { repeatedly, untilProcessed } = sender;

  async function get(key: Key, options: ReadOptions = {}): Promise<Item | undefined> {
    const { only, signal } = options;
    const input = { TableName, Key: bareKey(key), ...reading(options, only), ...capacityRequest };
    const call = () => client.send(new GetCommand(input), signal);
    const { Item } = await repeatedly("GetItem", call, signal);
    return Item && asItem(Item);
  }

  async function getMany(
    keys: readonly Key[],
    readOptions: ReadOptions = {},
  ): Promise<ReadonlyArray<Item | undefined>> {
    const { only, signal } = readOptions;
    const options = reading(readOptions, only && [...new Set(["pk", "sk", ...only])]);
    const unique = [...new Map(keys.map((key) => [identityOf(key), bareKey(key)])).values()];
    const found = new Map<string, Item>();
    const sendBatch = async (batch: readonly Key[]) => {
      const input = { RequestItems: { [TableName]: { ...options, Keys: [...batch] } }, ...capacityRequest };
      const call = () => client.send(new BatchGetCommand(input), signal);
      const answer = await repeatedly("BatchGetItem", call, signal);
      const items = (answer.Responses?.[TableName] ?? []).map(asItem);
      for (const item of items) found.set(identityOf(item), item);
      return (answer.UnprocessedKeys?.[TableName]?.Keys ?? []).map((key) => bareKey(asItem(key)));
    };
    const batches = chunksOf(unique, storeLimits.batchGetItemsMax);
    await Promise.all(batches.map((batch) => untilProcessed(batch, signal, sendBatch)));
    return keys.map((key) => found.get(identityOf(key)));
  }

  async function transactGet(keys: readonly Key[]): Promise<ReadonlyArray<Item | undefined>> {
    const TransactItems = keys.map((key) => ({ Get: { TableName, Key: bareKey(key) } }));
    const call = () => client.send(new TransactGetCommand({ TransactItems, ...capacityRequest }));
    const { Responses = [] } = await repeatedly("TransactGetItems", call);
    return Responses.map(({ Item }) => Item && asItem(Item));
  }

  async function queryPage(range: Range, resume?: Key): Promise<ItemPage> {
    if (isEmptyRange(range)) return { items: [] };
    const input = { TableName, ...queryInput(range, resume), ...capacityRequest };
    const call = () => client.send(new QueryCommand(input), range.signal);
    return toPage(await repeatedly("Query", call, range.signal));
  }

  async function scanPage(scan: Scan, resume?: Key): Promise<ItemPage> {
    const input = { TableName, ...scanInput(scan, resume), ...capacityRequest };
    const call = () => client.send(new ScanCommand(input), scan.signal);
    return toPage(await repeatedly("Scan", call, scan.signal));
  }

  return { get, getMany, transactGet, queryPage, scanPage };
}

function queryInput(range: Range, resume: Key | undefined) {
  const placeholders = new Placeholders();
  const KeyConditionExpression = compileRange(range, placeholders);
  const start = resume ?? startOfPrefix(range);
  const ProjectionExpression = range.only?.map((name) => placeholders.path(name)).join(", ");
  return {
    KeyConditionExpression,
    ...(ProjectionExpression && { ProjectionExpression }),
    ...placeholders.attributes(),
    ConsistentRead: !range.eventuallyConsistent,
    ScanIndexForward: !range.descending,
    ...(range.pageItems && { Limit: range.pageItems }),
    ...(start && { ExclusiveStartKey: bareKey(start) }),
  };
}

const scanInput = (scan: Scan, resume: Key | undefined) => ({
  ...reading(scan, scan.only),
  ...(scan.pageItems && { Limit: scan.pageItems }),
  ...(scan.segment && { Segment: scan.segment.index, TotalSegments: scan.segment.of }),
  ...(resume && { ExclusiveStartKey: bareKey(resume) }),
});

type Writes = Pick<Table, "write" | "transact" | "writeMany">;

function writesOf({ client, tableName: TableName, random }: DynamoOptions, sender: Sender): Writes {
  const { sendWrite, untilProcessed } = sender;

  async function write(
    single: Write,
    { returning, idempotent = false, until }: WriteOptions = {},
  ): Promise<Item | undefined> {
    const repeat = idempotent || (single.when === undefined && !("update" in single));
    const { operation, send } = singleWrite(single, TableName, returning);
    try {
      const call = (signal?: AbortSignal) => send(client, signal);
      const attempts = { repeat, momentMs: momentOf([single]) };
      return itemUnlessEmpty((await sendWrite(operation, call, { until }, attempts)).Attributes);
    } catch (error) {
      throw conditionFailure(error) ?? error;
    }
  }

  async function transact(
    writes: readonly TransactionWrite[],
    options: StoreCallOptions = {},
  ): Promise<void> {
    const input = {
      TransactItems: writes.map((each) => compileWrite(each, TableName)),
      // One token for all attempts: after a time-out the same transaction is never applied twice.
      ClientRequestToken: random.uuid(),
      ...capacityRequest,
    };
    try {
      const call = (signal?: AbortSignal) => client.send(new TransactWriteCommand(input), signal);
      // A slow transaction has not failed: sending the same token again returns the result of the first attempt.
      const attempts = { untilAnswered: true, momentMs: momentOf(writes) };
      await sendWrite("TransactWriteItems", call, options, attempts);
    } catch (error) {
      throw refusal(error) ?? error;
    }
  }

  async function writeMany(
    writes: ReadonlyArray<{ put: Item } | { delete: Key }>,
    options: StoreCallOptions = {},
  ): Promise<void> {
    const requests: BatchRequests = writes.map((each) => {
      if ("delete" in each) return { DeleteRequest: { Key: bareKey(each.delete) } };
      refuseReservedNames(each.put);
      return { PutRequest: { Item: each.put } };
    });
    const sendBatch = async (batch: typeof requests) => {
      const input = { RequestItems: { [TableName]: [...batch] }, ...capacityRequest };
      const call = (signal?: AbortSignal) => client.send(new BatchWriteCommand(input), signal);
      const { UnprocessedItems } = await sendWrite("BatchWriteItem", call, options);
      return UnprocessedItems?.[TableName] ?? [];
    };
    const batches = chunksOf(requests, storeLimits.batchWriteItemsMax);
    await Promise.all(batches.map((batch) => untilProcessed(batch, options.until?.signal, sendBatch)));
  }

  return { write, transact, writeMany };
}

type SendOptions = {
  readonly repeat?: boolean;
  readonly untilAnswered?: boolean;
  readonly momentMs?: number | undefined;
};

function momentOf(writes: readonly TransactionWrite[]): number | undefined {
  const moments = writes.flatMap((write) => ("put" in write ? (write.momentMs ?? []) : []));
  return moments.length === 0 ? undefined : Math.min(...moments);
}

type BatchRequests = readonly NonNullable<BatchWriteCommandInput["RequestItems"]>[string][number][];

/** Of a read: how consistent it is, and the attributes that it returns. */
function reading({ eventuallyConsistent = false }: ReadOptions | Scan, only: readonly string[] | undefined) {
  const ConsistentRead = !eventuallyConsistent;
  if (!only) return { ConsistentRead };
  const placeholders = new Placeholders();
  const ProjectionExpression = only.map((name) => placeholders.path(name)).join(", ");
  return { ConsistentRead, ProjectionExpression, ...placeholders.attributes() };
}

/**
 * The start key for reading a prefix. A bound in place of the prefix would need an upper end, and no character appended
 * to the prefix sorts above every other: DynamoDB compares UTF-8, in which `\uffff` sorts below U+10000.
 */
const startOfPrefix = ({ pk, beginsWith, after }: Range): Key | undefined =>
  beginsWith === undefined || after === undefined ? undefined : { pk, sk: after };

function toPage({ Items = [], LastEvaluatedKey }: QueryCommandOutput): ItemPage {
  const items = Items.map(asItem);
  return LastEvaluatedKey ? { items, resume: bareKey(asItem(LastEvaluatedKey)) } : { items };
}

function addUnits(
  call: { readUnits: number; writeUnits: number },
  operation: TableOperation,
  { ConsumedCapacity }: Paid,
): void {
  const isRead = operation === "Query" || operation === "Scan" || operation.includes("Get");
  for (const units of ConsumedCapacity === undefined ? [] : [ConsumedCapacity].flat()) {
    call.readUnits += units.ReadCapacityUnits ?? (isRead ? (units.CapacityUnits ?? 0) : 0);
    call.writeUnits += units.WriteCapacityUnits ?? (isRead ? 0 : (units.CapacityUnits ?? 0));
  }
}
