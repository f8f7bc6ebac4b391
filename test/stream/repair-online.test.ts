import { describe, expect, test } from "vitest";
import { type Item, StoreUnavailable, type Table } from "../../lib/store/table.ts";
import { appendBatch } from "../../lib/stream/append.ts";
import { mendStreams } from "../../lib/stream/mend.ts";
import { renumberStreams, startRepair } from "../../lib/stream/repair.ts";
import { RepairRun } from "../../lib/stream/repair-run.ts";
import { dying, large, memoryStream, quick } from "./memory-stream.ts";
import { change, everywhere, readOne, repairStreams, request, texts, walk } from "./support.ts";

const numbers = [1, 2, 3, 4];
const isEntry = ({ pk, sk }: Item) => pk.startsWith("S#") && sk !== "HEAD";
const limits = { repairNumbersGap: 100, repairSegments: 2 };

/** Four pull requests. One lost a copy, one an entry, and one is there twice. */
async function damaged(scanItemsMax?: number) {
  const world = await memoryStream(scanItemsMax);
  const { table, tenant, organization, all, send } = world;
  for (const number of numbers) await send(1, everywhere(`old ${number}`), `pr/${number}`);
  const entries = (number: number) => all().filter((item) => isEntry(item) && Number(item.sk) === number);
  const [stray] = entries(1);
  if (!stray) throw new Error("There is no entry.");
  await table.writeMany([
    ...entries(2)
      .filter(({ pk }) => !pk.includes(organization))
      .map(({ pk, sk }) => ({ delete: { pk, sk } })),
    ...entries(3)
      .filter(({ pk }) => pk.includes("#c#"))
      .map(({ pk, sk }) => ({ delete: { pk, sk } })),
    { put: { ...stray, sk: "0000000009" } },
  ]);
  const begin = async () => {
    const before = await renumberStreams(quick(table, limits));
    return await startRepair(quick(table, limits), { streams: before.size, rowsRepaired: 0 }, before);
  };
  const append = (on: Table, version: number, name: string) =>
    appendBatch(
      quick(on),
      tenant,
      numbers.map((number) => change(organization, `pr/${number}`, version, everywhere(`${name} ${number}`))),
    );
  const newer = (on: Table) => append(on, 2, "new");
  const newest = () => append(table, 3, "newest");
  const rows = async (of?: string) =>
    texts(await walk(table, request(tenant, of === undefined ? {} : { organization: of })));
  return { ...world, begin, newer, newest, rows };
}

type Call = <Answer>(call: () => Promise<Answer>) => Promise<Answer>;

const eachCall = (table: Table, run: Call): Table => ({
  get: (...given) => run(() => table.get(...given)),
  getMany: (...given) => run(() => table.getMany(...given)),
  transactGet: (...given) => run(() => table.transactGet(...given)),
  queryPage: (...given) => run(() => table.queryPage(...given)),
  scanPage: (...given) => run(() => table.scanPage(...given)),
  write: (...given) => run(() => table.write(...given)),
  transact: (...given) => run(() => table.transact(...given)),
  writeMany: (...given) => run(() => table.writeMany(...given)),
});

/** The second part of a repair that was begun. */
async function mendStopped(table: Table): Promise<void> {
  const run = await RepairRun.read(table);
  if (!run) throw new Error("There is no repair.");
  await mendStreams(quick(table, limits), run);
}

const report = { streams: 1, entriesRemoved: 1, copiesRestored: 3, pullRequestsReset: 1 };

describe("a repair that was stopped", () => {
  test("a stopped repair continues where it was, and reports everything that it repaired", async () => {
    const whole = await damaged(5);
    expect(await repairStreams(quick(whole.table, limits))).toEqual(report);
    const pagesOf = (calls: readonly string[]) => calls.filter((name) => name === "scanPage").length;
    const pages = pagesOf(whole.called()) / 2;

    const { table, begin, called, all, rows } = await damaged(5);
    await begin();
    called();
    let left = pages - 2;
    const stopping: Table = {
      ...table,
      scanPage: async (...given) => {
        if (left-- <= 0) throw new StoreUnavailable("stopped", false);
        return await table.scanPage(...given);
      },
    };
    const run = await RepairRun.read(stopping);
    if (!run) throw new Error("There is no repair.");
    await expect(mendStreams(quick(stopping, limits), run)).rejects.toThrow(StoreUnavailable);
    called();

    const resumed = await RepairRun.read(table);
    if (!resumed) throw new Error("There is no repair.");
    await mendStreams(quick(table, limits), resumed);
    expect(pagesOf(called())).toBeLessThan(pages);
    expect({ ...resumed.begun, ...resumed.mended }).toEqual({ ...report, rowsRepaired: 0 });
    await resumed.end();

    expect(all().filter(({ pk }) => pk === "REPAIR")).toEqual([]);
    expect(await RepairRun.read(table)).toBeUndefined();
    expect(await rows()).toEqual(["old 1", "old 4", "old 2"]);
  });

  test("a repair that any call of the store stops continues to the same end", async () => {
    for (let at = 0; ; at++) {
      const { table, begin, send, spills, rows, partsOf } = await damaged(9);
      await send(1, { "review-comments": large(1) }, "pr/large");
      await table.writeMany(spills().map((item) => ({ put: { ...item, x: 1 } })));
      await begin();
      let calls = 0;
      const failing = async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
        if (calls++ === at) throw new StoreUnavailable("stopped", false);
        return await call();
      };
      const failed = await mendStopped(eachCall(table, failing)).then(
        () => false,
        () => true,
      );
      if (failed) await mendStopped(table);
      // The large one has bytes and no text.
      const found = (await rows()).map((text) => text ?? "large");
      expect([at, found.toSorted()]).toEqual([at, ["large", "old 1", "old 2", "old 4"]]);
      expect([at, spills().length, partsOf(), spills()[0]?.x]).toEqual([at, 1, 1, undefined]);
      if (!failed) return;
    }
  });

  test("a first part that was not completed cannot be resumed", async () => {
    const { table } = await damaged();
    const stopped: Table = { ...table, writeMany: async () => Promise.reject(new Error("stopped")) };
    await expect(repairStreams(quick(stopped, limits))).rejects.toThrow("stopped");
    expect(await RepairRun.read(table)).toBeUndefined();
  });
});

