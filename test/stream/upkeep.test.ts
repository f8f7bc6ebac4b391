import { describe, expect, test } from "vitest";
import { organizationTenant } from "../../lib/contract/tenants.ts";
import { StoreUnavailable, type Table } from "../../lib/store/table.ts";
import { appendBatch } from "../../lib/stream/append.ts";
import { moveOrganization } from "../../lib/stream/move.ts";
import { pointerIdOf } from "../../lib/stream/pointer.ts";
import { markSpillForRemoval, writeSpill } from "../../lib/stream/spill.ts";
import { StreamBusy } from "../../lib/stream/stream.ts";
import { sweepParts } from "../../lib/stream/sweep.ts";
import { TestClock } from "../support/clock.ts";
import { dying, large, memoryStream, quick } from "./memory-stream.ts";
import {
  change,
  draft,
  everywhere,
  newOrganization,
  newWorkspace,
  request,
  setTenant,
  texts,
  walk,
} from "./support.ts";

describe("a sweep", () => {
  test("a sweep counts kept and dropped spills, and a spill that is in use costs a read and no write", async () => {
    const { deps, organization, send, called } = await memoryStream();
    await send(1, { "review-comments": large(1), reviews: large(2) });
    called();
    expect(await sweepParts(deps, organization)).toEqual({ kept: 2, dropped: 0 });
    expect(called()).toEqual(["queryPage", "get", "get"]);
    await writeSpill(deps, organization, "nobody", new Uint8Array(9));
    expect(await sweepParts(deps, organization)).toEqual({ kept: 2, dropped: 1 });
    called();
    // A dropped spill is left alone while late parts may come.
    expect(await sweepParts(deps, organization)).toEqual({ kept: 2, dropped: 0 });
    expect(called().toSorted()).toEqual(["get", "get", "queryPage"]);
  });

  test("a sweep deletes late parts of a dropped spill once more, and never again", async () => {
    const { table, organization, spills, partsOf, called } = await memoryStream();
    const clock = new TestClock();
    const deps = { ...quick(table), clock };
    await writeSpill(deps, organization, "nobody", new Uint8Array(9));
    const late = (await table.scanPage({})).items.filter(({ pk }) => pk.startsWith("PART#"));
    await sweepParts(deps, organization);
    const [mark] = spills();
    await table.writeMany(late.map((put) => ({ put })));
    const writes: number[] = [];
    for (let hour = 0; hour < 72; hour += 8) {
      called();
      await sweepParts(deps, organization);
      writes.push(called().filter((name) => name === "writeMany").length);
      // The expiry is never postponed.
      for (const { ttl } of spills()) expect(ttl).toBe(mark?.ttl);
      clock.advance(8 * 3_600_000);
    }
    expect(writes).toEqual([0, 0, 0, 2, 0, 0, 0, 0, 0]);
    expect([spills(), partsOf()]).toEqual([[], 0]);
  });

  test("a sweep prevents an append from naming a spill that it is about to drop", async () => {
    const { table, organization, tenant, deps } = await memoryStream();
    let attempts = 0;
    const late: Table = {
      ...table,
      transact: async (writes) => {
        if (attempts++ > 0) return table.transact(writes);
        // All steps of the sweep except the drop itself come before the commit.
        let commit: Promise<void> = Promise.resolve();
        const sweeping: Table = {
          ...table,
          writeMany: async (drop) => {
            commit = table.transact(writes);
            await commit.catch(() => {});
            await table.writeMany(drop);
          },
        };
        await sweepParts(quick(sweeping), organization);
        return commit;
      },
    };

    const event = change(organization, "pr/1", 1, { "review-comments": large(3) });
    expect(await appendBatch(quick(late), tenant, [event])).toEqual(["appended"]);

    expect(attempts).toBe(2);
    expect((await walk(table, request(tenant))).flat()).toHaveLength(1);
    expect(await sweepParts(deps, organization)).toEqual({ kept: 1, dropped: 0 });
  });

  test("a sweep restores spills in use that a dead sweep had marked for removal, and drops the others", async () => {
    const { table, deps, organization, send, spills, partsOf } = await memoryStream();
    await send(1, { "review-comments": large(1) });
    await writeSpill(deps, organization, pointerIdOf("pr/1"), new Uint8Array(9));
    for (const { sk, i, c } of spills()) {
      const marked = {
        id: sk,
        organization,
        parts: Number(c),
        pointerId: String(i),
        isMarkedForRemoval: false,
      };
      await table.write(markSpillForRemoval(marked));
    }
    expect(await sweepParts(deps, organization)).toEqual({ kept: 1, dropped: 1 });
    expect(spills().filter(({ x }) => x === undefined)).toMatchObject([{ i: pointerIdOf("pr/1") }]);
    expect(spills()).toHaveLength(2);
    expect(partsOf()).toBe(1);
  });

  test("a sweep keeps superseded spills that are not retired yet, and nothing else", async () => {
    const { organization, deps, send, die, partsOf } = await memoryStream();
    await send(1, { "review-comments": large(1) });
    await writeSpill(deps, organization, pointerIdOf("pr/1"), new Uint8Array(9));
    await die(2, everywhere("small"));
    expect(await sweepParts(deps, organization)).toEqual({ kept: 1, dropped: 1 });
    expect(partsOf()).toBe(1);
    await send(2, everywhere("small"));
    expect(partsOf()).toBe(0);
  });

  test("a sweep keeps every spill that waits to be retired", async () => {
    const { organization, deps, send, die } = await memoryStream();
    await send(1, { "review-comments": large(1), reviews: large(2) });
    await die(2, everywhere("small"));
    expect(await sweepParts(deps, organization)).toEqual({ kept: 2, dropped: 0 });
  });

  test("a sweep passes on an error of the store", async () => {
    const { table, organization, deps } = await memoryStream();
    await writeSpill(deps, organization, "nobody", new Uint8Array(9));
    const planted = new TypeError("planted");
    const failing: Table = { ...table, write: async () => Promise.reject(planted) };
    await expect(sweepParts(quick(failing), organization)).rejects.toBe(planted);
  });
});

