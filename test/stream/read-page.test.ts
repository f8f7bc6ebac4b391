import { describe, expect, test } from "vitest";
import * as kinds from "../../lib/contract/items.ts";
import { appendBatch } from "../../lib/stream/append.ts";
import { readHead } from "../../lib/stream/head.ts";
import { readPage } from "../../lib/stream/read-page.ts";
import { useStore } from "../support/engine.ts";
import {
  change,
  dayMs,
  depsOf,
  draft,
  everything,
  filled,
  newOrganization,
  newWorkspace,
  numbered,
  readOne,
  request,
  someDayMs,
  texts,
  walk,
  watched,
} from "./support.ts";

const store = useStore();

describe("a page", () => {
  test("a page of three pull requests with limit 3 is the last page", async () => {
    const { table } = store();
    const { tenant } = await filled(table, numbered(3));

    const page = await readOne(table, request(tenant, { limit: 3 }));

    expect(page).toMatchObject({ nextAfter: null, readUpTo: 3 });
    expect(texts([page.entries])).toEqual(["0", "1", "2"]);
  });

  test("a page of two pull requests with limit 2 has a next page if a third exists", async () => {
    const { table } = store();
    const { tenant } = await filled(table, numbered(3));

    const pages = await walk(table, request(tenant, { limit: 2 }));

    expect(pages.map((page) => texts([page]))).toEqual([["0", "1"], ["2"]]);
  });

  test("a page of an empty stream is empty and the last page", async () => {
    const { table } = store();
    const { tenant } = await newOrganization(table);

    expect(await readPage(table, request(tenant))).toEqual({
      outcome: "page",
      entries: [],
      removals: [],
      removalsSince: 0,
      nextAfter: null,
      readUpTo: 0,
    });
  });

  test("a page is in write order over many weeks, with any limit", async () => {
    const { table } = store();
    const { tenant } = await filled(
      table,
      numbered(24, (index) => ({ atMs: someDayMs - ((index * 5) % 12) * 7 * dayMs })),
    );
    const expected = Array.from({ length: 24 }, (_, index) => `${index}`);

    for (const limit of [1, 2, 5, 24, 1000]) {
      expect(texts(await walk(table, request(tenant, { limit })))).toEqual(expected);
    }
  });

  test("a page of a window from the year 1 to 9999 reads only the weeks that hold entries", async () => {
    const { table } = store();
    const { tenant } = await filled(
      table,
      numbered(6, (index) => ({ atMs: Date.UTC(2000 + index * 5, 0, 1) })),
    );
    const seen = watched(table);

    const page = await readOne(seen.table, request(tenant));

    expect(page.entries).toHaveLength(6);
    expect(seen.queries).toHaveLength(6);
  });

  test("a page respects the window to the millisecond: start included, end excluded", async () => {
    const { table } = store();
    const start = Date.UTC(2026, 9, 14);
    const times = [start - 1, start, start + dayMs - 1, start + dayMs];
    const { tenant } = await filled(
      table,
      times.map((atMs) => draft(`${atMs}`, { atMs })),
    );

    const pages = await walk(table, request(tenant, { window: { startMs: start, endMs: start + dayMs } }));

    expect(texts(pages)).toEqual([`${start}`, `${start + dayMs - 1}`]);
  });

  test("a page ends at the limit of skipped bytes, and the walk continues from there", async () => {
    const { table } = store();
    const { tenant } = await filled(
      table,
      numbered(20, (index) => ({ authorId: index === 17 ? "wanted" : "other" })),
    );
    const wanted = request(tenant, {
      eligible: ({ authorId }) => authorId === "wanted",
      passedOverBytesMax: 1000,
    });

    const first = await readOne(table, wanted);
    const pages = await walk(table, wanted);

    expect(first.entries).toEqual([]);
    expect(first.nextAfter).toBeGreaterThan(0);
    expect(first.nextAfter).toBeLessThan(17);
    expect(texts(pages)).toEqual(["17"]);
  });

  test("a page of one organization contains nothing of another one in its workspace", async () => {
    const { table } = store();
    const tenant = newWorkspace();
    const one = await newOrganization(table, tenant);
    const other = await newOrganization(table, tenant);
    await appendBatch(depsOf(table), tenant, [
      change(one.organization, "pr/1", 1, { "review-comments": draft("one") }),
      change(other.organization, "pr/1", 2, { "review-comments": draft("other") }),
    ]);

    const single = await readOne(table, request(tenant, { organization: one.organization }));
    const both = await readOne(table, request(tenant));

    expect(texts([single.entries])).toEqual(["one"]);
    expect(both.entries.map(({ organization }) => organization)).toEqual([
      one.organization,
      other.organization,
    ]);
  });
});

