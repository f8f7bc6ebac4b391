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
import { conditionFailure, refusal } from "./refusals.ts";
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

function view(options: DynamoOptions, meter: StoreMeter | undefined): Table {
  const { client, tableName: TableName, clock, random } = options;
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

  async function get(
    key: Key,
    { eventuallyConsistent = false, only, signal }: ReadOptions = {},
  ): Promise<Item | undefined> {
    const input = {
      TableName,
      Key: bareKey(key),
      ConsistentRead: !eventuallyConsistent,
      ...projection(only),
      ...capacityRequest,
    };
    const call = () => client.send(new GetCommand(input), signal);
    const { Item } = await repeatedly("GetItem", call, signal);
    return Item && asItem(Item);
  }

  async function getMany(
    keys: readonly Key[],
    readOptions: ReadOptions = {},
  ): Promise<ReadonlyArray<Item | undefined>> {
    const unique = [...new Map(keys.map((key) => [identityOf(key), bareKey(key)])).values()];
    const found = new Map<string, Item>();
    const batches = chunksOf(unique, storeLimits.batchGetItemsMax);
    await Promise.all(batches.map((batch) => getBatch(batch, readOptions, found)));
    return keys.map((key) => found.get(identityOf(key)));
  }

  async function getBatch(batch: Key[], readOptions: ReadOptions, found: Map<string, Item>): Promise<void> {
    const { eventuallyConsistent = false, only, signal } = readOptions;
    const options = {
      ConsistentRead: !eventuallyConsistent,
      ...projection(only && [...new Set(["pk", "sk", ...only])]),
    };
    let Keys = batch;
    for (let attempt = 0; Keys.length > 0; attempt++) {
      const input = { RequestItems: { [TableName]: { ...options, Keys } }, ...capacityRequest };
      const call = () => client.send(new BatchGetCommand(input), signal);
      const answer = await repeatedly("BatchGetItem", call, signal);
      const items = (answer.Responses?.[TableName] ?? []).map(asItem);
      for (const item of items) found.set(identityOf(item), item);
      const unprocessed = answer.UnprocessedKeys?.[TableName]?.Keys ?? [];
      const progressed = unprocessed.length < Keys.length;
      Keys = unprocessed.map((key) => bareKey(asItem(key)));
      if (Keys.length > 0) attempt = await pauseForUnprocessed(progressed ? 0 : attempt, signal);
    }
  }

  async function pauseForUnprocessed(attempt: number, signal?: AbortSignal): Promise<number> {
    if (attempt + 1 >= storeLimits.retry.attemptsMax)
      throw new StoreUnavailable("unprocessed items remain", true);
    await backOff(waiting, attempt, signal);
    return attempt;
  }

  async function transactGet(keys: readonly Key[]): Promise<ReadonlyArray<Item | undefined>> {
    const TransactItems = keys.map((key) => ({ Get: { TableName, Key: bareKey(key) } }));
    const call = () => client.send(new TransactGetCommand({ TransactItems, ...capacityRequest }));
    const { Responses = [] } = await repeatedly("TransactGetItems", call);
    return Responses.map(({ Item }) => Item && asItem(Item));
  }

  async function queryPage(range: Range, resume?: Key): Promise<ItemPage> {
    if (isEmptyRange(range)) return { items: [] };
    const placeholders = new Placeholders();
    const KeyConditionExpression = compileRange(range, placeholders);
    const start = resume ?? startOfPrefix(range);
    const ProjectionExpression = range.only?.map((name) => placeholders.path(name)).join(", ");
    const input = {
      TableName,
      KeyConditionExpression,
      ...(ProjectionExpression && { ProjectionExpression }),
      ...placeholders.attributes(),
      ConsistentRead: !range.eventuallyConsistent,
      ScanIndexForward: !range.descending,
      ...(range.pageItems && { Limit: range.pageItems }),
      ...(start && { ExclusiveStartKey: bareKey(start) }),
      ...capacityRequest,
    };
    const call = () => client.send(new QueryCommand(input), range.signal);
    return toPage(await repeatedly("Query", call, range.signal));
  }

  async function scanPage(scan: Scan, resume?: Key): Promise<ItemPage> {
    const input = {
      TableName,
      ConsistentRead: !scan.eventuallyConsistent,
      ...projection(scan.only),
      ...(scan.pageItems && { Limit: scan.pageItems }),
      ...(scan.segment && { Segment: scan.segment.index, TotalSegments: scan.segment.of }),
      ...(resume && { ExclusiveStartKey: bareKey(resume) }),
      ...capacityRequest,
    };
    const call = () => client.send(new ScanCommand(input), scan.signal);
    return toPage(await repeatedly("Scan", call, scan.signal));
  }

  async function write(
    single: Write,
    { returning, idempotent = false, until }: WriteOptions = {},
  ): Promise<Item | undefined> {
    const repeat = idempotent || (single.when === undefined && !("update" in single));
    const { operation, send } = singleWrite(single, TableName, returning);
    try {
      const answer = await sendWrite(
        operation,
        (signal) => send(client, signal),
        { until },
        { repeat, momentMs: momentOf([single]) },
      );
      return itemUnlessEmpty(answer.Attributes);
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
      await sendWrite("TransactWriteItems", call, options, {
        untilAnswered: true,
        momentMs: momentOf(writes),
      });
    } catch (error) {
      throw refusal(error) ?? error;
    }
  }

  async function writeMany(
    writes: ReadonlyArray<{ put: Item } | { delete: Key }>,
    options: StoreCallOptions = {},
  ): Promise<void> {
    const requests = writes.map((each) => {
      if ("delete" in each) return { DeleteRequest: { Key: bareKey(each.delete) } };
      refuseReservedNames(each.put);
      return { PutRequest: { Item: each.put } };
    });
    const batches = chunksOf(requests, storeLimits.batchWriteItemsMax);
    await Promise.all(batches.map((batch) => writeBatch(batch, options)));
  }

  async function writeBatch(batch: BatchRequests, options: StoreCallOptions): Promise<void> {
    let requests = batch;
    for (let attempt = 0; requests.length > 0; attempt++) {
      const input = { RequestItems: { [TableName]: requests }, ...capacityRequest };
      const call = (signal?: AbortSignal) => client.send(new BatchWriteCommand(input), signal);
      const answer = await sendWrite("BatchWriteItem", call, options);
      const unprocessed = answer.UnprocessedItems?.[TableName] ?? [];
      const progressed = unprocessed.length < requests.length;
      requests = unprocessed;
      if (requests.length > 0)
        attempt = await pauseForUnprocessed(progressed ? 0 : attempt, options.until?.signal);
    }
  }

  return { get, getMany, transactGet, queryPage, scanPage, write, transact, writeMany };
}

type SendOptions = {
  readonly repeat?: boolean;
  readonly untilAnswered?: boolean;
  readonly momentMs?: number | undefined;
};

/** The earliest `momentMs` of the writes. */
function momentOf(writes: readonly TransactionWrite[]): number | undefined {
  const moments = writes.flatMap((write) => ("put" in write ? (write.momentMs ?? []) : []));
  return moments.length === 0 ? undefined : Math.min(...moments);
}

type BatchRequests = NonNullable<BatchWriteCommandInput["RequestItems"]>[string];

function projection(only: readonly string[] | undefined) {
  if (!only) return {};
  const placeholders = new Placeholders();
  const ProjectionExpression = only.map((name) => placeholders.path(name)).join(", ");
  return { ProjectionExpression, ...placeholders.attributes() };
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