describe("a move", () => {
  async function moved(pullRequests: number) {
    const world = await memoryStream();
    const { table, organization, send } = world;
    for (let index = 0; index < pullRequests; index++) await send(1, everywhere(`${index}`), `pr/${index}`);
    const to = organizationTenant(organization);
    await setTenant(table, organization, to);
    world.called();
    return { ...world, move: { organization, from: [world.tenant], to } };
  }

  test("a move reads the pointers once, and as many entries at a time as fit a transaction", async () => {
    const { table, move, called, calls } = await moved(5);
    const limits = { movedTogetherMax: 2 };
    expect(await moveOrganization(quick(table, limits), move)).toEqual({ isComplete: true, moved: 5 });
    const read = calls.flatMap(([name, keys]) =>
      name === "getMany" && Array.isArray(keys) ? [keys.length] : [],
    );
    expect(read).toEqual([6, 6, 3]);
    expect(called().filter((name) => name === "queryPage" || name === "transact")).toEqual([
      "queryPage",
      ...["transact", "transact", "transact"],
    ]);
    expect(await moveOrganization(quick(table), move)).toEqual({ isComplete: true, moved: 0 });
    expect(called()).toEqual(["transactGet", "queryPage", "transactGet"]);
  });

  test("a move of 600 pull requests takes at most four round trips for ten", async () => {
    const { table, move, called } = await moved(600);
    const { limits: _, ...usual } = quick(table);
    await moveOrganization(usual, move);
    const count = Map.groupBy(called(), (name) => name);
    // A head and its entries are read at the same time, and so are retired entries and parts deleted.
    const beside = (count.get("getMany")?.length ?? 0) + (count.get("writeMany")?.length ?? 0) / 2;
    const trips = [...count.values()].flat().length - beside;
    expect(trips).toBeLessThanOrEqual(60 * 4);
  });

  test("a move that was interrupted begins where the last one noted its position, and leaves nothing behind", async () => {
    const { table, move, calls } = await moved(9);
    const limits = { movedTogetherMax: 2, moveProgressEvery: 4 };
    const noted: string[] = [];
    const progress = (after?: string) => ({
      after,
      reach: async (position: string) => {
        noted.push(position);
        if (after === undefined) throw new Error("cut off");
      },
    });
    const cutOff = moveOrganization(quick(table, limits), { ...move, progress: progress() });
    await expect(cutOff).rejects.toThrow("cut off");
    expect(noted).toHaveLength(1);

    calls.length = 0;
    const rest = await moveOrganization(quick(table, limits), { ...move, progress: progress(noted[0]) });
    expect(rest).toEqual({ isComplete: true, moved: 5 });
    const ranges = calls.flatMap(([name, range]) => (name === "queryPage" ? [range] : []));
    expect(ranges).toMatchObject([{ after: noted[0] }]);
    for (const dataset of ["review-comments", "reviews", "mcp"] as const)
      expect((await walk(table, request(move.to, { dataset }))).flat()).toHaveLength(9);
  });

  test("a move notes no position behind a pull request that it could not move yet", async () => {
    const { table, move } = await moved(6);
    let reads = 0;
    const slow: Table = {
      ...table,
      getMany: async (keys, options) => {
        const items = await table.getMany(keys, options);
        return reads++ === 0 ? items.with(1, undefined) : items;
      },
    };
    const noted: string[] = [];
    const progress = { after: undefined, reach: async (position: string) => void noted.push(position) };
    const limits = { movedTogetherMax: 2, moveProgressEvery: 1 };
    expect(await moveOrganization(quick(slow, limits), { ...move, progress })).toEqual({
      isComplete: true,
      moved: 6,
    });
    // The first pass leaves one of the first two behind, notes nothing and ends; the second pass moves all others.
    expect(noted).toHaveLength(3);
  });

  test("a move that another writer keeps overtaking goes on as long as it gets on", async () => {
    const { table, organization, move } = await moved(40);
    const to = newWorkspace();
    const other = await newOrganization(table, to);
    await setTenant(table, organization, to);
    let appends = 0;
    const overtaken: Table = {
      ...table,
      async transact(writes, options) {
        // Every second time somebody else appends first.
        if (writes.some((write) => !("delete" in write)) && ++appends % 2 === 1)
          await appendBatch(quick(table), to, [
            change(other.organization, `other/${appends}`, 1, everywhere("other")),
          ]);
        await table.transact(writes, options);
      },
    };
    const limits = { movedTogetherMax: 1 };
    const outcome = await moveOrganization(quick(overtaken, limits), { ...move, to });
    expect(outcome).toEqual({ isComplete: true, moved: 40 });
    // One refusal for each pull request, and no more.
    expect(appends).toBe(80);
  });

  test("what a move reads together may need several transactions", async () => {
    const { table, move, called } = await moved(5);
    const limits = { movedTogetherMax: 5, changesPerTransactionMax: 2 };
    expect(await moveOrganization(quick(table, limits), move)).toEqual({ isComplete: true, moved: 5 });
    expect(called().filter((name) => name === "getMany" || name === "transact")).toEqual([
      "getMany",
      ...Array.from({ length: 3 }, () => "transact"),
    ]);
    for (const dataset of ["review-comments", "reviews", "mcp"] as const)
      expect((await walk(table, request(move.to, { dataset }))).flat()).toHaveLength(5);
  });

  test("a move reads the entries of 28 pull requests at a time by default", async () => {
    const { table, move, calls } = await moved(29);
    const { limits: _, ...usual } = quick(table);
    await moveOrganization(usual, move);
    const read = calls.flatMap(([name, keys]) =>
      name === "getMany" && Array.isArray(keys) ? [keys.length] : [],
    );
    expect(read).toEqual([84, 3]);
  });

  test("a move of an organization that has moved again stops at the first refusal", async () => {
    const { table, organization, move, called } = await moved(5);
    await setTenant(table, organization, newWorkspace());
    called();
    const limits = { movedTogetherMax: 2 };
    expect(await moveOrganization(quick(table, limits), move)).toEqual({ isComplete: false, moved: 0 });
    expect(called().filter((name) => name === "transact")).toHaveLength(1);
  });

  test("a move waits for an entry that is not visible yet, and moves no pull request partly", async () => {
    const { table, move } = await moved(2);
    let reads = 0;
    const slow: Table = {
      ...table,
      getMany: async (keys, options) => {
        const items = await table.getMany(keys, options);
        return reads++ === 0 ? items.with(1, undefined) : items;
      },
    };
    expect(await moveOrganization(quick(slow), move)).toEqual({ isComplete: true, moved: 2 });
    for (const dataset of ["review-comments", "reviews", "mcp"] as const)
      expect(texts(await walk(table, request(move.to, { dataset }))).toSorted()).toEqual(["0", "1"]);
  });

  test("a move gives up with an error if an entry never becomes visible", async () => {
    const { table, move, called } = await moved(1);
    const blind: Table = { ...table, getMany: async (keys) => keys.map(() => undefined) };
    await expect(moveOrganization(quick(blind, { attemptsMax: 3 }), move)).rejects.toThrow(
      new StreamBusy("Others kept changing the stream."),
    );
    expect(called().filter((name) => name === "queryPage")).toHaveLength(3);
  });

  test("a move settles an append that a dead writer left in the target stream", async () => {
    const { table, move } = await moved(1);
    const other = await newOrganization(table, newWorkspace());
    await setTenant(table, move.organization, other.tenant);
    const event = change(other.organization, "pr/1", 1, everywhere("left"));
    await expect(appendBatch(quick(dying(table)), other.tenant, [event])).rejects.toThrow(StoreUnavailable);
    const result = await moveOrganization(quick(table), { ...move, to: other.tenant });
    expect(result).toEqual({ isComplete: true, moved: 1 });
    expect(texts(await walk(table, request(other.tenant)))).toEqual(["left", "0"]);
  });

  test("a move restores parts that a dead sweep had marked for removal, and no others", async () => {
    const { table, organization, move, send, tenant, spills, called } = await moved(0);
    await setTenant(table, organization, tenant);
    await send(1, { "review-comments": large(1), reviews: large(2), mcp: draft("small") });
    const [first] = spills();
    if (!first) throw new Error("There are parts.");
    const marked = { id: first.sk, organization, parts: 1, pointerId: undefined, isMarkedForRemoval: false };
    await table.write(markSpillForRemoval(marked));
    await setTenant(table, organization, move.to);
    called();
    expect(await moveOrganization(quick(table), move)).toEqual({ isComplete: true, moved: 1 });
    expect(spills().map(({ x }) => x)).toEqual([undefined, undefined]);
    // One spill is decided about: its pointer is read once, and once together.
    expect(called().filter((name) => name === "get")).toHaveLength(2 + 1);
    expect((await walk(table, request(move.to))).flat()).toHaveLength(1);
  });
});
