import { expect, test } from "vitest";
import { StoreUnavailable, type Table } from "../../lib/store/table.ts";
import { appendBatch } from "../../lib/stream/append.ts";
import { sweepParts } from "../../lib/stream/sweep.ts";
import { large, memoryStream, quick } from "./memory-stream.ts";
import { change, newWorkspace, request, setTenant, walk } from "./support.ts";

/** The writer dies after it has written the parts, and before its append. */
const diesBeforeAppend = (table: Table): Table => ({
  ...table,
  transact: async () => Promise.reject(new StoreUnavailable("dead", false)),
});

async function interrupted() {
  const world = await memoryStream();
  const event = change(world.organization, "pr/1", 1, { "review-comments": large(1), reviews: large(2) });
  const dying = appendBatch(quick(diesBeforeAppend(world.table)), world.tenant, [event]);
  await expect(dying).rejects.toThrow(StoreUnavailable);
  const rows = async () => (await walk(world.table, request(world.tenant))).flat();
  return { ...world, event, rows };
}

test("a large event that is delivered again uses the parts of its first try, and leaves none behind", async () => {
  const { table, tenant, organization, event, spills, partsOf, rows, deps } = await interrupted();
  expect(await appendBatch(quick(table), tenant, [event])).toEqual(["appended"]);
  expect([spills().length, partsOf(), (await rows()).length]).toEqual([2, 2, 1]);
  expect(await sweepParts(deps, organization)).toEqual({ kept: 2, dropped: 0 });
});

test("a large event that cannot look for the parts of its first try is not applied, and comes again", async () => {
  const { table, tenant, event, partsOf } = await interrupted();
  const silent: Table = { ...table, get: async () => Promise.reject(new StoreUnavailable("silent", false)) };
  await expect(appendBatch(quick(silent), tenant, [event])).rejects.toThrow(StoreUnavailable);
  expect(await appendBatch(quick(table), tenant, [event])).toEqual(["appended"]);
  expect(partsOf()).toBe(2);
});

test("a large event that comes again after a sweep dropped its parts writes others", async () => {
  const { table, tenant, organization, event, rows, deps, partsOf } = await interrupted();
  expect(await sweepParts(deps, organization)).toEqual({ kept: 0, dropped: 2 });
  expect(await appendBatch(quick(table), tenant, [event])).toEqual(["appended"]);
  expect([partsOf(), (await rows()).length]).toEqual([2, 1]);
});

test("a large event that comes again after its organization moved keeps its parts", async () => {
  const { table, tenant, organization, event, partsOf } = await interrupted();
  await appendBatch(quick(table), tenant, [event]);
  const elsewhere = newWorkspace();
  await setTenant(table, organization, elsewhere);
  expect(await appendBatch(quick(table), elsewhere, [event])).toEqual(["appended"]);
  expect(partsOf()).toBe(2);
  expect((await walk(table, request(elsewhere))).flat()).toHaveLength(1);
});

test("the parts of one large entry lie in partitions of their own", async () => {
  const { all, send } = await memoryStream();
  await send(1, { "review-comments": { ...large(1), payload: new Uint8Array(1_000_000) } });
  const partitions = all().flatMap(({ pk }) => (pk.startsWith("PART#") ? [pk] : []));
  expect(new Set(partitions).size).toBe(3);
});
