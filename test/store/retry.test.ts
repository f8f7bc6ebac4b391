import { describe, expect, test } from "vitest";
import { eventLimits, storeLimits } from "../../lib/contract/limits.ts";
import { AwsError, NoAnswer } from "../../lib/runtime/aws-error.ts";
import { chunksOf } from "../../lib/runtime/chunks.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import type { StoreClient } from "../../lib/store/client.ts";
import { createTable } from "../../lib/store/create-table.ts";
import { createDynamoTable } from "../../lib/store/dynamo.ts";
import { StoreMeter } from "../../lib/store/meter.ts";
import { backOff, classify, retryStoreCall } from "../../lib/store/retry.ts";
import { retryOnConflict } from "../../lib/store/retry-on-conflict.ts";
import {
  ConditionFailed,
  type Item,
  StoreUnavailable,
  type Table,
  TransactionRefused,
  transactIf,
  writeIf,
} from "../../lib/store/table.ts";
import { createVectorSearch } from "../../lib/store/vectors.ts";
import { TestClock } from "../support/clock.ts";

/** An error answer of DynamoDB. */
const awsError = (name: string, status = 400, details: object = {}) =>
  new AwsError({ name, status, details });
const cancelled = (...codes: Array<string | undefined>) =>
  awsError("TransactionCanceledException", 400, { CancellationReasons: codes.map((Code) => ({ Code })) });

/** A store that returns the prepared answers in order; errors are thrown. */
function storeOf(...prepared: unknown[]) {
  const asked: Array<{ operation: string; input: object }> = [];
  const answers = [...prepared];
  const client = {
    async send(command: { input: object }) {
      asked.push({ operation: command.constructor.name, input: command.input });
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      if (answer instanceof Error) throw answer;
      return answer;
    },
    destroy: () => undefined,
    // The test defines the answers that it uses as DynamoDB's.
  } as unknown as StoreClient;
  const clock = new TestClock();
  const options = { client, tableName: "t", clock, random: systemRandom };
  return { asked, clock, client, table: createDynamoTable(options), vectors: createVectorSearch(options) };
}

const { attemptsMax } = storeLimits.retry;
const key = (pk: string) => ({ pk, sk: "ITEM" });

describe("the kind of an error decides about the next attempt", () => {
  test.each([
    ["no answer", new NoAnswer("gone"), "ambiguous"],
    ["an error of our own", new TypeError("ours"), "permanent"],
    ["a conflict", awsError("TransactionConflictException"), "conflict"],
    ["a transaction still under way", awsError("TransactionInProgressException"), "conflict"],
    ["a throttle", awsError("ProvisionedThroughputExceededException"), "throttled"],
    ["a fault of theirs", awsError("InternalServerError", 500), "ambiguous"],
    ["a refusal", awsError("ValidationException"), "permanent"],
    [
      "a wrong clock that the SDK has corrected",
      new AwsError({ name: "InvalidSignatureException", status: 400, isSkewed: true }),
      "conflict",
    ],
    ["cancelled by conflicts alone", cancelled("None", "TransactionConflict", undefined), "conflict"],
    ["cancelled by conflict and throttle", cancelled("TransactionConflict", "ThrottlingError"), "throttled"],
    ["cancelled by a throughput", cancelled("ProvisionedThroughputExceeded"), "throttled"],
    [
      "cancelled by a condition beside a throttle",
      cancelled("ThrottlingError", "ConditionalCheckFailed"),
      "permanent",
    ],
    [
      "cancelled by something unknown",
      cancelled("TransactionConflict", "ItemCollectionSizeLimitExceeded"),
      "permanent",
    ],
    ["cancelled for no reason", cancelled("None"), "permanent"],
    ["cancelled without reasons", awsError("TransactionCanceledException"), "permanent"],
  ] as const)("the kind of an error decides about the next attempt: %s", (_, error, meaning) => {
    expect(classify(error)).toBe(meaning);
  });
});

