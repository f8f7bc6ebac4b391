import { describe, expect, test } from "vitest";
import { toTimestamp } from "../../lib/runtime/clock.ts";
import { StoreUnavailable, type Table } from "../../lib/store/table.ts";
import { appendBatch } from "../../lib/stream/append.ts";
import { writeSpill } from "../../lib/stream/spill.ts";
import { sweepParts } from "../../lib/stream/sweep.ts";
import { TestClock } from "../support/clock.ts";
import { useStore } from "../support/engine.ts";
import { change, depsOf, draft, everything, newOrganization, request, walk } from "./support.ts";

const store = useStore();
const large = (fill: number) => draft(`large ${fill}`, { payload: new Uint8Array(40_000).fill(fill) });
const partsOf = async (table: Table) => (await everything(table)).filter(({ pk }) => pk.startsWith("PART#"));

describe("a sweep", () => {
  test("a sweep drops the parts of a writer that died before its append, and no others", async () => {
    const { table } = store();
    const deps = depsOf(table);
    const { organization, tenant } = await newOrganization(table);
    await appendBatch(deps, tenant, [change(organization, "pr/1", 1, { "review-comments": large(1) })]);
    const dying: Table = {
      ...table,
      transact: async () => Promise.reject(new StoreUnavailable("dead", false)),
    };
    const attempt = appendBatch(depsOf(dying), tenant, [
      change(organization, "pr/2", 2, { "review-comments": large(2) }),
    ]);
    await expect(attempt).rejects.toThrow(StoreUnavailable);
    expect(await partsOf(table)).toHaveLength(2);

    const first = await sweepParts(deps, organization);
    const second = await sweepParts(deps, organization);

    expect([first, second]).toEqual([
      { kept: 1, dropped: 1 },
      { kept: 1, dropped: 0 },
    ]);
    expect(await partsOf(table)).toHaveLength(1);
    const [page] = await walk(table, request(tenant));
    expect(page?.[0]?.payload).toHaveLength(40_000);
  });

  test("a sweep between the parts and their append makes the writer write the parts again", async () => {
    const { table } = store();
    const { organization, tenant } = await newOrganization(table);
    let swept = 0;
    const interrupted: Table = {
      ...table,
      transact: async (writes) => {
        if (swept++ === 0) await sweepParts(depsOf(table), organization);
        return table.transact(writes);
      },
    };

    const outcomes = await appendBatch(depsOf(interrupted), tenant, [
      change(organization, "pr/1", 1, { "review-comments": large(3) }),
    ]);

    expect(outcomes).toEqual(["appended"]);
    const [page] = await walk(table, request(tenant));
    expect(page?.[0]?.payload).toEqual(Buffer.alloc(40_000, 3));
  });

  test("a later sweep finds parts that a delayed request wrote after the drop", async () => {
    const { table } = store();
    const deps = depsOf(table);
    const { organization } = await newOrganization(table);
    const before = (await partsOf(table)).length;
    await writeSpill(deps, organization, "nobody", new Uint8Array(40_000));
    const late = (await partsOf(table)).filter(({ d }) => d instanceof Uint8Array && d[0] === 0);
    await sweepParts(deps, organization);
    await table.writeMany(late.map((put) => ({ put })));

    await sweepParts(deps, organization);
    expect((await partsOf(table)).length).toBe(before + late.length);
    const tomorrow = new TestClock(toTimestamp(deps.clock.nowMs() + 25 * 3_600_000));
    await sweepParts({ ...deps, clock: tomorrow }, organization);

    expect((await partsOf(table)).length).toBe(before);
  });
});
