import { storeLimits } from "../contract/limits.ts";
import { AwsFault } from "../runtime/aws-fault.ts";
import type { Chance } from "../runtime/chance.ts";
import type { Clock } from "../runtime/clock.ts";
import { type Attributes, fromAttributes, toAttributes } from "./attributes.ts";
import type { StoreAnswers, StoreClient, StoreOperation } from "./client.ts";
import { compileChange, compileCondition, compileRange, isEmptyRange, Placeholders } from "./expressions.ts";
import type { StoreMeter } from "./meter.ts";
import { backOff, cancellationReasons, withRetries } from "./retry.ts";
import {
  type CallOptions,
  ConditionFailed,
  type Item,
  identityOf,
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
  readonly client: StoreClient;
  readonly tableName: string;
  readonly clock: Clock;
  readonly chance: Chance;
};

type TableOperation = Exclude<StoreOperation, "CreateTable">;

/** A table whose calls can be counted: `metered` gives a view of the same table that reports to one meter. */
export interface MeteredTable extends Table {
  metered(meter: StoreMeter): Table;
}

/** What is in the table is an Item by construction: our own writes are the only source, and keys are in all of them. */
const asItem = (attributes: Attributes): Item => fromAttributes(attributes) as unknown as Item;
const asKey = (attributes: Attributes): Key => bare(asItem(attributes));
const keyAttributes = (key: Key): Attributes => toAttributes(bare(key));
const bare = ({ pk, sk }: Key): Key => ({ pk, sk });

export function createDynamoTable(options: DynamoOptions): MeteredTable {
  return {
    ...view(options, undefined),
    metered: (meter) => view(options, meter),
  };
}

