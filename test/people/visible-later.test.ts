import { expect, test } from "vitest";
import type { Table } from "../../lib/store/table.ts";
import { createIngestHarness, deliver, memberSaved, organizationSaved } from "../events/support.ts";
import { memoryTable } from "../stream/memory-table.ts";
import { checkPeople } from "./checks.ts";

test("a member who leaves while the person is not visible yet leaves no person behind", async () => {
  const { table, all } = memoryTable();
  await deliver(createIngestHarness(table), [organizationSaved(1), memberSaved(2)]);
  let reads = 0;
  // A transaction becomes visible item by item: the member first, the person a moment later.
  const late: Table = {
    ...table,
    getMany: async (keys, options) => {
      const items = await table.getMany(keys, options);
      const isPerson = keys.some(({ sk }) => sk.startsWith("PERSON#"));
      return isPerson && reads++ === 0
        ? items.map((item) => (item?.sk.startsWith("PERSON#") ? undefined : item))
        : items;
    },
  };

  await deliver(createIngestHarness(late), [memberSaved(3, { active: false })]);

  expect(reads).toBeGreaterThan(1);
  checkPeople(all());
});
