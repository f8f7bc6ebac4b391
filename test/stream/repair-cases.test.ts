import { expect, test } from "vitest";
import { streamLimits } from "../../lib/contract/limits.ts";
import { pointerKey } from "../../lib/store/layout.ts";
import { ConditionFailed, type Item, type Table } from "../../lib/store/table.ts";
import { appendBatch } from "../../lib/stream/append.ts";
import { readHead } from "../../lib/stream/head.ts";
import { pointerIdOf } from "../../lib/stream/pointer.ts";
import { repairStreams } from "../../lib/stream/repair.ts";
import { StreamBusy } from "../../lib/stream/stream.ts";
import { sweepParts } from "../../lib/stream/sweep.ts";
import { large, memoryStream, quick } from "./memory-stream.ts";
import { memoryTable } from "./memory-table.ts";
import { change, draft, everywhere, newOrganization, request, texts, walk } from "./support.ts";

const gap = 10;
const repair = (table: Table) => repairStreams(quick(table, { repairNumbersGap: gap, attemptsMax: 3 }));
const whole = { streams: 1, entriesRemoved: 0, copiesRestored: 0, pullRequestsReset: 0 };

async function restored(scanItemsMax?: number) {
  const world = await memoryStream(scanItemsMax);
  for (const number of [1, 2, 3, 4]) await world.send(1, everywhere(`${number}`), `pr/${number}`);
  const head = () => readHead(world.table, world.tenant);
  const remove = (isLost: (item: Item) => boolean) =>
    world.table.writeMany(
      world
        .all()
        .filter(isLost)
        .map((key) => ({ delete: key })),
    );
  return { ...world, head, remove };
}
const isHead = ({ sk }: Item) => sk === "HEAD";
const isPointer = ({ pk }: Item) => pk.startsWith("PR#");
const isEntry = ({ pk, sk }: Item) => pk.startsWith("S#") && sk !== "HEAD";

test("lets the numbers jump ahead of the head, and of every pointer where the head is lost", async () => {
  const { table, head, remove, all } = await restored();
  const { weeks } = await head();
  expect(await repair(table)).toEqual(whole);
  expect(await head()).toMatchObject({ next: 5 + gap, published: 4 + gap, pending: undefined });
  await remove(isHead);
  expect(await repair(table)).toEqual(whole);
  expect(await head()).toMatchObject({ next: 5 + gap, published: 4 + gap, weeks });
  expect(all().filter(isEntry)).toHaveLength(4 * 3 * 2);
});

test("lets them jump by a million by itself", async () => {
  const { table, head } = await restored();
  const { limits: _, ...usual } = quick(table);
  await repairStreams(usual);
  expect((await head()).next).toBe(5 + 1_000_000);
});

test("finds a stream of which only the head is left", async () => {
  const { table, head, remove } = await restored();
  await remove((item) => isPointer(item) || isEntry(item));
  expect(await repair(table)).toEqual(whole);
  expect((await head()).next).toBe(5 + gap);
});

test("reads the whole table, however many pages it takes", async () => {
  const { table, remove, all, called } = await restored(7);
  await remove(isPointer);
  called();
  expect(await repair(table)).toEqual({ ...whole, entriesRemoved: 4 * 3 * 2 });
  expect(called().filter((name) => name === "scanPage").length).toBeGreaterThan(1);
  expect(all().filter(isEntry)).toEqual([]);
});

test("knows whose the entries of a stand-alone organization are", async () => {
  const { table } = memoryTable();
  const { organization, tenant } = await newOrganization(table);
  await appendBatch(quick(table), tenant, [change(organization, "pr/1", 1, everywhere("text"))]);
  expect(await repair(table)).toEqual(whole);
  expect(texts(await walk(table, request(tenant)))).toEqual(["text"]);
});

