import { expect, test } from "vitest";
import * as kinds from "../../lib/contract/items.ts";
import type { Item } from "../../lib/store/table.ts";
import { emptyPending, parseHead, publishHead } from "../../lib/stream/head.ts";
import { addedKeys, entryKeys, type PendingAppend, pendingValue } from "../../lib/stream/pending.ts";
import { recoverAppend, settleAppend } from "../../lib/stream/settle.ts";
import { quick } from "./memory-stream.ts";
import { memoryTable } from "./memory-table.ts";
import { organization, pointerId, spill, week } from "./one-pointer.ts";
import { acme } from "./support.ts";

const added = [{ organization, pointerId, number: 5, weeks: [["c", week] as const] }];
const superseded = { tenant: acme, organization, dataset: "c", week, number: 3 } as const;
const nothingReplaced: PendingAppend = { added, dropped: [], spills: [] };
const replacing: PendingAppend = { added, dropped: [superseded], spills: [{ organization, ...spill }] };

/** A stream whose head is at 5, published up to `published`. */
async function left(published: number, pending?: PendingAppend) {
  const { table, calls } = memoryTable();
  const head: Item = {
    ...kinds.streamHead.key({ tenant: acme }),
    n: 6,
    p: published,
    ...(pending && { q: pendingValue(pending) }),
  };
  await table.writeMany([{ put: head }, ...entryKeys(superseded).map((key) => ({ put: key }))]);
  calls.length = 0;
  const made = () =>
    calls.splice(0).filter(([name, keys]) => name !== "writeMany" || Object(keys).length > 0);
  return { deps: quick(table), head: parseHead(head), table, made };
}
const publish = (emptiesPending: boolean) => [
  "write",
  publishHead(acme, 5, emptiesPending),
  { idempotent: true },
];
const empty = ["write", emptyPending(acme, 6), { idempotent: true }];
const look = ["transactGet", [kinds.streamHead.key({ tenant: acme })]];
const lookAtAdded = ["transactGet", addedKeys(acme, replacing)];
const retireEntries = ["writeMany", entryKeys(superseded).map((key) => ({ delete: key }))];
const retireParts = [
  "writeMany",
  expect.arrayContaining([expect.objectContaining({ put: expect.anything() })]),
];

test("a settled stream is left alone after one read", async () => {
  const { deps, made } = await left(5);
  await recoverAppend(deps, acme);
  expect(made()).toEqual([look]);
});

test("an append that replaced nothing is published in one write, once all its items are visible", async () => {
  const { deps, made, table } = await left(4, nothingReplaced);
  await recoverAppend(deps, acme);
  expect(made()).toEqual([look, lookAtAdded, publish(true)]);
  expect(await table.get(kinds.streamHead.key({ tenant: acme }))).toEqual({
    ...kinds.streamHead.key({ tenant: acme }),
    n: 6,
    p: 5,
  });
});

test("replaced entries are deleted only after the append is published, and only then nothing is pending", async () => {
  const { deps, made, table } = await left(4, replacing);
  await recoverAppend(deps, acme);
  expect(made()).toEqual([look, lookAtAdded, publish(false), retireEntries, retireParts, empty]);
  expect(await table.getMany(entryKeys(superseded))).toEqual([undefined, undefined]);
  expect(await table.get(kinds.streamHead.key({ tenant: acme }))).toEqual({
    ...kinds.streamHead.key({ tenant: acme }),
    n: 6,
    p: 5,
  });
});

test("an append that is already published is only retired", async () => {
  const { deps, made } = await left(5, replacing);
  await recoverAppend(deps, acme);
  expect(made()).toEqual([look, retireEntries, retireParts, empty]);
});

test("only parts, or only entries, are retired too", async () => {
  for (const [pending, retired] of [
    [{ ...replacing, dropped: [] }, retireParts],
    [{ ...replacing, spills: [] }, retireEntries],
  ] as const) {
    const { deps, made, head } = await left(4, pending);
    await settleAppend(deps, acme, head);
    expect(made()).toEqual([publish(false), retired, empty]);
  }
});

test("an incomplete head is settled too", async () => {
  const published = await left(5, nothingReplaced);
  await recoverAppend(published.deps, acme);
  expect(published.made()).toEqual([look, empty]);
  const unpublished = await left(4);
  await recoverAppend(unpublished.deps, acme);
  expect(unpublished.made()).toEqual([look, publish(true)]);
});