function view(options: DynamoOptions, meter: StoreMeter | undefined): Table {
  const { client, tableName: TableName, clock, chance } = options;
  const waiting = { clock, chance, policy: storeLimits.retry };

  async function send<Operation extends TableOperation>(
    operation: Operation,
    input: object,
    signal?: AbortSignal,
  ): Promise<StoreAnswers[Operation]> {
    const counted = meter?.start(operation);
    try {
      const answer = await client.call(operation, { ...input, ReturnConsumedCapacity: "TOTAL" }, signal);
      if (counted) addUnits(counted, operation, answer);
      return answer;
    } catch (error) {
      if (counted) counted.failed = true;
      throw error;
    } finally {
      if (counted) meter?.end(counted);
    }
  }
  const repeatedly = <Operation extends TableOperation>(
    operation: Operation,
    input: object,
    signal?: AbortSignal,
  ) => withRetries(waiting, true, signal, () => send(operation, input, signal));
  /** No attempt begins after the deadline, or long after the moment that the write carries. */
  const sendWrite = <Operation extends TableOperation>(
    operation: Operation,
    input: object,
    { until }: CallOptions,
    repeat = true,
  ) => {
    const bounds = { until, ageMsMax: storeLimits.writeAgeMsMax };
    const signal = until?.signal;
    return withRetries(waiting, repeat, signal, () => send(operation, input, signal), bounds);
  };

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
    const input = { TableName, Key: keyAttributes(key), ConsistentRead: !eventually, ...projection(only) };
    const { Item } = await repeatedly("GetItem", input, signal);
    return Item && asItem(Item);
  }

  async function getMany(
    keys: readonly Key[],
    readOptions: ReadOptions = {},
  ): Promise<ReadonlyArray<Item | undefined>> {
    const unique = [...new Map(keys.map((key) => [identityOf(key), bare(key)])).values()];
    const found = new Map<string, Item>();
    const batches = chunk(unique, storeLimits.batchGetItemsMax);
    await Promise.all(batches.map((batch) => getBatch(batch, readOptions, found)));
    return keys.map((key) => found.get(identityOf(key)));
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
        Keys: keys.map(keyAttributes),
        ConsistentRead: !eventually,
        ...projection(only && [...new Set(["pk", "sk", ...only])]),
      };
      const answer = await repeatedly("BatchGetItem", { RequestItems: { [TableName]: request } }, signal);
      const items = (answer.Responses?.[TableName] ?? []).map(asItem);
      for (const item of items) found.set(identityOf(item), item);
      const unprocessed = answer.UnprocessedKeys?.[TableName]?.Keys ?? [];
      const progressed = unprocessed.length < keys.length;
      keys = unprocessed.map(asKey);
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
    const TransactItems = keys.map((key) => ({ Get: { TableName, Key: keyAttributes(key) } }));
    const { Responses = [] } = await repeatedly("TransactGetItems", { TransactItems });
    return Responses.map(({ Item }) => Item && asItem(Item));
  }

  async function queryPage(range: Range, resume?: Key): Promise<Page> {
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
      ConsistentRead: !range.eventually,
      ScanIndexForward: !range.descending,
      ...(range.pageItems && { Limit: range.pageItems }),
      ...(start && { ExclusiveStartKey: keyAttributes(start) }),
    };
    return toPage(await repeatedly("Query", input, range.signal));
  }

  async function scanPage(scan: ReadOptions & { readonly pageItems?: number }, resume?: Key): Promise<Page> {
    const input = {
      TableName,
      ConsistentRead: !scan.eventually,
      ...projection(scan.only),
      ...(scan.pageItems && { Limit: scan.pageItems }),
      ...(resume && { ExclusiveStartKey: keyAttributes(resume) }),
    };
    return toPage(await repeatedly("Scan", input, scan.signal));
  }

  async function write(
    single: Write,
    { returning, repeatable = false, until }: WriteOptions = {},
  ): Promise<Item | undefined> {
    const repeat = repeatable || (single.when === undefined && !("update" in single));
    const { operation, input } = singleCommand(single, TableName, returning);
    try {
      const answer = await sendWrite(operation, input, { until }, repeat);
      return itemUnlessEmpty(answer.Attributes);
    } catch (error) {
      throw conditionFailure(error) ?? error;
    }
  }

  async function transact(writes: readonly TransactionWrite[], options: CallOptions = {}): Promise<void> {
    const input = {
      TransactItems: writes.map((each) => transactionItem(each, TableName)),
      // One token for all tries: after a time-out the same transaction is never applied twice.
      ClientRequestToken: chance.uuid(),
    };
    try {
      await sendWrite("TransactWriteItems", input, options);
    } catch (error) {
      throw refusal(error) ?? error;
    }
  }

  async function writeMany(
    writes: ReadonlyArray<{ put: Item } | { delete: Key }>,
    options: CallOptions = {},
  ): Promise<void> {
    const requests = writes.map((each) =>
      "put" in each
        ? { PutRequest: { Item: toAttributes(each.put) } }
        : { DeleteRequest: { Key: keyAttributes(each.delete) } },
    );
    const batches = chunk(requests, storeLimits.batchWriteItemsMax);
    await Promise.all(batches.map((batch) => writeBatch(batch, options)));
  }

  async function writeBatch(batch: readonly object[], options: CallOptions): Promise<void> {
    let requests = batch;
    for (let attempt = 0; requests.length > 0; attempt++) {
      const input = { RequestItems: { [TableName]: requests } };
      const answer = await sendWrite("BatchWriteItem", input, options);
      const unprocessed = answer.UnprocessedItems?.[TableName] ?? [];
      const progressed = unprocessed.length < requests.length;
      requests = unprocessed;
      if (requests.length > 0)
        attempt = await pauseForUnprocessed(progressed ? 0 : attempt, options.until?.signal);
    }
  }

  return { get, getMany, getTogether, queryPage, scanPage, write, transact, writeMany };
}

type SingleCommand = {
  readonly operation: "PutItem" | "UpdateItem" | "DeleteItem";
  readonly input: object;
};

