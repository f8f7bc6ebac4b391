import { expect, test } from "vitest";
import type { Table } from "../../lib/store/table.ts";
import { useStore } from "../support/engine.ts";
import { finding } from "../support/event-data.ts";
import { github, World } from "../support/world.ts";
import { applyScan, scan, walk } from "./support.ts";

const store = useStore();
const world = new World(() => store().table);

test("a page opens in one call the chunks that it needs, and no others", async () => {
  const { table } = store();
  const organization = await world.organization("pages");
  const ids = ["1", "2", "3", "4", "5"];
  for (const repository_id of ids) {
    await world.repository(github("pages"), repository_id);
    await applyScan(table, organization, scan(1, [finding(`f${repository_id}`)], { repository_id }));
  }
  const calls: number[] = [];
  const counting: Table = {
    ...table,
    getMany: async (keys, ...more) => {
      // A chunk and its repository are two keys. The organization is no part of a page.
      if (keys.length > 1) calls.push(keys.length / 2);
      return await table.getMany(keys, ...more);
    },
  };
  const found = await walk(counting, [organization], { limit: 2 });
  expect(found.map(({ id }) => id).toSorted()).toEqual(ids.map((id) => `f${id}`));
  // The chunks of a page, one beyond it that shows whether another page follows, and that of the finding before it.
  expect(calls).toEqual([3, 4, 2]);
});
