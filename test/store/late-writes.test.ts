import { describe, expect, test } from "vitest";
import { auditWrites, operator } from "../../lib/audit/entry.ts";
import { storeLimits } from "../../lib/contract/limits.ts";
import { newLearning, removeWrites, replaceWrites, writeContext } from "../../lib/learnings/record.ts";
import { NoAnswer } from "../../lib/runtime/aws-error.ts";
import { systemRandom } from "../../lib/runtime/random.ts";
import { boundedTable } from "../../lib/store/bounded.ts";
import type { StoreClient } from "../../lib/store/client.ts";
import { createDynamoTable } from "../../lib/store/dynamo.ts";
import { retryOnConflict } from "../../lib/store/retry-on-conflict.ts";
import { type Table, WriteExpired } from "../../lib/store/table.ts";
import { TestClock } from "../support/clock.ts";

const minutesMs = 60_000;
const item = { pk: "a", sk: "ITEM" };

/** The first call freezes the process for a while and gets no answer; later calls are answered. */
function frozenStore(frozenMs: number) {
  const clock = new TestClock();
  const sent: object[] = [];
  const client = {
    async send(command: object) {
      sent.push(command);
      if (sent.length > 1) return {};
      clock.advance(frozenMs);
      throw new NoAnswer("lost");
    },
    destroy: () => undefined,
    // The test defines the answers that it uses as DynamoDB's.
  } as unknown as StoreClient;
  const table = createDynamoTable({ client, tableName: "t", clock, random: systemRandom });
  return { clock, sent, table };
}

const writes: ReadonlyArray<[string, (table: Table) => Promise<unknown>]> = [
  ["a put", (table) => table.write({ put: item })],
  ["a transaction", (table) => table.transact([{ put: item }])],
  ["a batch of writes", (table) => table.writeMany([{ put: item }])],
];

describe.each(writes)("%s that got no answer", (name, write) => {
  /** No timer fires while the process is frozen, so the signal is not aborted yet when the process continues. */
  const until = (clock: TestClock) => {
    const notAfterMs = clock.nowMs() + 26_000;
    return { isOver: () => clock.nowMs() > notAfterMs, signal: new AbortController().signal };
  };

  test(`${name} that got no answer is sent again while there is time`, async () => {
    const { clock, sent, table } = frozenStore(25_000);
    await write(boundedTable(table, until(clock)));
    expect(sent).toHaveLength(2);
  });

  test(`${name} that got no answer is not sent again after the deadline, though no timer has fired`, async () => {
    const { clock, sent, table } = frozenStore(10 * minutesMs);
    const late = write(boundedTable(table, until(clock)));
    await expect(late).rejects.toMatchObject({ name: "TimeoutError" });
    expect(sent).toHaveLength(1);
  });

  test(`${name} that got no answer is not sent again when the work was aborted`, async () => {
    const { clock, sent, table } = frozenStore(1);
    const stopped = new AbortController();
    const bounded = boundedTable(table, { ...until(clock), signal: stopped.signal });
    const late = write(bounded);
    stopped.abort(new Error("called off"));
    await expect(late).rejects.toThrow("called off");
    expect(sent).toHaveLength(1);
  });

  test(`${name} without an answer is not sent again over a minute after its moment, even without a deadline`, async () => {
    const { sent, table } = frozenStore(storeLimits.writeAgeMsMax + 1);
    await expect(write(table)).rejects.toBeInstanceOf(WriteExpired);
    expect(sent).toHaveLength(1);
  });
});

test("nothing starts after the deadline, not even reads", async () => {
  const { sent, table } = frozenStore(0);
  const signal = new AbortController().signal;
  const bounded = boundedTable(table, { isOver: () => true, signal });
  const calls: Array<Promise<unknown>> = [
    bounded.get(item),
    bounded.getMany([item]),
    bounded.transactGet([item]),
    bounded.queryPage({ pk: "a" }),
    bounded.scanPage({}),
    ...writes.map(([, write]) => write(bounded)),
  ];
  for (const call of calls) await expect(call).rejects.toMatchObject({ name: "TimeoutError" });
  expect(sent).toEqual([]);
});

test("a write whose moment is more than a minute old is not sent, and is decided again with a new moment", async () => {
  const { clock, sent, table } = frozenStore(0);
  sent.push({});
  const momentMs = clock.nowMs();
  clock.advance(storeLimits.writeAgeMsMax + 1);
  const old = { put: item, momentMs };
  await expect(table.write(old)).rejects.toBeInstanceOf(WriteExpired);
  await expect(table.transact([{ put: item }, old])).rejects.toBeInstanceOf(WriteExpired);
  expect(sent).toHaveLength(1);
  // The function is frozen between reading the clock and sending its decision.
  let freezes = 1;
  await retryOnConflict({ table, clock, random: systemRandom }, async () => {
    const nowMs = clock.nowMs();
    if (freezes-- > 0) clock.advance(10 * minutesMs);
    await table.transact([{ put: { ...item, at: nowMs }, momentMs: nowMs }]);
  });
  expect(sent).toHaveLength(2);
  const sentMs = Number(JSON.stringify(sent[1]).match(/"at":(\d+)/)?.[1]);
  expect(clock.nowMs() - sentMs).toBeLessThan(storeLimits.writeAgeMsMax);
});

test("items that a resumed walk reads have their moment: audit entries, Learnings and their removals", () => {
  const clock = new TestClock();
  const nowMs = clock.nowMs();
  const origin = { actor: operator, ipAddress: null, requestId: null, gatewayRequestId: null };
  const event = {
    action: "key.created",
    resourceType: "api_key",
    resourceId: "k",
    summary: "s",
    tenant: "o#u",
  } as const;
  const entry = auditWrites(
    { clock, random: systemRandom, retentionDays: 1 },
    { ...event, ...origin, organization: null, metadata: {} },
  );
  expect(entry.map(({ momentMs }) => momentMs)).toEqual([nowMs]);
  const content = { repositoryId: "9", text: "t", digest: "d", redacted: [], file: null, sourceUrl: null };
  const birth = {
    state: "approved",
    pull_requests: [],
    approve_at: null,
    author_id: "1",
    created_at: "",
  } as const;
  const at = writeContext({ nowMs, random: systemRandom }, "w#acme");
  const learning = newLearning(at, "u", content, { ...birth, generation: 1, pull_requests: [] });
  const placed = [...replaceWrites(undefined, learning), ...removeWrites(learning, nowMs)]
    .filter((write) => "put" in write && write.put.sk.includes("#"))
    .flatMap((write) => ("put" in write && write.put.pk !== learning.pk ? [write.momentMs] : []));
  expect(placed).toEqual([nowMs, nowMs, nowMs, nowMs]);
});

test("a decision whose write is too old is made again, with a new moment", async () => {
  const { clock, sent, table } = frozenStore(10 * minutesMs);
  const begunMs = clock.nowMs();
  await retryOnConflict({ table, clock, random: systemRandom }, () =>
    table.transact([{ put: { ...item, at: clock.nowMs() } }]),
  );
  const moments = sent.map((input) => JSON.stringify(input).match(/"at":(\d+)/)?.[1]);
  expect(Number(moments[0])).toBe(begunMs);
  expect(Number(moments[1])).toBeGreaterThanOrEqual(begunMs + 10 * minutesMs);
});