describe("retries", () => {
  const waiting = (clock = new TestClock()) => ({ clock, random: systemRandom, policy: storeLimits.retry });
  const failing = (error: Error, times: number) => {
    let calls = 0;
    return async () => {
      calls++;
      if (calls <= times) throw error;
      return calls;
    };
  };

  test("retries of a throttled call end with the answer, or with an error after the last attempt", async () => {
    const throttle = awsError("ThrottlingException");
    expect(
      await retryStoreCall(waiting(), { repeatAmbiguous: false }, failing(throttle, attemptsMax - 1)),
    ).toBe(attemptsMax);
    const given = await retryStoreCall(
      waiting(),
      { repeatAmbiguous: false },
      failing(throttle, attemptsMax),
    ).catch((error: unknown) => error);
    expect(given).toBeInstanceOf(StoreUnavailable);
    expect(given).toMatchObject({ throttled: true, cause: throttle, message: "The store is throttling." });
  });

  test("retries repeat an ambiguous call only if it is idempotent", async () => {
    const lost = new NoAnswer("lost");
    expect(await retryStoreCall(waiting(), { repeatAmbiguous: true }, failing(lost, 1))).toBe(2);
    await expect(
      retryStoreCall(waiting(), { repeatAmbiguous: false }, failing(lost, 1)),
    ).rejects.toMatchObject({
      name: "StoreUnavailable",
      throttled: false,
      cause: lost,
    });
  });

  test("retries do not repeat a permanent error", async () => {
    const error = awsError("ValidationException");
    await expect(retryStoreCall(waiting(), { repeatAmbiguous: true }, failing(error, 1))).rejects.toBe(error);
  });

  test("retries wait longer each time, up to a bound, with random pauses", async () => {
    const bounds: number[] = [];
    const clock = new TestClock();
    const below = (bound: number) => bounds.push(bound) && bound - 1;
    const policy = { attemptsMax: 9, baseDelayMs: 0.4, delayMsMax: 10 };
    const started = clock.nowMs();
    for (let attempt = 0; attempt < 7; attempt++)
      await backOff({ clock, random: { ...systemRandom, below }, policy }, attempt);
    expect(bounds).toEqual([1, 1, 2, 4, 7, 10, 10]);
    expect(clock.nowMs() - started).toBe(35);
  });
});

describe("a batch that is only partly done", () => {
  const left = (...pks: string[]) => ({ UnprocessedKeys: { t: { Keys: pks.map(key) } } });
  const found = (...pks: string[]) => ({ Responses: { t: pks.map(key) } });

  test("a batch that is only partly done reads the remaining keys, and answers in the order of the keys", async () => {
    const { table, asked } = storeOf(
      { ...found("b"), ...left("a", "c") },
      { ...found("c"), ...left("a") },
      found("a"),
    );
    expect(await table.getMany([key("a"), key("b"), key("c"), key("a")])).toEqual(
      ["a", "b", "c", "a"].map(key),
    );
    expect(asked.map(({ input }) => input)).toMatchObject([
      { RequestItems: { t: { Keys: [key("a"), key("b"), key("c")] } } },
      { RequestItems: { t: { Keys: [key("a"), key("c")] } } },
      { RequestItems: { t: { Keys: [key("a")] } } },
    ]);
  });

  test("a batch that makes no progress fails as throttled after the last attempt, not earlier", async () => {
    const stuck = storeOf(left("a"));
    await expect(stuck.table.getMany([key("a")])).rejects.toMatchObject({
      name: "StoreUnavailable",
      throttled: true,
      cause: "unprocessed items remain",
    });
    expect(stuck.asked).toHaveLength(attemptsMax);
    const waits = Array.from({ length: attemptsMax - 1 }, () => left("a"));
    expect(await storeOf(...waits, found("a")).table.getMany([key("a")])).toEqual([key("a")]);
  });

  test("a batch that is only partly done writes the remaining items, and fails in the same way", async () => {
    const request = (pk: string) => ({ PutRequest: { Item: key(pk) } });
    const some = storeOf({ UnprocessedItems: { t: [request("b")] } }, {});
    await some.table.writeMany([{ put: key("a") }, { put: key("b") }]);
    expect(some.asked.map(({ input }) => input)).toMatchObject([
      { RequestItems: { t: [request("a"), request("b")] } },
      { RequestItems: { t: [request("b")] } },
    ]);
    const stuck = storeOf({ UnprocessedItems: { t: [request("a")] } });
    await expect(stuck.table.writeMany([{ put: key("a") }])).rejects.toMatchObject({ throttled: true });
    expect(stuck.asked).toHaveLength(attemptsMax);
  });
});

