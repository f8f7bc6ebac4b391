import { expect, test } from "vitest";
import * as kinds from "../../lib/contract/items.ts";
import { ErrorCollector } from "../../lib/runtime/error-collector.ts";
import type { Table } from "../../lib/store/table.ts";
import { writeSpill } from "../../lib/stream/spill.ts";
import { sweepSome } from "../../lib/stream/sweep-some.ts";
import { TestClock } from "../support/clock.ts";
import { quick } from "./memory-stream.ts";
import { memoryTable } from "./memory-table.ts";

const directoryRow = (uuid: string) => ({
  ...kinds.organizationDirectory.key({ providerId: uuid, organization: uuid }),
  uuid,
  provider: "github",
  instance_id: null,
  provider_organization_id: uuid,
  name: uuid,
});

/** Organizations with this many abandoned spills each; checking one takes a second. */
async function troubled(spillsOf: Readonly<Record<string, number>>) {
  const { table, all } = memoryTable();
  for (const [uuid, count] of Object.entries(spillsOf)) {
    await table.write({ put: directoryRow(uuid) });
    for (let index = 0; index < count; index++)
      await writeSpill(quick(table), uuid, "nobody", new Uint8Array(9));
  }
  const clock = new TestClock();
  const slow: Table = {
    ...table,
    get: async (key) => {
      if (key.pk.startsWith("PR#")) clock.advance(1_000);
      return await table.get(key);
    },
  };
  const run = async (seconds: number) => {
    const pieces = new ErrorCollector();
    const deps = { ...quick(slow, { sweepMsMax: seconds * 1_000 }), clock };
    const { dropped } = await sweepSome(deps, pieces);
    return { dropped, pieces };
  };
  const parts = () => all().filter(({ pk }) => pk.startsWith("PART#")).length;
  return { table, run, parts };
}

test("a run with too little time stops; the next continues where it stopped, even inside an organization", async () => {
  const { table, run, parts } = await troubled({ a: 3, b: 0, c: 4 });
  const dropped: number[] = [];
  for (let day = 0; day < 4; day++) dropped.push((await run(2)).dropped);
  expect(dropped).toEqual([2, 1 + 1, 2, 1]);
  expect(parts()).toBe(0);
  expect(await table.get(kinds.sweeper.key())).toMatchObject({ organization: null });
  // Starts from the first organization again.
  await writeSpill(quick(table), "a", "nobody", new Uint8Array(9));
  expect((await run(2)).dropped).toBe(1);
});

test("a damaged spill or organization is reported and does not delay the others", async () => {
  const { table, run, parts } = await troubled({ a: 2, c: 2 });
  await table.write({
    put: { ...kinds.spill.key({ organization: "a", spillId: "0" }), i: "nobody", c: "damaged" },
  });
  await table.write({ put: { ...directoryRow("b"), uuid: 7 } });
  const { dropped, pieces } = await run(100);
  expect([dropped, parts()]).toEqual([4, 0]);
  expect(() => pieces.end()).toThrow("The spill at SPILL#a / 0 is damaged in: c.");
});
