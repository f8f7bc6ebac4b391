import { describe, expect, test } from "vitest";
import { streamPartition } from "../../lib/store/layout.ts";
import { appendBatch } from "../../lib/stream/append.ts";
import { readHead } from "../../lib/stream/head.ts";
import { readPage } from "../../lib/stream/read-page.ts";
import { sizeOf } from "../../lib/stream/size.ts";
import type { EntryDraft } from "../../lib/stream/stream.ts";
import { weekOf } from "../../lib/stream/weeks.ts";
import { large, quick } from "./memory-stream.ts";
import { memoryTable } from "./memory-table.ts";
import {
  change,
  dayMs,
  draft,
  filled,
  numbered,
  readOne,
  request,
  someDayMs,
  texts,
  walk,
} from "./support.ts";

describe("on a table in memory", () => {
  /** Pull requests of a stand-alone organization, one per draft. */
  async function written(drafts: readonly EntryDraft[]) {
    const { table, calls, called, all } = memoryTable();
    const home = await filled(table, drafts);
    const rewrite = (index: number, order: number, text: EntryDraft) =>
      appendBatch(quick(table), home.tenant, [
        change(home.organization, `pr/${index}`, order, { "review-comments": text }),
      ]);
    called();
    /** Partitions and sizes of the queries since the last time that this was called. */
    const asked = () =>
      calls.splice(0).flatMap(([name, range]) => (name === "queryPage" ? [Object(range)] : []));
    const partition = (atMs: number) =>
      streamPartition({ tenant: home.tenant, organization: undefined, dataset: "c", week: weekOf(atMs) });
    return { table, all, ...home, rewrite, asked, partition };
  }

  test("an organization that left during its last page's read is reported as moved, one that stayed is not", async () => {
    const { table, tenant } = await written(numbered(2));
    const left = request(tenant, { isStillHere: async () => false });
    const stayed = request(tenant, { isStillHere: async () => true });
    expect(await readPage(table, left)).toEqual({ outcome: "moved" });
    expect(texts([(await readOne(table, stayed)).entries])).toEqual(["0", "1"]);
    // Nothing is checked between pages: the last page checks.
    expect(await readPage(table, { ...left, limit: 1 })).toMatchObject({ outcome: "page", nextAfter: 1 });
  });

  test("a pull request whose old entry is not retired yet is on a page once, in its newest state", async () => {
    const { table, all, tenant, rewrite } = await written(numbered(3));
    const old = all().filter(({ pk, sk }) => pk.startsWith("S#") && sk === "0000000001");
    await rewrite(0, 9, draft("0, rewritten"));
    await table.writeMany(old.map((put) => ({ put })));

    const page = await readOne(table, request(tenant));
    const walked = await walk(table, request(tenant, { limit: 1 }));

    expect(texts([page.entries])).toEqual(["1", "2", "0, rewritten"]);
    // On separate pages both may come: the caller keeps the last one.
    expect(texts(walked)).toEqual(["0", "1", "2", "0, rewritten"]);
  });

  test("an answer may have exactly the maximum of bytes, and stops at the record that exceeds it", async () => {
    const { table, tenant } = await written(numbered(5));
    let looked = 0;
    const wanted = (responseBytesMax: number) =>
      request(tenant, { responseBytesMax, limit: 2, eligible: () => ++looked > 0 });
    expect(await readPage(table, wanted(200))).toMatchObject({ outcome: "page", nextAfter: 2 });
    expect(looked).toBe(3);
    expect(await readPage(table, wanted(199))).toMatchObject({ outcome: "too-large" });
    expect(await readPage(table, { ...wanted(99), limit: 5 })).toMatchObject({ outcome: "too-large" });
    expect(looked).toBe(3 + 2 + 1);
  });

  test("a page skips exactly as many bytes as the limit allows", async () => {
    const { table, tenant, all, partition } = await written(numbered(3));
    const bytes = sizeOf(all().find(({ pk }) => pk === partition(someDayMs)));
    const passing = (passedOverBytesMax: number) =>
      readPage(table, request(tenant, { passedOverBytesMax, eligible: () => false }));
    expect(await passing(bytes - 1)).toMatchObject({ entries: [], nextAfter: 1, readUpTo: 1 });
    expect(await passing(bytes)).toMatchObject({ nextAfter: 2 });
    expect(await passing(3 * bytes)).toMatchObject({ nextAfter: null, readUpTo: 3 });
  });

  test("a walk resumes after everything published, even in other datasets", async () => {
    const { table, tenant, organization } = await written(numbered(1));
    const other = change(organization, "pr/other", 2, { reviews: draft("review") });
    await appendBatch(quick(table), tenant, [other]);
    expect(await readOne(table, request(tenant))).toMatchObject({ nextAfter: null, readUpTo: 2 });
  });

  test("a cursor from beyond the prefetched head loses nothing and repeats nothing", async () => {
    const { table, tenant, rewrite } = await written(numbered(1));
    const head = await readHead(table, tenant);
    await rewrite(1, 5, draft("1"));
    await rewrite(2, 5, draft("2"));
    const page = await readOne(table, request(tenant, { head, after: 2 }));
    expect([texts([page.entries]), page.readUpTo]).toEqual([["2"], 3]);
    const end = await readOne(table, request(tenant, { head, after: 3 }));
    expect([end.entries, end.readUpTo]).toEqual([[], 3]);
  });

  test("only weeks of the window with numbers beyond the cursor are opened", async () => {
    const weeks = [someDayMs, someDayMs, someDayMs + 7 * dayMs, someDayMs + 14 * dayMs];
    const { table, tenant, asked, partition } = await written(
      numbered(4, (index) => ({ atMs: weeks[index] ?? 0 })),
    );
    const opened = async (more: Parameters<typeof request>[1]) => {
      await readOne(table, request(tenant, more));
      return asked().map(({ pk }) => pk);
    };
    const [first, , second, third] = weeks.map(partition);
    expect(await opened({})).toEqual([first, second, third]);
    expect(await opened({ after: 1 })).toEqual([first, second, third]);
    expect(await opened({ after: 2 })).toEqual([second, third]);
    expect(await opened({ window: { startMs: someDayMs, endMs: someDayMs + 7 * dayMs } })).toEqual([
      first,
      second,
    ]);
    expect(await opened({ after: 2, window: { startMs: someDayMs, endMs: someDayMs + dayMs } })).toEqual([]);
  });

  test("a page queries only as many entries as it can still hold", async () => {
    const { table, tenant, asked } = await written(numbered(40));
    const page = await readOne(table, request(tenant, { limit: 10, eligible: ({ number }) => number !== 1 }));
    expect(page.entries).toHaveLength(10);
    expect(asked().map(({ from, pageItems }) => [Number(from), pageItems])).toEqual([
      [1, 11],
      [12, 8],
    ]);
  });

  test("entries that were removed for a lost part do not count, and the others do, when more is read", async () => {
    const { table, tenant, all, rewrite } = await written([draft("kept"), large(1)]);
    const head = await readHead(table, tenant);
    await table.writeMany(
      all()
        .filter(({ pk }) => pk.startsWith("PART#"))
        .map((key) => ({ delete: key })),
    );
    await rewrite(1, 9, large(2));
    const wanted = (responseBytesMax: number) => request(tenant, { head, responseBytesMax });
    const page = await readOne(table, wanted(200));
    expect(page.entries.map(({ number }) => number)).toEqual([1, 3]);
    await rewrite(2, 10, draft("more"));
    expect((await readOne(table, wanted(300))).entries).toHaveLength(3);
    expect(await readPage(table, wanted(299))).toMatchObject({ outcome: "too-large" });
  });

  test("a large entry is loaded once, even if more is read after it", async () => {
    const { table, tenant, rewrite, asked } = await written([large(1)]);
    const head = await readHead(table, tenant);
    await rewrite(1, 9, large(2));
    asked();
    const parts: number[] = [];
    const counting = {
      ...table,
      getMany: (...args: Parameters<typeof table.getMany>) => {
        parts.push(args[0].length);
        return table.getMany(...args);
      },
    };
    const page = await readOne(counting, request(tenant, { head }));
    expect(page.entries.map(({ payload }) => payload)).toEqual([
      Buffer.alloc(40_000, 1),
      Buffer.alloc(40_000, 2),
    ]);
    expect(parts).toEqual([1, 1]);
  });
});