describe("a walk", () => {
  test("a walk sees a late write to a week that it has passed", async () => {
    const { table } = store();
    const { organization, tenant } = await filled(
      table,
      numbered(2, (index) => ({ atMs: someDayMs + index * 7 * dayMs })),
    );
    const first = await readOne(table, request(tenant, { limit: 1 }));
    const late = change(organization, "pr/late", 9, {
      "review-comments": draft("late", { atMs: someDayMs }),
    });
    await appendBatch(depsOf(table), tenant, [late]);

    const rest = await walk(table, request(tenant, { after: first.nextAfter ?? 0 }));

    expect(texts(rest)).toEqual(["1", "late"]);
  });

  test("a walk sees entries that moved behind it while its last page was being read", async () => {
    const { table } = store();
    const { organization, tenant } = await filled(table, numbered(1));
    const stale = await readHead(table, tenant);
    await appendBatch(depsOf(table), tenant, [
      change(organization, "pr/0", 9, { "review-comments": draft("rewritten") }),
    ]);

    const page = await readOne(table, request(tenant, { head: stale }));

    expect(texts([page.entries])).toEqual(["rewritten"]);
    expect(page.nextAfter).toBeNull();
  });

  test("a walk that is resumed later reads only newer entries", async () => {
    const { table } = store();
    const { organization, tenant } = await filled(table, numbered(3));
    const end = await readOne(table, request(tenant));
    expect(await walk(table, request(tenant, { after: end.readUpTo }))).toEqual([[]]);
    await appendBatch(depsOf(table), tenant, [
      change(organization, "pr/1", 9, { "review-comments": draft("again") }),
    ]);

    const since = await walk(table, request(tenant, { after: end.readUpTo }));

    expect(texts(since)).toEqual(["again"]);
  });

  test("a walk whose time is up ends its page with a cursor, or reports that it made no progress", async () => {
    const { table } = store();
    const { tenant } = await filled(table, numbered(3));
    const controller = new AbortController();
    const afterOne = request(tenant, {
      timeUp: controller.signal,
      eligible: () => {
        controller.abort();
        return true;
      },
    });

    const short = await readOne(table, afterOne);
    const nothing = await readPage(table, afterOne);

    expect([texts([short.entries]), short.nextAfter]).toEqual([["0"], 1]);
    expect(nothing).toEqual({ outcome: "no-progress" });
  });
});

describe("large entries", () => {
  const bytes = (length: number, fill: number) => new Uint8Array(length).fill(fill);

  test("large entries of any size are read back unchanged", async () => {
    const { table } = store();
    const payloads = [bytes(100, 1), bytes(40_000, 2), bytes(350_001, 3), bytes(1_500_000, 4)];
    const { tenant, organization } = await filled(
      table,
      payloads.map((payload, index) => draft(`${index}`, { payload })),
      true,
    );

    for (const wanted of [request(tenant), request(tenant, { organization })]) {
      const page = await readOne(table, wanted);
      const found = page.entries.map(({ payload }) =>
        payload instanceof Uint8Array ? Buffer.from(payload) : undefined,
      );
      expect(found.map((each, index) => each?.equals(payloads[index] ?? bytes(0, 0)))).toEqual([
        true,
        true,
        true,
        true,
      ]);
    }
  });

  test("large entries make the answer too large without a read of their parts; fewer of them fit", async () => {
    const { table } = store();
    const large = numbered(3, () => ({ payload: bytes(40_000, 1), renderedBytes: 40_000 }));
    const { tenant } = await filled(table, large);
    const seen = watched(table);

    const tooLarge = await readPage(seen.table, request(tenant, { responseBytesMax: 100_000 }));
    const partsRead = seen.parts;
    const fits = await readOne(table, request(tenant, { responseBytesMax: 100_000, limit: 1 }));

    expect(tooLarge).toMatchObject({ outcome: "too-large" });
    expect(partsRead).toBe(0);
    expect([fits.entries.length, fits.nextAfter]).toEqual([1, 1]);
  });

  test("large entries that lost a part are left out", async () => {
    const { table } = store();
    const { tenant } = await filled(table, [draft("gone", { payload: bytes(40_000, 1) }), draft("here")]);
    const [entry] = (await everything(table)).filter(
      ({ pk, s }) => pk.startsWith(`S#${tenant}`) && s !== undefined,
    );
    const spill = entry?.s;
    if (!Array.isArray(spill) || typeof spill[0] !== "string") throw new Error("The entry did not spill.");
    await table.write({ delete: kinds.spillPart.key({ spillId: spill[0], index: 0 }) });

    expect(texts(await walk(table, request(tenant)))).toEqual(["here"]);
  });

  test("large entries that are rewritten leave no part behind", async () => {
    const { table } = store();
    const { organization, tenant } = await filled(
      table,
      [draft("large", { payload: bytes(400_000, 1) })],
      true,
    );
    const partsOf = async () => (await everything(table)).filter(({ pk }) => pk.startsWith("PART#")).length;
    const before = await partsOf();

    await appendBatch(depsOf(table), tenant, [
      change(organization, "pr/0", 9, { "review-comments": draft("small") }),
    ]);

    expect(await partsOf()).toBe(before - 2);
  });
});
