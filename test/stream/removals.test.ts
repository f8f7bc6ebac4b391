import { expect, test } from "vitest";
import * as kinds from "../../lib/contract/items.ts";
import type { TenantKey } from "../../lib/contract/tenants.ts";
import { parseEntryPlace, parseRemovalPlace } from "../../lib/store/layout.ts";
import type { Table } from "../../lib/store/table.ts";
import { appendBatch } from "../../lib/stream/append.ts";
import { pointerIdOf } from "../../lib/stream/pointer.ts";
import { openStore, useStore } from "../support/engine.ts";
import {
  change,
  dayMs,
  depsOf,
  draft,
  everything,
  everywhere,
  newOrganization,
  newWorkspace,
  readOne,
  repairStreams,
  request,
  someDayMs,
} from "./support.ts";

const store = useStore();
const moved = (text: string) => {
  const one = draft(text, { atMs: someDayMs + dayMs });
  return { "review-comments": one, reviews: one, mcp: one };
};

/** The same table, with the number of items of each transaction and the size of every batch of entries that is read. */
function counted(table: Table): { table: Table; sizes: number[]; entriesRead: number[] } {
  const sizes: number[] = [];
  const entriesRead: number[] = [];
  const transact: Table["transact"] = (writes) => {
    sizes.push(writes.length);
    return table.transact(writes);
  };
  const getMany: Table["getMany"] = (keys, options) => {
    const entries = keys.filter(parseEntryPlace);
    if (entries.length > 0) entriesRead.push(entries.length);
    return table.getMany(keys, options);
  };
  return { table: { ...table, transact, getMany }, sizes, entriesRead };
}

async function home(): Promise<ReturnType<typeof counted> & { organization: string; tenant: TenantKey }> {
  const { table } = await openStore(store().endpoint);
  const { organization, tenant } = await newOrganization(table, newWorkspace());
  return { ...counted(table), organization, tenant };
}

const removalsIn = async (table: Table) => (await everything(table)).filter(parseRemovalPlace);

test("an append that changes no filter field writes no extra items; any other writes two more per dataset", async () => {
  const { table, sizes, organization, tenant } = await home();
  const append = (order: number, drafts: Parameters<typeof change>[3]) =>
    appendBatch(depsOf(table), tenant, [change(organization, "pr/1", order, drafts)]);
  await append(1, everywhere("new"));
  await append(2, everywhere("rewritten"));
  expect(await removalsIn(table)).toEqual([]);
  await append(3, moved("on another day of the week"));
  await append(4, { reviews: draft("only reviews", { atMs: someDayMs + dayMs }) });
  await append(5, {});
  // Head, organization, pointer and six entries; then six more removals; then two entries and four removals.
  expect(sizes).toEqual([9, 9, 15, 9, 5]);
  expect(await removalsIn(table)).toHaveLength(6 + 4 + 2);
});

test("ten pull requests that all move are appended in transactions that DynamoDB accepts", async () => {
  const { table, sizes, organization, tenant } = await home();
  const all = (order: number, drafts: Parameters<typeof change>[3]) =>
    Array.from({ length: 10 }, (_, index) => change(organization, `pr/${index}`, order, drafts));
  await appendBatch(depsOf(table), tenant, all(1, everywhere("one")));
  await appendBatch(depsOf(table), tenant, all(2, moved("two")));
  expect(sizes).toEqual([72, 93, 41]);
});

test("removals are read only above the walk's first number, never together with the entry of their number", async () => {
  const { table, organization, tenant } = await home();
  const append = (order: number, name: string, drafts: Parameters<typeof change>[3]) =>
    appendBatch(depsOf(table), tenant, [change(organization, name, order, drafts)]);
  await append(1, "pr/1", everywhere("one"));
  await append(2, "pr/1", moved("moved before"));
  const eligible = () => true;
  const first = await readOne(table, request(tenant, { removals: { since: undefined, eligible } }));
  await append(3, "pr/1", everywhere("moved back"));
  await append(4, "pr/2", everywhere("two"));
  await append(5, "pr/2", {});
  const since = first.removalsSince;
  const next = await readOne(
    table,
    request(tenant, { after: first.readUpTo, removals: { since, eligible } }),
  );
  expect([first.entries.length, first.removals.length, since]).toEqual([1, 0, 2]);
  expect(next.entries.map(({ payload }) => payload)).toEqual([{ text: "moved back" }]);
  expect(next.removals.map(({ number, pullRequest }) => [number, pullRequest])).toEqual([[5, "pr/2"]]);
});

test("repair deletes a removal that is ahead of its pull request, and restores a lost copy", async () => {
  const { table, organization, tenant } = await home();
  const append = (order: number, drafts: Parameters<typeof change>[3]) =>
    appendBatch(depsOf(table), tenant, [change(organization, "pr/1", order, drafts)]);
  await append(1, everywhere("one"));
  await append(2, { reviews: draft("one") });
  const [lost] = await removalsIn(table);
  if (!lost) throw new Error("Two datasets were left.");
  await table.write({ delete: lost });
  expect((await repairStreams(depsOf(table))).copiesRestored).toBe(1);
  expect(await removalsIn(table)).toHaveLength(4);

  await table.write({
    update: kinds.pointer.key({ organization, pointerId: pointerIdOf("pr/1") }),
    change: { set: [["n", 1]] },
  });
  expect((await repairStreams(depsOf(table))).entriesRemoved).toBe(4);
  expect(await removalsIn(table)).toEqual([]);
});
