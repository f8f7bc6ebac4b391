import { expect, test } from "vitest";
import type { Table } from "../../lib/store/table.ts";
import { useStore } from "../support/engine.ts";
import { finding } from "../support/event-data.ts";
import { github, World } from "../support/world.ts";
import { applyScan, type ScanData, scan, statesById, walk } from "./support.ts";

const store = useStore();
const world = new World(() => store().table);

test("of two scans of a repository at once both count, the first two and later ones", async () => {
  const { table } = store();
  const organization = await world.organization("one");
  await world.repository(github("one"), "9001");
  /** Applies another scan after this one has decided and before it writes. */
  const overtakenBy = (other: ScanData): Table => {
    let isOvertaken = false;
    return {
      ...table,
      write: async (...given) => {
        if (!isOvertaken) {
          isOvertaken = true;
          await applyScan(table, organization, other);
        }
        return await table.write(...given);
      },
    };
  };
  const states = async () => statesById(await walk(table, [organization]));

  await applyScan(overtakenBy(scan(2, [finding("b")])), organization, scan(1, [finding("a")]));
  expect(await states()).toEqual({ a: "fixed", b: "open" });
  await applyScan(overtakenBy(scan(4, [finding("d")])), organization, scan(3, [finding("c")]));
  expect(await states()).toEqual({ a: "fixed", b: "fixed", c: "fixed", d: "open" });
});