describe("while a repair runs", () => {
  /** Runs `meanwhile` before the call number `at` of the second part. Returns how many calls there were. */
  async function mendWith(
    { table, begin }: Awaited<ReturnType<typeof damaged>>,
    at: number,
    meanwhile: () => Promise<unknown>,
  ): Promise<number> {
    let calls = 0;
    const between = async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
      if (calls++ === at) await meanwhile();
      return await call();
    };
    const run = await begin();
    await mendStreams(quick(eachCall(table, between), limits), run);
    return calls;
  }

  test("events that are applied at any moment of a repair are complete in both copies, and alone", async () => {
    for (let at = 0; ; at++) {
      const world = await damaged(9);
      const { table, organization, newer, newest, rows, all } = world;
      const calls = await mendWith(world, at, () => newer(table));
      if (calls <= at) {
        expect(calls).toBeGreaterThan(20);
        return;
      }
      const expected = numbers.map((number) => `new ${number}`);
      expect([at, (await rows()).toSorted()]).toEqual([at, expected]);
      expect([at, (await rows(organization)).toSorted()]).toEqual([at, expected]);
      expect([at, all().filter(isEntry).length]).toEqual([at, numbers.length * 3 * 2]);
      // The repair left each pull request's own record as the events made it.
      await newest();
      expect([at, (await rows()).toSorted()]).toEqual([at, numbers.map((number) => `newest ${number}`)]);
      expect([at, all().filter(isEntry).length]).toEqual([at, numbers.length * 3 * 2]);
    }
  });

  test("a large entry that an event replaces while its mark is taken off does not come back", async () => {
    const { table, begin, send, spills } = await damaged();
    await send(1, { "review-comments": large(1) }, "pr/large");
    await table.writeMany(spills().map((item) => ({ put: { ...item, x: 1 } })));
    let takenOff = 0;
    const overtaken: Table = {
      ...table,
      transact: async (writes, ...more) => {
        if (writes.some((write) => "put" in write && write.put.pk.startsWith("SPILL#"))) {
          takenOff++;
          await send(2, everywhere("small"), "pr/large");
          // Settles the one before it.
          await send(1, everywhere("other"), "pr/other");
        }
        return await table.transact(writes, ...more);
      },
    };
    await mendStreams(quick(overtaken, limits), await begin());
    expect(takenOff).toBe(1);
    expect(spills().filter(({ x }) => x === undefined)).toEqual([]);
  });

  test("a writer that dies at any moment of a repair hides no pull request from readers", async () => {
    for (let at = 0; ; at++) {
      const world = await damaged(9);
      const { table, newer, rows } = world;
      const dies = () => expect(newer(dying(table))).rejects.toThrow(StoreUnavailable);
      if ((await mendWith(world, at, dies)) <= at) return;
      const seen = new Set((await rows()).map((text) => String(text).slice(-1)));
      // The others lost an entry or a copy before the repair.
      expect([at, [...seen]]).toEqual([at, expect.arrayContaining(["1", "4"])]);
      await newer(table);
      expect([at, (await rows()).toSorted()]).toEqual([at, numbers.map((number) => `new ${number}`)]);
    }
  });

  test("a reader that passed a pull request whose copy was lost gets it when it resumes", async () => {
    const { table, tenant, begin } = await damaged();
    const run = await begin();
    const seen = await readOne(table, request(tenant));
    await mendStreams(quick(table, limits), run);
    const pages = await walk(table, request(tenant, { after: seen.readUpTo }));
    expect(texts(pages)).toEqual(["old 2"]);
  });
});