test("resets a pull request whose entry is lost, and keeps the places of the others", async () => {
  const { table, organization, remove, all } = await restored();
  const before = all().find(({ sk }) => sk === pointerIdOf("pr/2"));
  await remove(({ pk, sk }) => pk.includes("#m#") && Number(sk) === 2);
  expect(await repair(table)).toEqual({ ...whole, pullRequestsReset: 1 });

  expect(await table.get(pointerKey(organization, pointerIdOf("pr/2")))).toEqual({
    ...before,
    o: 0,
    e: "",
    m: undefined,
  });
});

test("resets a large pull request of which a part is lost, and loads no bytes to know", async () => {
  const { table, send, remove, calls, all } = await restored();
  const payload = new Uint8Array(streamLimits.partBytesMax + 1);
  await send(2, { "review-comments": draft("in two parts", { payload }) });
  expect(await repair(table)).toEqual(whole);
  expect(calls.filter(([name, , options]) => name === "getMany" && options !== undefined)).toContainEqual([
    "getMany",
    expect.arrayContaining([expect.objectContaining({ pk: expect.stringContaining("PART#") })]),
    { only: ["pk", "sk"] },
  ]);
  const entries = all().filter(isEntry).length;
  const [, second] = all().filter(({ pk }) => pk.startsWith("PART#"));
  await remove((item) => item === second);
  expect(await repair(table)).toEqual({ ...whole, pullRequestsReset: 1 });
  expect(all().filter(isEntry)).toHaveLength(entries - 2);
});

test.each([
  { was: "lost", left: undefined },
  { was: "condemned", left: { x: 1 } },
  { was: "dropped", left: { i: undefined, x: 1, ttl: 1 } },
])(
  "keeps a large pull request whose parts are all there, also where its spill item is $was",
  async ({ left }) => {
    const { table, tenant, organization, send, spills, partsOf } = await restored();
    await send(2, { "review-comments": large(1) });
    const [spill] = spills();
    if (!spill) throw new Error("There is no spill.");
    await table.write(left ? { put: { ...spill, ...left } } : { delete: spill });
    const [rows, parts] = [texts(await walk(table, request(tenant))), partsOf()];

    expect(await repair(table)).toEqual(whole);

    expect(spills()).toEqual([spill]);
    expect(await sweepParts(quick(table), organization)).toEqual({ kept: 1, dropped: 0 });
    expect(partsOf()).toBe(parts);
    expect(texts(await walk(table, request(tenant)))).toEqual(rows);
  },
);

test("takes an entry away that stands in another week than its pointer says", async () => {
  const { table, all } = await restored();
  const entry = all().find(({ pk }) => pk.includes("#c#"));
  if (!entry) throw new Error("There is no entry.");
  const entries = all().filter(isEntry).length;
  await table.write({ put: { ...entry, pk: entry.pk.replace(/\d+$/, "1") } });
  expect(await repair(table)).toEqual({ ...whole, entriesRemoved: 1 });
  expect(all().filter(isEntry)).toHaveLength(entries);
});

test("publishes what is half written, and leaves nothing pending or replaced", async () => {
  const { table, tenant, head, die } = await restored();
  await die(2, everywhere("again"));
  expect(await repair(table)).toEqual({ ...whole, entriesRemoved: 3 * 2 });
  expect(await head()).toMatchObject({ next: 6 + gap, published: 5 + gap, pending: undefined });
  expect(texts(await walk(table, request(tenant)))).toEqual(["2", "3", "4", "again"]);
});

test("does not write over a writer that comes between", async () => {
  const { table, head, send } = await restored();
  let writes = 0;
  const raced: Table = {
    ...table,
    write: async (write, options) => {
      if (writes++ === 0) await send(2, everywhere("between"));
      return table.write(write, options);
    },
  };
  await repair(raced);
  expect((await head()).next).toBe(6 + gap);
});

test("gives up after as many attempts as it has", async () => {
  const { table } = await restored();
  let writes = 0;
  const refused: Table = {
    ...table,
    write: async () => {
      writes++;
      throw new ConditionFailed(undefined);
    },
  };
  await expect(repair(refused)).rejects.toThrow(new StreamBusy("A repair needs the writers to stand still."));
  expect(writes).toBe(3);
});