describe("one call", () => {
  test("one call returns the item before or after a change on request", async () => {
    const { table, asked } = storeOf({ Attributes: key("a") });
    const change = { update: key("a"), change: { remove: ["x"] } };
    for (const returning of ["old", "new"] as const)
      expect(await table.write(change, { returning })).toEqual(key("a"));
    expect(asked.map(({ input }) => input)).toMatchObject([
      { ReturnValues: "ALL_OLD" },
      { ReturnValues: "ALL_NEW" },
    ]);
  });

  test("a query of an empty range sends nothing; a scan uses its page size", async () => {
    const { table, asked } = storeOf({});
    expect(await table.queryPage({ pk: "a", from: "2", upTo: "1" })).toEqual({ items: [] });
    expect(asked).toEqual([]);
    expect(await table.scanPage({ pageItems: 7 })).toEqual({ items: [] });
    expect(asked).toMatchObject([{ operation: "ScanCommand", input: { Limit: 7 } }]);
  });

  test("one call is metered by its consumed capacity, in every form that DynamoDB reports", async () => {
    const units = async (work: (table: Table) => Promise<unknown>, ConsumedCapacity: unknown) => {
      const meter = new StoreMeter();
      await work(storeOf({ ConsumedCapacity }).table.metered(meter));
      return meter.calls.map(({ readUnits, writeUnits }) => [readUnits, writeUnits]);
    };
    const read = (table: Table) => table.get(key("a"));
    const write = (table: Table) => table.write({ put: key("a") });
    expect(await units(read, { CapacityUnits: 2 })).toEqual([[2, 0]]);
    expect(await units(write, { CapacityUnits: 2 })).toEqual([[0, 2]]);
    expect(await units(write, [{ ReadCapacityUnits: 1, WriteCapacityUnits: 3 }])).toEqual([[1, 3]]);
    expect(await units(read, undefined)).toEqual([[0, 0]]);
    expect(await units(read, {})).toEqual([[0, 0]]);
    expect(await units(write, {})).toEqual([[0, 0]]);
  });

  test("a transaction that is cancelled for another reason than a condition is not a refusal", async () => {
    const cancellation = cancelled("ValidationError");
    await expect(storeOf(cancellation).table.transact([{ put: key("a") }])).rejects.toBe(cancellation);
    await expect(storeOf(cancelled("ConditionalCheckFailed", "None")).table.transact([])).rejects.toEqual(
      new TransactionRefused([{ refused: true }, { refused: false }]),
    );
  });

  test("a search of the vector index without results returns an empty list", async () => {
    expect(await storeOf({}).vectors.search({ space: "space", repositoryId: "repo" }, [1], 5)).toEqual([]);
  });

  test("a call to create a table succeeds if it exists, and fails for any other reason", async () => {
    await createTable(storeOf(awsError("ResourceInUseException")).client, "t", { vectorIndex: false });
    for (const error of [awsError("AccessDeniedException"), new TypeError("ours")])
      await expect(createTable(storeOf(error).client, "t", { vectorIndex: true })).rejects.toBe(error);
  });
});

describe("retryOnConflict", () => {
  const store = () => ({ ...storeOf({}), random: systemRandom });
  const refusing = (error: Error, times: number) => {
    let calls = 0;
    return async () => {
      if (++calls <= times) throw error;
      return calls;
    };
  };

  test("retryOnConflict repeats while conditions fail, a bounded number of times", async () => {
    const item: Item = key("a");
    for (const error of [new ConditionFailed(item), new TransactionRefused([])]) {
      const last = eventLimits.decisionsMax - 1;
      expect(await retryOnConflict(store(), refusing(error, last))).toBe(eventLimits.decisionsMax);
      await expect(retryOnConflict(store(), refusing(error, last + 1))).rejects.toMatchObject({
        name: "DecisionsExhausted",
        throttled: false,
        cause: error,
      });
    }
  });

  test("retryOnConflict passes on every other error at once", async () => {
    const error = new TypeError("ours");
    await expect(retryOnConflict(store(), refusing(error, 1))).rejects.toBe(error);
  });

  test("retryOnConflict numbers the attempts from 0, so that only the first uses an earlier read", async () => {
    const attempts: number[] = [];
    await retryOnConflict(store(), async (attempt) => {
      attempts.push(attempt);
      if (attempt < 2) throw new ConditionFailed(undefined);
    });
    expect(attempts).toEqual([0, 1, 2]);
  });
});

describe("a conditional write", () => {
  const write = { delete: key("a"), when: { present: "pk" } };

  test("a conditional write returns whether the condition held", async () => {
    expect(await writeIf(storeOf({}).table, write)).toBe(true);
    const failed = awsError("ConditionalCheckFailedException");
    expect(await writeIf(storeOf(failed).table, write)).toBe(false);
  });

  test("a conditional transaction returns whether all conditions held", async () => {
    expect(await transactIf(storeOf({}).table, [write])).toBe(true);
    expect(await transactIf(storeOf(cancelled("ConditionalCheckFailed")).table, [write])).toBe(false);
  });

  test("a conditional write or transaction passes on every other error", async () => {
    const error = awsError("AccessDeniedException");
    await expect(writeIf(storeOf(error).table, write)).rejects.toBe(error);
    await expect(transactIf(storeOf(error).table, [write])).rejects.toBe(error);
  });
});

test("elements are split into chunks of the given size, the last one smaller", () => {
  expect(chunksOf([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]);
  expect(chunksOf([], 2)).toEqual([]);
});
