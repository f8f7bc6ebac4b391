import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { operations } from "../../../../lib/contract/operations.ts";
import { type Count, type Counter, openCounter } from "./count.ts";
import { testSizes } from "./world.ts";

let counter: Counter;
beforeAll(async () => {
  counter = await openCounter(testSizes);
}, 300_000);
afterAll(() => counter.close());

const folder = new URL("counts/", import.meta.url);
const textOf = (counts: readonly Count[]): string =>
  counts
    .map(
      ({ operation, name, trips, calls, readUnits, writeUnits }) =>
        `${operation}, ${name}: ${trips} trips, ${calls} calls, ${readUnits} read units, ${writeUnits} write units\n`,
    )
    .join("");

/** A change for the better is committed after a run with `--update`; one for the worse is a regression. */
test.each(operations)(
  "$id takes the trips, calls and units that are committed, and none too many",
  async ({ id }) => {
    const counts = await counter.countsOf(id);
    expect(new Set(counts.map(({ size }) => size))).toEqual(new Set(["small", "large"]));
    const over = counts.filter(({ trips, tripsMax }) => trips > tripsMax);
    expect(over.map(({ name, trips }) => `${name}: ${trips}`)).toEqual([]);
    await expect(textOf(counts)).toMatchFileSnapshot(`./counts/${id}.txt`);
  },
);

test("what operations take does not follow from the operations before them", async () => {
  for (const id of ["createLearnings", "changeRoles", "deleteRole"] as const) await counter.countsOf(id);
  for (const id of [
    "listLearnings",
    "listUsers",
    "listRoles",
    "listAuditLogs",
    "listSecurityFindings",
  ] as const)
    expect(textOf(await counter.countsOf(id))).toBe(readFileSync(new URL(`${id}.txt`, folder), "utf8"));
});

// A missing file is found above; a new one is written when this file has ended.
test("there are counts of no other operations", () => {
  const known = new Set(operations.map(({ id }) => `${id}.txt`));
  expect(readdirSync(folder).filter((file) => !known.has(file))).toEqual([]);
});