function singleCommand(
  single: Write,
  TableName: string,
  returning: "old" | "new" | undefined,
): SingleCommand {
  const placeholders = new Placeholders();
  const ConditionExpression = single.when && compileCondition(single.when, placeholders);
  const UpdateExpression = "update" in single ? compileChange(single.change, placeholders) : undefined;
  const common = {
    TableName,
    ...(ConditionExpression && { ConditionExpression, ReturnValuesOnConditionCheckFailure: "ALL_OLD" }),
    ...placeholders.attributes(),
  };
  const old = returning && { ReturnValues: "ALL_OLD" };
  if ("put" in single)
    return { operation: "PutItem", input: { ...common, Item: toAttributes(single.put), ...old } };
  if ("delete" in single)
    return { operation: "DeleteItem", input: { ...common, Key: keyAttributes(single.delete), ...old } };
  const ReturnValues = returning && (returning === "old" ? "ALL_OLD" : "ALL_NEW");
  return {
    operation: "UpdateItem",
    input: {
      ...common,
      Key: keyAttributes(single.update),
      ...(UpdateExpression && { UpdateExpression }),
      ...(ReturnValues && { ReturnValues }),
    },
  };
}

function transactionItem(action: TransactionWrite, TableName: string): object {
  const placeholders = new Placeholders();
  const ConditionExpression = action.when && compileCondition(action.when, placeholders);
  const UpdateExpression = "update" in action ? compileChange(action.change, placeholders) : "";
  const common = {
    TableName,
    ...(ConditionExpression && { ConditionExpression, ReturnValuesOnConditionCheckFailure: "ALL_OLD" }),
    ...placeholders.attributes(),
  };
  if ("put" in action) return { Put: { ...common, Item: toAttributes(action.put) } };
  if ("delete" in action) return { Delete: { ...common, Key: keyAttributes(action.delete) } };
  if ("update" in action)
    return { Update: { ...common, Key: keyAttributes(action.update), UpdateExpression } };
  return { ConditionCheck: { ...common, Key: keyAttributes(action.check) } };
}

/**
 * Where a prefix is read from. A bound in place of the prefix would need an upper end, and no character appended to
 * the prefix is above every other: DynamoDB compares UTF-8, in which `\uffff` sorts below U+10000.
 */
const startOfPrefix = ({ pk, beginsWith, after }: Range): Key | undefined =>
  beginsWith === undefined || after === undefined ? undefined : { pk, sk: after };

function toPage({ Items = [], LastEvaluatedKey }: StoreAnswers["Query"]): Page {
  const items = Items.map(asItem);
  return LastEvaluatedKey ? { items, resume: asKey(LastEvaluatedKey) } : { items };
}

function addUnits(
  call: { readUnits: number; writeUnits: number },
  operation: TableOperation,
  { ConsumedCapacity }: StoreAnswers[TableOperation],
): void {
  const isRead = operation === "Query" || operation === "Scan" || operation.includes("Get");
  for (const units of ConsumedCapacity === undefined ? [] : [ConsumedCapacity].flat()) {
    call.readUnits += units.ReadCapacityUnits ?? (isRead ? (units.CapacityUnits ?? 0) : 0);
    call.writeUnits += units.WriteCapacityUnits ?? (isRead ? 0 : (units.CapacityUnits ?? 0));
  }
}

function conditionFailure(error: unknown): ConditionFailed | undefined {
  if (!(error instanceof AwsFault) || error.name !== "ConditionalCheckFailedException") return undefined;
  const item = error.detail("Item");
  return new ConditionFailed(typeof item === "object" && item ? itemUnlessEmpty({ ...item }) : undefined);
}

function refusal(error: unknown): TransactionRefused | undefined {
  if (!(error instanceof AwsFault) || error.name !== "TransactionCanceledException") return undefined;
  const reasons = cancellationReasons(error);
  if (!reasons.some(({ Code }) => Code === "ConditionalCheckFailed")) return undefined;
  return new TransactionRefused(
    reasons.map(({ Code, Item }) => {
      const refused = Code === "ConditionalCheckFailed";
      const item = itemUnlessEmpty(Item);
      return item ? { refused, item } : { refused };
    }),
  );
}

const itemUnlessEmpty = (attributes: Attributes | undefined): Item | undefined =>
  attributes && Object.keys(attributes).length > 0 ? asItem(attributes) : undefined;

function chunk<Element>(elements: readonly Element[], size: number): Element[][] {
  const chunks: Element[][] = [];
  for (let start = 0; start < elements.length; start += size)
    chunks.push(elements.slice(start, start + size));
  return chunks;
}
