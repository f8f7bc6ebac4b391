import { expect, test } from "vitest";
import { pointerKey, spillPartKey, streamHeadKey, type TenantKey } from "../../lib/store/layout.ts";
import { ConditionFailed, StoreUnavailable, type Table } from "../../lib/store/table.ts";
import { appendBatch } from "../../lib/stream/append.ts";
import { pointerIdOf } from "../../lib/stream/pointer.ts";
import { repairStreams } from "../../lib/stream/repair.ts";
import { openStore, useStore } from "../support/engine.ts";
import {
  change,
  depsOf,
  draft,
  everything,
  everywhere,
  newOrganization,
  newWorkspace,
  readOne,
  request,
  texts,
  walk,
} from "./support.ts";

const store = useStore();

/** A table of its own, with four pull requests of one workspace. */
async function restored(): Promise<{ table: Table; organization: string; tenant: TenantKey }> {
  const { table } = await openStore(store().endpoint);
  const home = await newOrganization(table, newWorkspace());
  const changes = Array.from({ length: 4 }, (_, index) =>
    change(home.organization, `pr/${index}`, index, everywhere(`${index}`)),
  );
  await appendBatch(depsOf(table), home.tenant, changes);
  return { table, ...home };
}

const entriesOf = async (table: Table, number: number) =>
  (await everything(table)).filter(({ pk, sk }) => pk.startsWith("S#") && Number(sk) === number);

test("a whole table is left as it is, but for its numbers", async () => {
  const { table, tenant } = await restored();
  const end = await readOne(table, request(tenant));

  const report = await repairStreams(depsOf(table));

  expect(report).toEqual({ streams: 1, entriesRemoved: 0, copiesRestored: 0, pullRequestsReset: 0 });
  expect(texts(await walk(table, request(tenant)))).toEqual(["0", "1", "2", "3"]);
  expect(await walk(table, request(tenant, { after: end.readUpTo }))).toEqual([[]]);
});

test("a cursor from after the restore point sees everything that is written next", async () => {
  const { table, organization, tenant } = await restored();
  const cursorOfTheLostFuture = 500;

  await repairStreams(depsOf(table));
  await appendBatch(depsOf(table), tenant, [change(organization, "pr/0", 9, everywhere("again"))]);

  expect(texts(await walk(table, request(tenant, { after: cursorOfTheLostFuture })))).toEqual(["again"]);
});

test("a lost copy is made again from the other one", async () => {
  const { table, organization, tenant } = await restored();
  for (const { pk, sk } of (await entriesOf(table, 2)).filter(({ pk }) => !pk.includes(organization))) {
    await table.write({ delete: { pk, sk } });
  }
  const before = await walk(table, request(tenant, { organization }));

  const report = await repairStreams(depsOf(table));

  expect(report.copiesRestored).toBe(3);
  expect(await walk(table, request(tenant))).toEqual(before);
});

test("an entry that no pointer names goes, and a pull request without its entry takes any event as new", async () => {
  const { table, organization, tenant } = await restored();
  await table.write({ delete: pointerKey(organization, pointerIdOf("pr/1")) });
  for (const { pk, sk } of await entriesOf(table, 4)) await table.write({ delete: { pk, sk } });

  const report = await repairStreams(depsOf(table));
  const outcomes = await appendBatch(depsOf(table), tenant, [
    change(organization, "pr/1", 1, everywhere("1")),
    change(organization, "pr/3", 3, everywhere("3")),
  ]);

  expect(report).toEqual({ streams: 1, entriesRemoved: 6, copiesRestored: 0, pullRequestsReset: 1 });
  expect(outcomes).toEqual(["appended", "appended"]);
  expect(texts(await walk(table, request(tenant)))).toEqual(["0", "2", "1", "3"]);
});

test("an append that the restore point cut off from its publish is published", async () => {
  const { table, organization, tenant } = await restored();
  const dead: Table = { ...table, write: async () => Promise.reject(new StoreUnavailable("dead", false)) };
  const interrupted = appendBatch(depsOf(dead), tenant, [change(organization, "pr/9", 9, everywhere("9"))]);
  await expect(interrupted).rejects.toThrow(StoreUnavailable);

  await repairStreams(depsOf(table));

  expect(texts(await walk(table, request(tenant)))).toEqual(["0", "1", "2", "3", "9"]);
});

test("a head that is lost is made again from the pointers", async () => {
  const { table, organization, tenant } = await restored();
  await table.write({ delete: streamHeadKey(tenant) });

  await repairStreams(depsOf(table));
  await appendBatch(depsOf(table), tenant, [change(organization, "pr/9", 9, everywhere("9"))]);

  expect(texts(await walk(table, request(tenant)))).toEqual(["0", "1", "2", "3", "9"]);
});

test("a large entry that has lost a part goes, and its pull request takes any event as new", async () => {
  const { table, organization, tenant } = await restored();
  const large = { "review-comments": draft("large", { payload: new Uint8Array(40_000).fill(7) }) };
  await appendBatch(depsOf(table), tenant, [change(organization, "pr/large", 9, large)]);
  const whole = await repairStreams(depsOf(table));
  const part = (await everything(table)).find(({ pk }) => pk.startsWith("PART#"));
  await table.write({ delete: spillPartKey(part?.pk.slice("PART#".length) ?? "", 0) });

  const report = await repairStreams(depsOf(table));

  expect(whole).toMatchObject({ pullRequestsReset: 0 });
  expect(report).toMatchObject({ pullRequestsReset: 1, copiesRestored: 0 });
  expect(texts(await walk(table, request(tenant)))).toEqual(["0", "1", "2", "3"]);
  const again = await appendBatch(depsOf(table), tenant, [change(organization, "pr/large", 9, large)]);
  expect(again).toEqual(["appended"]);
});

test("a writer that does not stand still is noticed, and a fault of the store passed on", async () => {
  const { table, tenant } = await restored();
  const failing = (error: Error): Table => ({
    ...table,
    write: (write, options) =>
      "update" in write && write.update.pk === streamHeadKey(tenant).pk
        ? Promise.reject(error)
        : table.write(write, options),
  });
  await expect(repairStreams(depsOf(failing(new ConditionFailed(undefined))))).rejects.toThrow(
    "A repair needs the writers to stand still.",
  );
  const error = new TypeError("planted");
  await expect(repairStreams(depsOf(failing(error)))).rejects.toBe(error);
});
