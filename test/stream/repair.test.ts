import { describe, expect, test } from "vitest";
import * as kinds from "../../lib/contract/items.ts";
import { streamLimits } from "../../lib/contract/limits.ts";
import type { TenantKey } from "../../lib/contract/tenants.ts";
import { ConditionFailed, type Item, StoreUnavailable, type Table } from "../../lib/store/table.ts";
import { appendBatch } from "../../lib/stream/append.ts";
import { readHead } from "../../lib/stream/head.ts";
import { pointerIdOf } from "../../lib/stream/pointer.ts";
import { StreamBusy } from "../../lib/stream/stream.ts";
import { sweepParts } from "../../lib/stream/sweep.ts";
import { openStore, useStore } from "../support/engine.ts";
import { large, memoryStream, quick } from "./memory-stream.ts";
import { memoryTable } from "./memory-table.ts";
import {
  change,
  depsOf,
  draft,
  everything,
  everywhere,
  newOrganization,
  newWorkspace,
  readOne,
  repairStreams,
  request,
  texts,
  walk,
} from "./support.ts";

const store = useStore();

/** A separate table with four pull requests of one workspace. */
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

test("an intact table is not changed, except for its numbers", async () => {
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

test("a pull request that lost a copy is appended again from the other copy", async () => {
  const { table, organization, tenant } = await restored();
  for (const { pk, sk } of (await entriesOf(table, 2)).filter(({ pk }) => !pk.includes(organization))) {
    await table.write({ delete: { pk, sk } });
  }
  const before = await walk(table, request(tenant, { organization }));

  const report = await repairStreams(depsOf(table));

  expect(report.copiesRestored).toBe(3);
  const after = await walk(table, request(tenant));
  expect(texts(after).toSorted()).toEqual(texts(before).toSorted());
  expect(await walk(table, request(tenant, { organization }))).toEqual(after);
});

test("an entry without a pointer is deleted, and a pull request without its entry accepts any event as new", async () => {
  const { table, organization, tenant } = await restored();
  await table.write({ delete: kinds.pointer.key({ organization, pointerId: pointerIdOf("pr/1") }) });
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

test("an append that the restore point separated from its publish is published", async () => {
  const { table, organization, tenant } = await restored();
  const dead: Table = { ...table, write: async () => Promise.reject(new StoreUnavailable("dead", false)) };
  const interrupted = appendBatch(depsOf(dead), tenant, [change(organization, "pr/9", 9, everywhere("9"))]);
  await expect(interrupted).rejects.toThrow(StoreUnavailable);

  await repairStreams(depsOf(table));

  expect(texts(await walk(table, request(tenant)))).toEqual(["0", "1", "2", "3", "9"]);
});

test("a lost head is restored from the pointers", async () => {
  const { table, organization, tenant } = await restored();
  await table.write({ delete: kinds.streamHead.key({ tenant }) });

  await repairStreams(depsOf(table));
  await appendBatch(depsOf(table), tenant, [change(organization, "pr/9", 9, everywhere("9"))]);

  expect(texts(await walk(table, request(tenant)))).toEqual(["0", "1", "2", "3", "9"]);
});

test("a large entry that lost a part is deleted, and its pull request accepts any event as new", async () => {
  const { table, organization, tenant } = await restored();
  const large = { "review-comments": draft("large", { payload: new Uint8Array(40_000).fill(7) }) };
  await appendBatch(depsOf(table), tenant, [change(organization, "pr/large", 9, large)]);
  const whole = await repairStreams(depsOf(table));
  const part = (await everything(table)).find(({ pk }) => pk.startsWith("PART#"));
  if (!part) throw new Error("There is no part.");
  await table.write({ delete: part });

  const report = await repairStreams(depsOf(table));

  expect(whole).toMatchObject({ pullRequestsReset: 0 });
  expect(report).toMatchObject({ pullRequestsReset: 1, copiesRestored: 0 });
  expect(texts(await walk(table, request(tenant)))).toEqual(["0", "1", "2", "3"]);
  const again = await appendBatch(depsOf(table), tenant, [change(organization, "pr/large", 9, large)]);
  expect(again).toEqual(["appended"]);
});

test("a writer that is still active is detected, and an error of the store is passed on", async () => {
  const { table, tenant } = await restored();
  const failing = (error: Error): Table => ({
    ...table,
    write: (write, options) =>
      "update" in write && write.update.pk === kinds.streamHead.key({ tenant }).pk
        ? Promise.reject(error)
        : table.write(write, options),
  });
  await expect(repairStreams(depsOf(failing(new ConditionFailed(undefined))))).rejects.toThrow(
    "A repair needs the writers to stand still.",
  );
  const error = new TypeError("planted");
  await expect(repairStreams(depsOf(failing(error)))).rejects.toBe(error);
});

describe("on a table in memory", () => {
  const gap = 10;
  const repair = (table: Table) => repairStreams(quick(table, { repairNumbersGap: gap, attemptsMax: 3 }));
  const whole = { streams: 1, entriesRemoved: 0, copiesRestored: 0, pullRequestsReset: 0 };

  async function restoredInMemory(scanItemsMax?: number) {
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

  test("repair moves the numbers ahead of the head, and of every pointer if the head is lost", async () => {
    const { table, head, remove, all } = await restoredInMemory();
    const { weeks } = await head();
    expect(await repair(table)).toEqual(whole);
    expect(await head()).toMatchObject({ next: 5 + gap, published: 4 + gap, pending: undefined });
    await remove(isHead);
    expect(await repair(table)).toEqual(whole);
    expect(await head()).toMatchObject({ next: 5 + gap, published: 4 + gap, weeks });
    expect(all().filter(isEntry)).toHaveLength(4 * 3 * 2);
  });

  test("repair moves the numbers ahead by a million by default", async () => {
    const { table, head } = await restoredInMemory();
    const { limits: _, ...usual } = quick(table);
    await repairStreams(usual);
    expect((await head()).next).toBe(5 + 1_000_000);
  });

  test("repair finds a stream that has only its head left", async () => {
    const { table, head, remove } = await restoredInMemory();
    await remove((item) => isPointer(item) || isEntry(item));
    expect(await repair(table)).toEqual(whole);
    expect((await head()).next).toBe(5 + gap);
  });

  test("repair reads the whole table, with any number of pages", async () => {
    const { table, remove, all, called } = await restoredInMemory(7);
    await remove(isPointer);
    called();
    expect(await repair(table)).toEqual({ ...whole, entriesRemoved: 4 * 3 * 2 });
    expect(called().filter((name) => name === "scanPage").length).toBeGreaterThan(1);
    expect(all().filter(isEntry)).toEqual([]);
  });

  test("a million pull requests take at most 30 minutes at 5 ms a trip, and segments are read in parallel", async () => {
    const { table, send, called, calls } = await memoryStream();
    const pullRequests = 200;
    for (let number = 0; number < pullRequests; number++) await send(1, everywhere("x"), `pr/${number}`);
    called();
    const since = calls.length;
    let [scanning, scanningMost] = [0, 0];
    const counted: Table = {
      ...table,
      scanPage: async (options, resume) => {
        scanningMost = Math.max(scanningMost, ++scanning);
        const page = await table.scanPage(options, resume);
        scanning--;
        return page;
      },
    };

    expect(await repair(counted)).toEqual(whole);

    // Counted as if no two trips ran at the same time; the pages of empty segments do not grow with the table.
    const trips = calls.slice(since).map(([name, given]) => {
      if (name === "scanPage") return 0;
      const each = { getMany: 100, writeMany: 25 }[String(name)] ?? 1;
      return Array.isArray(given) ? Math.ceil(given.length / each) : 1;
    });
    const perPullRequest = trips.reduce((sum, each) => sum + each, 0) / pullRequests;
    // A page of 1 MiB holds more than 100 pull requests with all their entries.
    expect((perPullRequest + 0.01) * 1_000_000 * 5).toBeLessThan(30 * 60_000);
    expect(scanningMost).toBe(streamLimits.repairSegments);
  });

  test("repair keeps the entries of a stand-alone organization", async () => {
    const { table } = memoryTable();
    const { organization, tenant } = await newOrganization(table);
    await appendBatch(quick(table), tenant, [change(organization, "pr/1", 1, everywhere("text"))]);
    expect(await repair(table)).toEqual(whole);
    expect(texts(await walk(table, request(tenant)))).toEqual(["text"]);
  });

  test("repair resets a pull request whose entry is lost, and keeps the positions of the others", async () => {
    const { table, organization, remove, all } = await restoredInMemory();
    const before = all().find(({ sk }) => sk === pointerIdOf("pr/2"));
    await remove(({ pk, sk }) => pk.includes("#m#") && Number(sk) === 2);
    expect(await repair(table)).toEqual({ ...whole, pullRequestsReset: 1 });

    expect(await table.get(kinds.pointer.key({ organization, pointerId: pointerIdOf("pr/2") }))).toEqual({
      ...before,
      o: 0,
      e: "",
      m: undefined,
    });
  });

  test("repair resets a large pull request that lost a part, without loading its bytes", async () => {
    const { table, send, remove, calls, all } = await restoredInMemory();
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
    expect(await repair(table)).toMatchObject({ pullRequestsReset: 1, copiesRestored: 0 });
    expect(all().filter(isEntry)).toHaveLength(entries - 2);
  });

  test.each([
    { was: "lost", left: undefined },
    { was: "marked for removal", left: { x: 1 } },
    { was: "dropped", left: { i: undefined, x: 1, ttl: 1 } },
  ])(
    "repair keeps a large pull request that still has all its parts, even if its spill item is $was",
    async ({ left }) => {
      const { table, tenant, organization, send, spills, partsOf } = await restoredInMemory();
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

  test("repair deletes an entry that is in another week than its pointer says", async () => {
    const { table, all } = await restoredInMemory();
    const entry = all().find(({ pk }) => pk.includes("#c#"));
    if (!entry) throw new Error("There is no entry.");
    const entries = all().filter(isEntry).length;
    await table.write({ put: { ...entry, pk: entry.pk.replace(/\d+$/, "1") } });
    expect(await repair(table)).toEqual({ ...whole, entriesRemoved: 1 });
    expect(all().filter(isEntry)).toHaveLength(entries);
  });

  test("repair publishes a half-written append, and leaves nothing pending or replaced", async () => {
    const { table, tenant, head, die } = await restoredInMemory();
    await die(2, everywhere("again"));
    expect(await repair(table)).toEqual({ ...whole, entriesRemoved: 3 * 2 });
    expect(await head()).toMatchObject({ next: 6 + gap, published: 5 + gap, pending: undefined });
    expect(texts(await walk(table, request(tenant)))).toEqual(["2", "3", "4", "again"]);
  });

  test("repair does not overwrite a concurrent writer", async () => {
    const { table, head, send } = await restoredInMemory();
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

  test("repair gives up after its number of attempts", async () => {
    const { table } = await restoredInMemory();
    let writes = 0;
    const refused: Table = {
      ...table,
      write: async () => {
        writes++;
        throw new ConditionFailed(undefined);
      },
    };
    await expect(repair(refused)).rejects.toThrow(
      new StreamBusy("A repair needs the writers to stand still."),
    );
    expect(writes).toBe(3);
  });
});
