import { expect, test } from "vitest";
import { useStore } from "../support/engine.ts";
import { finding } from "../support/event-data.ts";
import { overtakenBy } from "../support/overtaken.ts";
import { github, World } from "../support/world.ts";
import { applyScan, type ScanData, scan, statesById, walk } from "./support.ts";

const store = useStore();
const world = new World(() => store().table);

test("of two scans of a repository at once both count, the first two and later ones", async () => {
  const { table } = store();
  const organization = await world.organization("one");
  await world.repository(github("one"), "9001");
  const overtakenByScan = (other: ScanData) =>
    overtakenBy(table, () => applyScan(table, organization, other), "write");
  const states = async () => statesById(await walk(table, [organization]));

  await applyScan(overtakenByScan(scan(2, [finding("b")])), organization, scan(1, [finding("a")]));
  expect(await states()).toEqual({ a: "fixed", b: "open" });
  await applyScan(overtakenByScan(scan(4, [finding("d")])), organization, scan(3, [finding("c")]));
  expect(await states()).toEqual({ a: "fixed", b: "fixed", c: "fixed", d: "open" });
});
