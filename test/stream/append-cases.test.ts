import { expect, test } from "vitest";
import { streamLimits } from "../../lib/contract/limits.ts";
import { type Table, TransactionRefused } from "../../lib/store/table.ts";
import { appendBatch } from "../../lib/stream/append.ts";
import { sweepParts } from "../../lib/stream/sweep.ts";
import { large, memoryStream, quick } from "./memory-stream.ts";
import { change, draft, everywhere, newWorkspace, request, setTenant, texts, walk } from "./support.ts";

test("a large entry that did not change is not written again with what did", async () => {
  const { table, tenant, send, spills, partsOf } = await memoryStream();
  await send(1, { "review-comments": large(1), reviews: draft("one") });
  const before = spills();
  await send(2, { "review-comments": large(1), reviews: draft("two") });
  expect([spills(), partsOf()]).toEqual([before, 1]);
  expect((await walk(table, request(tenant))).flat().map(({ number }) => number)).toEqual([1]);
});

test("what is larger than an entry may be spills, not one byte before, and must come as bytes", async () => {
  const { send, spills, all } = await memoryStream();
  const bytes = (length: number) => draft("bytes", { payload: new Uint8Array(length) });
  await send(1, { reviews: bytes(streamLimits.inlineBytesMax) });
  expect(spills()).toHaveLength(0);
  await send(1, { reviews: bytes(streamLimits.inlineBytesMax + 1) }, "pr/2");
  const entries = all().filter(({ pk, sk }) => pk.startsWith("S#") && Number(sk) === 2);
  expect(spills()).toHaveLength(1);
  expect(entries.map(({ p, s }) => [p, s])).toEqual(entries.map(() => [undefined, [spills()[0]?.sk, 1]]));
  const text = draft("text", { payload: "x".repeat(streamLimits.inlineBytesMax + 1) });
  await expect(send(1, { reviews: text }, "pr/3")).rejects.toThrow(
    new RangeError("A payload that large must come as bytes."),
  );
});

test("parts are written once, however often their transaction is tried", async () => {
  const { table, organization, tenant, send, spills } = await memoryStream();
  let attempts = 0;
  const raced: Table = {
    ...table,
    transact: async (writes) => {
      if (attempts++ === 0) await send(1, everywhere("first"), "pr/other");
      return table.transact(writes);
    },
  };
  const event = change(organization, "pr/1", 1, { reviews: large(1) });
  expect(await appendBatch(quick(raced), tenant, [event])).toEqual(["appended"]);
  expect([attempts, spills().length]).toEqual([2, 1]);
});

test("parts that a sweep condemned before their transaction are written again", async () => {
  const { table, organization, tenant, deps, spills } = await memoryStream();
  let attempts = 0;
  const raced: Table = {
    ...table,
    transact: async (writes) => {
      if (attempts++ === 0) await sweepParts(deps, organization);
      return table.transact(writes);
    },
  };
  const event = change(organization, "pr/1", 1, { reviews: large(1) });
  expect(await appendBatch(quick(raced), tenant, [event])).toEqual(["appended"]);
  expect(spills().map(({ x }) => x)).toEqual([1, undefined]);
});

test("of an organization that left, every event is to be sent elsewhere, whichever is newest", async () => {
  const { table, organization, tenant } = await memoryStream();
  await setTenant(table, organization, newWorkspace());
  const events = [1, 2].map((order) => change(organization, "pr/1", order, everywhere(`${order}`)));
  expect(await appendBatch(quick(table), tenant, events)).toEqual(["elsewhere", "elsewhere"]);
});

test("a batch that takes several transactions publishes each before the next, and repeats none", async () => {
  const { table, organization, tenant, called } = await memoryStream();
  const events = [1, 2, 3, 4, 5].map((order) =>
    change(organization, `pr/${order}`, order, everywhere(`${order}`)),
  );
  called();
  await appendBatch(quick(table, { changesPerTransactionMax: 2 }), tenant, events);
  expect(called()).toEqual(["get", "getMany", "transact", "write", "transact", "write", "transact", "write"]);
  expect(texts(await walk(table, request(tenant)))).toEqual(["1", "2", "3", "4", "5"]);
});

test("what was appended before an organization left stays appended", async () => {
  const { table, organization, tenant } = await memoryStream();
  let attempts = 0;
  const leaving: Table = {
    ...table,
    transact: async (writes) => {
      if (attempts++ > 0) await setTenant(table, organization, newWorkspace());
      return table.transact(writes);
    },
  };
  const events = [1, 2, 3].map((order) => change(organization, `pr/${order}`, order, everywhere(`${order}`)));
  const outcomes = await appendBatch(quick(leaving, { changesPerTransactionMax: 2 }), tenant, events);
  expect(outcomes).toEqual(["appended", "appended", "elsewhere"]);
});

test("a batch of many pull requests of several organizations keeps them apart", async () => {
  const { table, organization, tenant } = await memoryStream();
  const other = "00000000-0000-5000-8000-00000000ffff";
  await setTenant(table, other, tenant);
  const events = [organization, other].map((each) => change(each, "pr/1", 1, everywhere(each)));
  expect(await appendBatch(quick(table), tenant, events)).toEqual(["appended", "appended"]);
  expect(texts(await walk(table, request(tenant)))).toEqual([organization, other]);
});

test("a refusal for another reason is decided anew, and takes nobody for gone", async () => {
  const { table, organization, tenant } = await memoryStream();
  let attempts = 0;
  const refused: Table = {
    ...table,
    transact: async (writes) => {
      if (attempts++ > 0) return table.transact(writes);
      throw new TransactionRefused(writes.map(() => ({ refused: false })));
    },
  };
  const event = change(organization, "pr/1", 1, everywhere("text"));
  expect(await appendBatch(quick(refused), tenant, [event])).toEqual(["appended"]);
});
